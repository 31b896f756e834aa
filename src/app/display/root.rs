//! Attributes of the document's root element, which the style sheet and tests read, and media queries.

use leptos::prelude::{document, window};

/// Sets an attribute of `<html>`; `None` removes it.
pub(in crate::app) fn set_root_attribute(name: &str, value: Option<&str>) {
    if let Some(root) = document().document_element() {
        // Ignored: a valid name can always be set or removed.
        let _ = match value {
            Some(value) => root.set_attribute(name, value),
            None => root.remove_attribute(name),
        };
    }
}

/// Whether a media query matches, such as `(prefers-reduced-motion: reduce)`.
pub(in crate::app) fn matches_media(query: &str) -> bool {
    let query = window().match_media(query);
    query.ok().flatten().is_some_and(|query| query.matches())
}
