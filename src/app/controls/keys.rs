//! Keys that fields take for themselves.

use leptos::ev::KeyboardEvent;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Returns the element that a key is pressed in.
pub(in crate::app) fn target(event: &KeyboardEvent) -> Option<HtmlElement> {
    event.target()?.dyn_into().ok()
}

/// Whether an element is a slider.
pub(in crate::app) fn is_range(target: &HtmlElement) -> bool {
    target.get_attribute("type").as_deref() == Some("range")
}

/// Whether the key types into a text field or a drop-down list.
pub(in crate::app) fn is_typed_into(event: &KeyboardEvent) -> bool {
    target(event).is_some_and(|target| {
        matches!(target.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT") && !is_range(&target)
    })
}
