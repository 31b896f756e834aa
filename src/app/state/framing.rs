//! Protection against clickjacking. A page of another site that shows this one in a frame can draw its own button over
//! one of this page, so that a click fetches a file without consent. In such a frame, files of other hosts are
//! therefore offered only in a new tab. An embedded figure is exempt: it is displayed and fetched in place.

use super::UrlState;
use leptos::prelude::*;
use web_sys::Window;

/// Label of the button in place of a fetching button.
pub(in crate::app) const OPEN_ALONE: &str = "Open in a new tab";

/// Explanation for that button.
pub(in crate::app) const WHY_ALONE: &str = "Another page shows this one in a frame, so models and lessons can only be fetched in a new tab.";

/// Whether clicks may be redirected: a page of another origin frames this one, and this one is not an embedded figure.
pub(in crate::app) fn clicks_may_be_stolen(url: UrlState) -> bool {
    let is_embedded = url.link.with_untracked(|link| link.embed.figure.is_some());
    !is_embedded && is_framed_by_another()
}

fn is_framed_by_another() -> bool {
    let own = window();
    let origin = origin_of(&own);
    let mut inner = own;
    while let Ok(Some(outer)) = inner.parent() {
        // The top window is its own parent.
        if outer == inner {
            return false;
        }
        if origin_of(&outer) != origin {
            return true;
        }
        inner = outer;
    }
    false
}

/// Returns the origin of a window. `None` if the browser denies access to it.
fn origin_of(window: &Window) -> Option<String> {
    window.location().origin().ok()
}

/// Opens an address in a new tab without access to the frame.
pub(in crate::app) fn open_alone(address: &str) {
    // Ignored: a sandboxed frame may not open tabs.
    let _ = window().open_with_url_and_target_and_features(address, "_blank", "noopener");
}
