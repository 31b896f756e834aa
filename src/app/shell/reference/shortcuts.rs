//! The list of keyboard shortcuts.

use crate::page_reference::{GESTURES, SHORTCUTS, Shortcut, ShortcutGroup, key_label};
use leptos::prelude::*;

/// The shortcuts, by the place where they work.
#[component]
pub(super) fn ShortcutList() -> impl IntoView {
    let groups = SHORTCUTS
        .iter()
        .map(|group| view! { <ShortcutSection group/> });
    let gestures = GESTURES.iter().map(|gesture| {
        view! {
            <div>
                <dt>{gesture.gesture}</dt>
                <dd>{gesture.action}</dd>
            </div>
        }
    });
    view! {
        <div class="shortcuts">
            {groups.collect_view()}
            <section>
                <h3>"With the pointer in a matrix"</h3>
                <dl>{gestures.collect_view()}</dl>
            </section>
        </div>
    }
}

#[component]
fn ShortcutSection(group: &'static ShortcutGroup) -> impl IntoView {
    let rows = group
        .shortcuts
        .iter()
        .map(|shortcut| view! { <ShortcutRow shortcut/> });
    view! {
        <section>
            <h3>{group.place}</h3>
            <dl>{rows.collect_view()}</dl>
        </section>
    }
}

#[component]
fn ShortcutRow(shortcut: &'static Shortcut) -> impl IntoView {
    let key = |name| view! { <kbd>{key_label(name)}</kbd> };
    let chord = |keys: &&'static str| {
        let keys: Vec<_> = parts(keys).into_iter().map(key).collect();
        view! { <span>{keys}</span> }
    };
    view! {
        <div>
            <dt>{shortcut.keys.iter().map(chord).collect_view()}</dt>
            <dd>{shortcut.action}</dd>
        </div>
    }
}

/// Splits a shortcut into its modifiers and its key, which may be `+` itself.
fn parts(keys: &'static str) -> Vec<&'static str> {
    match keys {
        "+" => vec![keys],
        _ => keys.split('+').collect(),
    }
}
