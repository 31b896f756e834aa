//! The page without a network: what keeps it is a script of its own, `www/offline.js`, which is loaded once the first
//! figure is there, and says when a newer version has been fetched.

use super::{
    engine::meta,
    message::{Action, Message},
    state::State,
};
use leptos::{ev::Custom, prelude::*};

/// What the script says on the page's window, and what it hears there.
const NEWER: &str = "diagonal:newer";
const LOAD_NEWER: &str = "diagonal:load-newer";

/// Has the browser keep the page, where the build says how.
pub(super) fn keep_page(state: State) {
    let Some(script) = meta("offline") else {
        return;
    };
    let listening = window_event_listener(Custom::<web_sys::Event>::new(NEWER), move |_| {
        let message = Message::new("A newer version of this page is there.");
        state.tell(message.with("Load it", Action::LoadNewer));
    });
    on_cleanup(move || listening.remove());
    let Ok(element) = document().create_element("script") else {
        return;
    };
    let set = [("type", "module"), ("src", &script)];
    let set = set.map(|(name, value)| element.set_attribute(name, value));
    if let (true, Some(head)) = (set.iter().all(Result::is_ok), document().head()) {
        // Without it the page works as before.
        let _ = head.append_child(&element);
    }
}

/// Loads the newer version.
pub(super) fn load_newer() {
    if let Ok(event) = web_sys::Event::new(LOAD_NEWER) {
        // Nobody can cancel it.
        let _ = window().dispatch_event(&event);
    }
}
