//! A `<details>` section whose state is in the link.

use crate::app::controls::while_mounted::while_mounted;
use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;

/// A collapsible section of a view.
#[component]
pub(super) fn CollapsibleSection(
    /// CSS class.
    class: &'static str,
    /// Element id.
    #[prop(optional)]
    id: Option<&'static str>,
    /// Text of its summary line.
    summary: &'static str,
    /// Whether it is unfolded.
    unfolded: Memo<bool>,
    /// Stores in the link whether it is unfolded.
    set: impl Fn(bool) + 'static,
    children: Children,
) -> impl IntoView {
    let toggle = move |event: ev::Event| {
        let details = event.target();
        let details = details.and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let is_open = details.is_some_and(|details| details.has_attribute("open"));
        // Setting the attribute also fires the event; nothing has changed then.
        if is_open != unfolded.get_untracked() {
            set(is_open);
        }
    };
    view! {
        <details class=class id=id open=unfolded on:toggle=while_mounted(toggle)>
            <summary>{summary}</summary>
            {children()}
        </details>
    }
}
