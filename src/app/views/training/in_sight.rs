//! Observes whether figures are in the window, so that figures of runs, which change many times a second, are drawn at once
//! where they are seen and later elsewhere.

use crate::{app::figure::registry::FigureRegistry, url_state::FigureId};
use js_sys::Array;
use leptos::prelude::*;
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

/// Space around the window that counts as part of it, so that a figure is drawn before it is scrolled into the window.
const MARGIN: &str = "60% 0px";

/// A signal that is true while the card of a figure is in the window or near it, or a lesson uses it. Call this where the
/// card is created. As long as nothing is known, the figure counts as in sight.
pub(super) fn is_in_sight(id: FigureId) -> Signal<bool> {
    let is_near = RwSignal::new(true);
    // Effects run once the card is in the document.
    Effect::new(move || {
        let Some(card) = document().get_element_by_id(id.id()) else {
            return;
        };
        let look = Closure::<dyn Fn(Array)>::new(move |entries: Array| {
            // The last entry is the latest.
            let latest = entries.pop().dyn_into::<IntersectionObserverEntry>();
            let is_now = latest.map_or(true, |entry| entry.is_intersecting());
            // The signal may be disposed of by now.
            if is_near.try_get_untracked().is_some_and(|was| was != is_now) {
                is_near.set(is_now);
            }
        });
        let options = IntersectionObserverInit::new();
        options.set_root_margin(MARGIN);
        let callback = look.as_ref().unchecked_ref();
        if let Ok(observer) = IntersectionObserver::new_with_options(callback, &options) {
            observer.observe(&card);
            let guard = SendWrapper::new((observer, look));
            on_cleanup(move || guard.0.disconnect());
        }
    });
    let registry = FigureRegistry::from_context();
    Signal::derive(move || is_near.get() || registry.is_used(id))
}
