//! Reference texts of the page: its notation, its keyboard shortcuts, and how to cite it and its sources. They are
//! data; `app/shell/reference` displays them.

mod citation;
mod notation;
mod shortcuts;

pub use citation::{CitedWork, DIAGONAL, SOURCES};
pub use notation::{NOTATION, NotationEntry};
pub use shortcuts::{GESTURES, Gesture, SHORTCUTS, Shortcut, ShortcutGroup, key_label};
