//! Light or dark: what the system says, until the person says otherwise.

use crate::figure::{DARK, LIGHT, Theme};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, closure::Closure};

const KEY: &str = "diagonal-theme";

/// The colours of figures; `<html data-theme>` carries the same choice for the style sheet.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct Dark(RwSignal<bool>);

impl Dark {
    /// What inks look like now.
    pub(in crate::app) fn theme(self) -> &'static Theme {
        if self.0.get() { &DARK } else { &LIGHT }
    }
}

/// Follows what was chosen; where another page embeds this one, what that page's colours are.
pub(in crate::app) fn provide_theme(is_embedded: bool) {
    let system = window()
        .match_media("(prefers-color-scheme: dark)")
        .ok()
        .flatten();
    let stored = chosen(KEY).filter(|_| !is_embedded);
    let dark = RwSignal::new(match stored.as_deref() {
        Some("dark") => true,
        Some("light") => false,
        _ => system
            .as_ref()
            .is_some_and(web_sys::MediaQueryList::matches),
    });
    if let (Some(system), None) = (system, stored) {
        let held = system.clone();
        let follow = Closure::<dyn Fn()>::new(move || {
            if is_embedded || chosen(KEY).is_none() {
                dark.set(held.matches());
            }
        });
        system.set_onchange(Some(follow.as_ref().unchecked_ref()));
        // It listens as long as the page is there.
        follow.forget();
    }
    Effect::new(move || {
        if let Some(root) = document().document_element() {
            // A data attribute can always be set.
            let _ = root.set_attribute("data-theme", if dark.get() { "dark" } else { "light" });
        }
    });
    provide_context(Dark(dark));
}

/// Storage is refused in some private windows; a choice then lasts as long as the page.
fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// What the person chose last, on this page or before.
pub(in crate::app) fn chosen(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Remembers what the person chooses.
pub(in crate::app) fn choose(key: &str, choice: &str) {
    if let Some(storage) = storage() {
        // A full or forbidden storage forgets the choice with the page.
        let _ = storage.set_item(key, choice);
    }
}

/// Switches between light and dark.
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
