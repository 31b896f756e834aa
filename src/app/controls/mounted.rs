//! Event handlers that outlive their part of the page.
//!
//! When a part of the page goes, its signals are disposed of first, and its elements leave the document after that.
//! Browsers still call handlers then: `blur` and `change` while a field with the focus is removed, `toggle` in a later
//! task, `change` of a file field when its dialog closes, `pointercancel` and `pointerup` after a removed element was
//! pulled, and any handler further up when one further down has already changed the view. To read a signal that was
//! disposed of is a panic, which ends the program.

use leptos::prelude::*;

/// An event handler that does nothing once the part of the page that made it is gone.
pub(in crate::app) fn while_mounted<E>(mut handle: impl FnMut(E)) -> impl FnMut(E) {
    // Disposed of together with the signals that are made beside it.
    let mounted = StoredValue::new(());
    move |event| {
        if !mounted.is_disposed() {
            handle(event);
        }
    }
}
