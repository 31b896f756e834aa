//! Keyboard focus when the focused element is replaced.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Focuses the element that `find` returns. `find` runs in the next frame, when the new elements are mounted.
pub(in crate::app) fn focus_next(find: impl FnOnce() -> Option<HtmlElement> + 'static) {
    request_animation_frame(move || {
        if let Some(element) = find() {
            // Ignored: focusing a mounted element does not fail.
            let _ = element.focus();
        }
    });
}

/// Returns the first element that matches a CSS selector, if it is an HTML element.
pub(in crate::app) fn focusable(css: &str) -> Option<HtmlElement> {
    let element = document().query_selector(css).ok().flatten()?;
    element.dyn_into().ok()
}

/// Whether the focus ring is visible, that is, whether the keyboard is in use. Move the focus only then: focusing an
/// element scrolls the page to it.
pub(in crate::app) fn is_by_keyboard() -> bool {
    let focused = document().query_selector(":focus-visible");
    focused.is_ok_and(|element| element.is_some())
}
