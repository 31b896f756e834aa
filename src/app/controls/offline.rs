//! Offline use of the page. The script `www/offline.js` registers the service worker that stores the page. It is loaded
//! after the first figure, and reports when a newer version has been fetched.

use super::buttons::ActionButton;
use crate::app::{
    query_client::meta,
    state::{
        Messages,
        message::{Action, Message},
    },
};
use js_sys::Reflect;
use leptos::{ev::Custom, prelude::*};
use std::time::Duration;

/// Events exchanged with the script on `window`.
const NEWER: &str = "diagonal:newer";
const LOAD_NEWER: &str = "diagonal:load-newer";
const ASK_KEPT: &str = "diagonal:ask-kept";
const KEEP_ALL: &str = "diagonal:keep-all";
const STORED_KEY: &str = "diagonal:kept";

/// A browser that has not answered for this long stores nothing of the page.
const ANSWER_TIME: Duration = Duration::from_secs(4);

/// Loads the offline script, if the build names one.
pub(in crate::app) fn keep_page(messages: Messages) {
    let Some(script) = meta("offline") else {
        return;
    };
    let listening = window_event_listener(Custom::<web_sys::Event>::new(NEWER), move |_| {
        let message = Message::new("A newer version is available.");
        messages.push(message.with("Load it", Action::LoadNewer));
    });
    on_cleanup(move || listening.remove());
    let Ok(element) = document().create_element("script") else {
        return;
    };
    let set = [("type", "module"), ("src", &script)];
    let set = set.map(|(name, value)| element.set_attribute(name, value));
    if let (true, Some(head)) = (set.iter().all(Result::is_ok), document().head()) {
        // Ignored: without the script the page works as before.
        let _ = head.append_child(&element);
    }
}

/// Loads the newer version of the page.
pub(in crate::app) fn load_newer() {
    say(LOAD_NEWER);
}

fn say(word: &str) {
    if let Ok(event) = web_sys::Event::new(word) {
        // The event is not cancelable, so the result is always true.
        let _ = window().dispatch_event(&event);
    }
}

/// Bytes of the page that are stored in the browser, and bytes of all its files.
#[derive(Debug, Clone, Copy, PartialEq)]
struct OfflineStorage {
    stored_bytes: f64,
    all_bytes: f64,
}

/// Section that stores all files of the page, its lessons and their presets on the device, and shows their size.
#[component]
pub(in crate::app) fn KeepOffline() -> impl IntoView {
    let storage = RwSignal::new(None::<OfflineStorage>);
    let busy = RwSignal::new(false);
    let is_awaited = RwSignal::new(true);
    // Another view may be displayed by then.
    let end = move || {
        let _ = is_awaited.try_set(false);
    };
    set_timeout(end, ANSWER_TIME);
    let listening = window_event_listener(
        Custom::<web_sys::CustomEvent>::new(STORED_KEY),
        move |event| {
            let number = |at: u32| Reflect::get_u32(&event.detail(), at).ok()?.as_f64();
            if let (Some(stored_bytes), Some(all)) = (number(0), number(1)) {
                storage.set(Some(OfflineStorage {
                    stored_bytes,
                    all_bytes: all,
                }));
                busy.set(false);
            }
        },
    );
    on_cleanup(move || listening.remove());
    say(ASK_KEPT);
    let keep = move |()| {
        busy.set(true);
        say(KEEP_ALL);
    };
    let is_whole = move || {
        storage
            .get()
            .is_some_and(|storage| storage.stored_bytes >= storage.all_bytes)
    };
    let megabytes = |bytes: f64| format!("{:.1} MB", bytes / 1e6);
    let message = move || {
        match storage.get() {
        None if is_awaited.get() => "Asking the browser what it has stored …".to_owned(),
        None => "This browser has not stored the page, so it needs a network. Browsers store pages whose address begins with https, except in private windows.".to_owned(),
        Some(storage) if is_whole() => format!(
            "The page, its lessons and the presets they need are saved on this device: {}. They work offline.",
            megabytes(storage.all_bytes)
        ),
        Some(storage) => format!(
            "{} of {} are saved on this device: the page, without all lessons and presets.",
            megabytes(storage.stored_bytes),
            megabytes(storage.all_bytes)
        ),
    }
    };
    let idle = Signal::derive(move || storage.get().is_none() || busy.get() || is_whole());
    view! {
        <section class="keep-offline">
            <h2>"Offline use"</h2>
            <p class="caption" aria-live="polite">{message}</p>
            <div hidden=move || storage.with(Option::is_none)>
                <ActionButton text="Save for offline use" idle press=Callback::new(keep)/>
            </div>
        </section>
    }
}
