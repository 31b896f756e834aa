//! The page without a network: what keeps it is a script of its own, `www/offline.js`, which is loaded once the first
//! figure is there, and says when a newer version has been fetched.

use super::message::{Action, Message};
use crate::app::{controls::buttons::ActionButton, query_client::meta, state::page::PageState};
use js_sys::Reflect;
use leptos::{ev::Custom, prelude::*};

/// What the script says on the page's window, and what it hears there.
const NEWER: &str = "diagonal:newer";
const LOAD_NEWER: &str = "diagonal:load-newer";
const ASK_KEPT: &str = "diagonal:ask-kept";
const KEEP_ALL: &str = "diagonal:keep-all";
const KEPT: &str = "diagonal:kept";

/// Has the browser keep the page, where the build says how.
pub(in crate::app) fn keep_page(state: PageState) {
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
pub(in crate::app) fn load_newer() {
    say(LOAD_NEWER);
}

fn say(word: &str) {
    if let Ok(event) = web_sys::Event::new(word) {
        // Nobody can cancel it.
        let _ = window().dispatch_event(&event);
    }
}

/// How much of the page this browser keeps, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct OfflineStorage {
    kept: f64,
    all: f64,
}

/// Has the browser keep all of the page, its lessons and what they show, and says how large that is.
#[component]
pub(in crate::app) fn KeepOffline() -> impl IntoView {
    let known = RwSignal::new(None::<OfflineStorage>);
    let busy = RwSignal::new(false);
    let listening =
        window_event_listener(Custom::<web_sys::CustomEvent>::new(KEPT), move |event| {
            let number = |at: u32| Reflect::get_u32(&event.detail(), at).ok()?.as_f64();
            if let (Some(kept), Some(all)) = (number(0), number(1)) {
                known.set(Some(OfflineStorage { kept, all }));
                busy.set(false);
            }
        });
    on_cleanup(move || listening.remove());
    say(ASK_KEPT);
    let keep = move |()| {
        busy.set(true);
        say(KEEP_ALL);
    };
    let is_whole = move || known.get().is_some_and(|known| known.kept >= known.all);
    let megabytes = |bytes: f64| format!("{:.1} MB", bytes / 1e6);
    let said = move || match known.get() {
        None => "This browser keeps nothing of the page, or not yet.".to_owned(),
        Some(known) if is_whole() => format!(
            "The page, its lessons and the presets they need are kept on this device: {}. They work without a network.",
            megabytes(known.all)
        ),
        Some(known) => format!(
            "{} of {} are kept on this device.",
            megabytes(known.kept),
            megabytes(known.all)
        ),
    };
    let idle = Signal::derive(move || known.get().is_none() || busy.get() || is_whole());
    view! {
        <section class="keep-offline">
            <h2>"Without a network"</h2>
            <p class="caption" aria-live="polite">{said}</p>
            <ActionButton text="Keep for offline" idle press=Callback::new(keep)/>
        </section>
    }
}
