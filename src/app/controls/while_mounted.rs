//! Event handlers that run after their part of the page was unmounted.
//!
//! On unmounting, signals are disposed of first, and the elements leave the document after that. Browsers still call
//! handlers then: `blur` and `change` while a focused field is removed, `toggle` in a later task, `change` of a file
//! field when its dialog closes, `pointercancel` and `pointerup` after a dragged element was removed, and any handler
//! of an outer element after an inner one has changed the view. Reading a disposed signal panics, which ends the
//! program.

use leptos::prelude::*;

/// Wraps an event handler so that it does nothing once its part of the page is unmounted.
pub(in crate::app) fn while_mounted<E>(mut handle: impl FnMut(E)) -> impl FnMut(E) {
    // Owned by the current reactive owner: disposed of together with the signals created beside it.
    let mounted = StoredValue::new(());
    move |event| {
        if !mounted.is_disposed() {
            handle(event);
        }
    }
}
