//! A section that is folded until somebody wants it. Whether it is unfolded is part of the link.

use crate::{
    app::{controls::mounted::while_mounted, state::page::PageState},
    url_state::KernelQuestions,
};
use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;

/// The section.
#[component]
pub(super) fn CollapsibleSection(
    /// What the style sheet calls it.
    class: &'static str,
    /// Its identifier.
    #[prop(optional)]
    id: Option<&'static str>,
    /// What stands on its fold.
    summary: &'static str,
    /// Whether it is unfolded.
    unfolded: Memo<bool>,
    /// Says so in the link.
    set: fn(&mut KernelQuestions, bool),
    children: Children,
) -> impl IntoView {
    let state = PageState::from_context();
    let toggle = move |event: ev::Event| {
        let details = event.target();
        let details = details.and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let is_open = details.is_some_and(|details| details.has_attribute("open"));
        // Setting the attribute toggles, too, and changes nothing.
        if is_open != unfolded.get_untracked() {
            state
                .link
                .update(|link| link.kernel_questions.change(|asked| set(asked, is_open)));
        }
    };
    view! {
        <details class=class id=id open=unfolded on:toggle=while_mounted(toggle)>
            <summary>{summary}</summary>
            {children()}
        </details>
    }
}
