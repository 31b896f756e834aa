//! Attention on images: heads that look at a place beside each pixel, the convolution they make, and what the open
//! model does of it.

mod of_model;

use self::of_model::ModelFigures;
use leptos::prelude::*;

/// The view.
#[component]
pub(in crate::app) fn Images() -> impl IntoView {
    view! {
        <div class="view images">
            <div class="column"></div>
            <div class="column">
                <ModelFigures/>
            </div>
        </div>
    }
}
