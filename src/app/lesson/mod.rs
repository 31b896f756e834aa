//! Lessons: texts whose steps set the state of the page.
//!
//! A step is a link, that is, a state of the page; a lesson changes nothing but the link. The first paint knows only
//! whether the link names a lesson; the rest is loaded later.

mod fitting;
mod handout;
mod interpolation;
mod lecture;
mod lesson_files;
mod list;
mod loading;
mod navigation;
mod onward;
mod panel;
mod placed_block;
mod prefetch;
mod presenting;
mod progress;
mod speaker;
mod text;

pub(super) use list::LESSONS;
pub(super) use panel::LESSON_PANEL;

use navigation::{SETTLES_WITHIN, Steps};
