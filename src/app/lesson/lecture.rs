//! The name of the lecture that is held in this tab: it tells the channel to its notes from those of other lectures in
//! the same browser.

use leptos::{ev, leptos_dom::helpers::window_event_listener, prelude::window};
use std::cell::OnceCell;

/// The key of the name in the tab's storage, while the page is loaded again.
const KEY: &str = "diagonal-lecture";

thread_local! {
    static NAME: OnceCell<String> = const { OnceCell::new() };
}

/// The name of this tab's lecture: 16 hexadecimal digits, drawn once. A reload keeps it, so that the notes that are open
/// follow the page that comes.
pub(super) fn lecture_name() -> String {
    NAME.with(|name| name.get_or_init(begin).clone())
}

fn begin() -> String {
    let storage = || window().session_storage().ok().flatten();
    let before = storage().and_then(|storage| {
        let name = storage.get_item(KEY).ok().flatten();
        // A tab that is duplicated is another lecture, so the storage has the name only between two pages.
        // An entry that exists can be removed.
        let _ = storage.remove_item(KEY);
        name
    });
    let name = before.unwrap_or_else(drawn);
    let kept = name.clone();
    // It listens for as long as the page is there.
    window_event_listener(ev::Custom::<web_sys::Event>::new("pagehide"), move |_| {
        if let Some(storage) = storage() {
            // Where storage is refused or full, the notes have to be opened again.
            let _ = storage.set_item(KEY, &kept);
        }
    });
    name
}

/// 64 random bits.
fn drawn() -> String {
    let word = || (js_sys::Math::random() * 2.0_f64.powi(32)) as u32;
    format!("{:08x}{:08x}", word(), word())
}
