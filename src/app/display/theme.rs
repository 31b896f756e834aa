//! Light or dark theme: the stored choice of the user, otherwise the system's setting.

use super::root::set_root_attribute;
use crate::figure::{DARK, LIGHT, Theme};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, closure::Closure};

const KEY: &str = "diagonal-theme";

/// The theme of figures: dark or light. The style sheet reads the same choice from `<html data-theme>`.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct Dark(RwSignal<bool>);

impl Dark {
    /// Returns the colours of the theme.
    pub(in crate::app) fn theme(self) -> &'static Theme {
        if self.0.get() { &DARK } else { &LIGHT }
    }
}

/// Provides the theme as context and keeps `<html data-theme>` up to date. An embedded page ignores the stored choice
/// and uses `prefers-color-scheme` alone, which follows the embedding page.
pub(in crate::app) fn provide_theme(is_embedded: bool) {
    let system = window()
        .match_media("(prefers-color-scheme: dark)")
        .ok()
        .flatten();
    let stored = stored_choice(KEY).filter(|_| !is_embedded);
    let dark = RwSignal::new(match stored.as_deref() {
        Some("dark") => true,
        Some("light") => false,
        _ => system
            .as_ref()
            .is_some_and(web_sys::MediaQueryList::matches),
    });
    if let (Some(system), None) = (system, stored) {
        let query = system.clone();
        let follow = Closure::<dyn Fn()>::new(move || {
            if is_embedded || stored_choice(KEY).is_none() {
                dark.set(query.matches());
            }
        });
        system.set_onchange(Some(follow.as_ref().unchecked_ref()));
        // The listener is never removed.
        follow.forget();
    }
    Effect::new(move || {
        let name = if dark.get() { "dark" } else { "light" };
        set_root_attribute("data-theme", Some(name));
    });
    provide_context(Dark(dark));
}

/// Returns the browser's storage. `None` in some private windows; a choice then lasts until the page is closed.
fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// Returns a stored choice.
pub(in crate::app) fn stored_choice(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Stores a choice.
pub(in crate::app) fn choose(key: &str, choice: &str) {
    if let Some(storage) = storage() {
        // Ignored: if storage is full or forbidden, the choice lasts until the page is closed.
        let _ = storage.set_item(key, choice);
    }
}

/// A button that switches between light and dark.
#[component]
pub(in crate::app) fn ThemeButton() -> impl IntoView {
    let Dark(dark) = expect_context();
    let switch = move |_| {
        dark.update(|dark| *dark = !*dark);
        let name = if dark.get_untracked() {
            "dark"
        } else {
            "light"
        };
        choose(KEY, name);
    };
    let label = move || {
        if dark.get() {
            "Switch to light paper"
        } else {
            "Switch to dark paper"
        }
    };
    view! {
        <button type="button" class="quiet" aria-label=label on:click=switch>
            {move || if dark.get() { "Light" } else { "Dark" }}
        </button>
    }
}
