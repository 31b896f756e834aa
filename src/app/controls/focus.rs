//! The keyboard's focus, where what has it is replaced by something else.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Gives the focus to what is found in the next frame, which is when the page knows what is there.
pub(in crate::app) fn focus_next(find: impl FnOnce() -> Option<HtmlElement> + 'static) {
    request_animation_frame(move || {
        if let Some(element) = find() {
            // What stands on the page can always be focused.
            let _ = element.focus();
        }
    });
}

/// The first element that a selector names, if it can be focused.
pub(in crate::app) fn focusable(css: &str) -> Option<HtmlElement> {
    let found = document().query_selector(css).ok().flatten()?;
    found.dyn_into().ok()
}

/// Whether the focus is shown, which it is for those who use the keyboard. For others it stays where it is: the
/// page would scroll to what has it.
pub(in crate::app) fn is_by_keyboard() -> bool {
    let shown = document().query_selector(":focus-visible");
    shown.is_ok_and(|element| element.is_some())
}
