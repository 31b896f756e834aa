//! The images view: attention heads that look at an offset from each pixel, the convolution they form together, and how
//! close the open model's heads come to one.
//!
//! The demonstration needs no model: image, kernel and heads are in the link, except the user's own image. The page
//! computes the attention of one pixel; the worker filters images.

mod choices;
mod demonstration;
mod filtered_image;
mod head_channels;
mod heads;
mod heads_as_text;
mod lemma_vectors;
mod model_figures;
mod open_head;
mod own_image;
mod query;
mod stored_heads;

use crate::app::state::PageState;
use choices::{ImageChoice, KernelChoice};
use demonstration::ImageDemonstration;
use filtered_image::FilteredImages;
use head_channels::HeadChannels;
use heads::ImageHeads;
use leptos::prelude::*;
use model_figures::ModelFigures;
use query::QueryAttentionCard;

/// The images view.
#[component]
pub(in crate::app) fn ImagesView() -> impl IntoView {
    let state = PageState::from_context();
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
                <HeadChannels/>
            </div>
            <ModelFigures/>
        </div>
    }
}
