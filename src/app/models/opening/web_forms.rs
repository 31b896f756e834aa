//! Opening a model or a lesson by address or name: the form for a Hub model or an address, and the button of the gallery;
//! and the samples.

use super::{Opener, samples::Samples};
use crate::{
    app::{
        controls::while_mounted::while_mounted,
        lazy::lazy_view,
        state::{PageState, own_files::fetch_address},
    },
    url_state::ModelRef,
};
use leptos::prelude::*;

lazy_view! {
    /// The samples, and the form that opens a model by its name or address, as a lazy part.
    pub(in crate::app) const FROM_WEB = FromWeb in details;
}

/// The samples, the form for a name or an address, and the button that displays the gallery.
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
        <Samples/>
        <form class="from-web" on:submit=while_mounted(submit)>
            <label for="from-web">"Open from the web"</label>
            <input
                type="text"
                id="from-web"
                placeholder="e.g. gpt2 or https://…"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                bind:value=typed
            />
            <div>
                <button type="submit">"Open"</button>
                <button
                    type="button"
                    class="quiet"
                    id="gallery-button"
                    aria-expanded=move || state.models.is_gallery_open.get().to_string()
                    on:click=move |_| state.models.is_gallery_open.update(|is_open| *is_open = !*is_open)
                >
                    "Known models …"
                </button>
            </div>
        </form>
    }
}
