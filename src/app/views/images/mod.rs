//! Attention on images: heads that look at a place beside each pixel, the convolution they make, and what the open
//! model does of it.
//!
//! The demonstration needs no model: an image, a kernel and heads, all in the link but for somebody's own image. The
//! page computes what one pixel sees; the worker filters images.

mod choices;
mod demonstration;
mod filtered;
mod heads;
mod heads_as_text;
mod of_model;
mod open_head;
mod own_image;
mod query;
mod stored_heads;

use self::{
    choices::{ImageChoice, KernelChoice},
    demonstration::Demonstration,
    filtered::FilteredImages,
    heads::Heads,
    of_model::ModelFigures,
    query::Query,
};
use crate::app::state::State;
use leptos::prelude::*;

/// The view.
#[component]
pub(in crate::app) fn Images() -> impl IntoView {
    let state = State::from_context();
    state.settle(|link| &mut link.images);
    Demonstration::provide(state);
    view! {
        <div class="view images">
            <div class="column">
                <section class="setup" aria-label="Image and kernel">
                    <ImageChoice/>
                    <KernelChoice/>
                </section>
                <Heads/>
                <Query/>
            </div>
            <div class="column">
                <FilteredImages/>
            </div>
            <ModelFigures/>
        </div>
    }
}
