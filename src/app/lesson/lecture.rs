//! The lecture's name: identifies a tab's presentation, and keeps the notes channels of several lectures in one browser
//! apart.

use leptos::{ev, leptos_dom::helpers::window_event_listener, prelude::window};
use std::cell::OnceCell;

/// Key of the name in session storage, where it is only while the page reloads.
const KEY: &str = "diagonal-lecture";

thread_local! {
    static NAME: OnceCell<String> = const { OnceCell::new() };
}

/// Returns the name of this tab's lecture: 16 random hexadecimal digits. A reload keeps it, so that an open notes
/// window follows the reloaded page.
pub(super) fn lecture_name() -> String {
    NAME.with(|name| name.get_or_init(begin).clone())
}

fn begin() -> String {
    let storage = || window().session_storage().ok().flatten();
    let before = storage().and_then(|storage| {
        let name = storage.get_item(KEY).ok().flatten();
        // A duplicated tab copies session storage but is another lecture, so the name is in the storage only during a
        // reload.
        // Ignored: removing an existing entry does not fail.
        let _ = storage.remove_item(KEY);
        name
    });
    let name = before.unwrap_or_else(random_id);
    let stored_name = name.clone();
    // Listens until the page is unloaded.
    window_event_listener(ev::Custom::<web_sys::Event>::new("pagehide"), move |_| {
        if let Some(storage) = storage() {
            // Ignored: if storage is refused or full, the notes have to be opened again after a reload.
            let _ = storage.set_item(KEY, &stored_name);
        }
    });
    name
}

/// Returns 64 random bits as 16 hexadecimal digits.
fn random_id() -> String {
    let word = || (js_sys::Math::random() * 2.0_f64.powi(32)) as u32;
    format!("{:08x}{:08x}", word(), word())
}
