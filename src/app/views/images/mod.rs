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
mod model_figures;
mod open_head;
mod own_image;
mod query;
mod stored_heads;

use crate::app::state::page::PageState;
use choices::{ImageChoice, KernelChoice};
use demonstration::ImageDemonstration;
use filtered::FilteredImages;
use heads::ImageHeads;
use leptos::prelude::*;
use model_figures::ModelFigures;
use query::QueryAttentionCard;

/// The view.
#[component]
pub(in crate::app) fn ImagesView() -> impl IntoView {
    let state = PageState::from_context();
    state.settle(|link| &mut link.images);
    ImageDemonstration::provide(state);
    view! {
        <div class="view images">
            <div class="column">
                <section class="setup" aria-label="Image and kernel">
                    <ImageChoice/>
                    <KernelChoice/>
                </section>
                <ImageHeads/>
                <QueryAttentionCard/>
            </div>
            <div class="column">
                <FilteredImages/>
            </div>
            <ModelFigures/>
        </div>
    }
}
