//! Opening a model or a lesson by address or name: a Hub model, a file at an address, the models of the TISA paper.

use super::Opener;
use crate::app::lazy::lazy_view;
use crate::{
    app::{
        controls::mounted::while_mounted,
        state::{PageState, own_files::fetch_address},
    },
    url_state::ModelRef,
};
use leptos::prelude::*;

lazy_view! {
    /// The form that opens a model by its name or address, as a lazy part.
    pub(in crate::app) const FROM_WEB = FromWeb in details;
}

/// The form for a name or an address, and the button that displays the paper's models.
#[component]
fn FromWeb() -> impl IntoView {
    let state = PageState::from_context();
    let opener = Opener::from_context();
    let typed = RwSignal::new(String::new());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let name = typed.get_untracked().trim().to_owned();
        if name.contains("://") && name.ends_with(".md") {
            fetch_address(state, opener.client, name);
            typed.set(String::new());
        } else if !name.is_empty() {
            let model = if name.contains("://") {
                ModelRef::Url(name)
            } else {
                ModelRef::Hub(name)
            };
            opener.fetch(vec![model], false, true);
            typed.set(String::new());
        }
    };
    view! {
        <form class="from-web" on:submit=while_mounted(submit)>
            <label for="from-web">"Open from the web"</label>
            <div>
                <input
                    type="text"
                    id="from-web"
                    placeholder="org/model or https://…"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    bind:value=typed
                />
                <button type="submit">"Open"</button>
            </div>
        </form>
        <button
            type="button"
            class="quiet folder"
            aria-expanded=move || state.models.lists_paper.get().to_string()
            on:click=move |_| state.models.lists_paper.update(|shown| *shown = !*shown)
        >
            "TISA paper’s models …"
        </button>
    }
}
