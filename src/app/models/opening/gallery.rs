//! The gallery: well-known models by the kind of their positions. Choosing one fetches it from the Hub.

use super::{Opener, hub, paper_models::PaperModelList};
use crate::{
    app::{
        controls::focus::{focus_next, focusable},
        lazy::lazy_view,
        state::PageState,
    },
    model::{GALLERY, GalleryModel},
    url_state::ModelRef,
};
use leptos::prelude::*;

lazy_view! {
    /// The gallery, as a lazy part.
    pub(in crate::app) const GALLERY_PANEL = Gallery in lessons;
}

/// Closes the gallery and returns the focus to its button.
pub(super) fn close_gallery(state: PageState) {
    state.models.is_gallery_open.set(false);
    focus_next(|| focusable("#gallery-button"));
}

/// Models by the kind of their positions, and those of the TISA paper.
#[component]
fn Gallery() -> impl IntoView {
    let state = PageState::from_context();
    focus_next(|| focusable("#gallery-title"));
    let groups = GALLERY.iter().map(|&(title, models)| {
        let entries = models.iter().map(|model| view! { <GalleryEntry model/> });
        view! {
            <section>
                <h3>{title}</h3>
                <ul>{entries.collect_view()}</ul>
            </section>
        }
    });
    view! {
        <section class="chooser gallery" aria-labelledby="gallery-title">
            <header>
                <h2 id="gallery-title" tabindex="-1">"Known models"</h2>
                <button type="button" class="quiet" on:click=move |_| close_gallery(state)>"Cancel"</button>
            </header>
            <p class="caption">
                {format!("Choose a model to fetch it from {}. The page reads the header of its file, its configuration, and the tensors that a figure needs.", hub())}
            </p>
            <div class="groups">{groups.collect_view()}</div>
            <PaperModelList/>
        </section>
    }
}

/// A model, as a button that fetches it.
#[component]
fn GalleryEntry(model: &'static GalleryModel) -> impl IntoView {
    let state = PageState::from_context();
    let opener = Opener::from_context();
    let choose = move |_| {
        close_gallery(state);
        opener.fetch_chosen(ModelRef::Hub(model.name.to_owned()));
    };
    let shape = match model.shape {
        Some((rows, columns)) => format!("{rows} × {columns}"),
        None => "angles only".to_owned(),
    };
    view! {
        <li>
            <button type="button" data-hub=model.name on:click=choose>
                <span class="name">{model.name}</span>
                <span class="hint">{shape}</span>
                <span class="about">{model.look_for}</span>
            </button>
        </li>
    }
}
