//! What `index.html` shows until the page is there: the same header, and a still picture.

use leptos::prelude::document;

/// Takes it away. The page is put in its place before the browser paints again.
pub fn remove_still() {
    for id in ["still-header", "still"] {
        if let Some(still) = document().get_element_by_id(id) {
            still.remove();
        }
    }
}
