//! Removal of the splash screen: the header and picture that `index.html` displays until the program starts.

use leptos::prelude::document;

/// Removes the splash screen. Call it in the task that mounts the page, so that the browser paints neither both nor
/// none.
pub fn remove_still() {
    for id in ["still-header", "still"] {
        if let Some(still) = document().get_element_by_id(id) {
            still.remove();
        }
    }
}
