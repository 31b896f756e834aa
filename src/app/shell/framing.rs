//! Whether another site's page shows this one in a frame. Such a page can draw its own button over one of this page, so
//! that a click fetches a file without consent. A file that a link asks for is therefore offered in a tab of its own there.
//! A figure that is embedded is shown for what it is, and is fetched where it stands.

use crate::app::state::page::PageState;
use leptos::prelude::*;
use web_sys::Window;

/// The button in place of one that fetches.
pub(in crate::app) const OPEN_ALONE: &str = "Open in a tab of its own";

/// The sentence beside it.
pub(in crate::app) const WHY_ALONE: &str = "Another page shows this one in a frame, so models and lessons can only be fetched in a tab of its own.";

/// Whether a click on this page may be meant for another one: a page of another origin stands around it, and it is not
/// an embedded figure.
pub(in crate::app) fn clicks_may_be_stolen(state: PageState) -> bool {
    let is_embedded = state
        .link
        .with_untracked(|link| link.embed.figure.is_some());
    !is_embedded && is_framed_by_another()
}

fn is_framed_by_another() -> bool {
    let own = window();
    let origin = origin_of(&own);
    let mut inner = own;
    while let Ok(Some(outer)) = inner.parent() {
        // The outermost window is its own parent.
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

/// The origin of a window; none where the browser does not let this page see it.
fn origin_of(window: &Window) -> Option<String> {
    window.location().origin().ok()
}

/// Opens an address in a tab of its own, which knows nothing of the frame.
pub(in crate::app) fn open_alone(address: &str) {
    // A frame that may open no tabs opens none.
    let _ = window().open_with_url_and_target_and_features(address, "_blank", "noopener");
}
