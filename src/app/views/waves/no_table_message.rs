//! Placeholder for the waves of a model without a position table.

use crate::{
    app::{figure::painter::mark_ready, state::ModelList},
    url_state::ModelRef,
};
use leptos::prelude::*;

/// The reason why there are no waves, once for the whole view, and a button that opens a preset with a table.
#[component]
pub(super) fn NoTableMessage() -> impl IntoView {
    let models = ModelList::from_context();
    mark_ready();
    let preset = move |_| models.show(&ModelRef::Preset("minilm-l6".into()));
    view! {
        <section class="nothing">
            <h2>"This model has no position table"</h2>
            <p>"Its positions add a score for each offset, without embeddings. This view looks for waves in the columns of a position table. Open a model that has one, such as BERT or GPT-2, or use the one that comes with the page."</p>
            <button type="button" class="primary" on:click=preset>"Show minilm-l6"</button>
        </section>
    }
}
