//! Placeholder for the heads of a model without query and key weights.

use crate::{
    analysis::ModelSummary,
    app::{figure::painter::mark_ready, state::ModelList},
    model::PositionKind,
    url_state::ModelRef,
};
use leptos::prelude::*;

/// The reason why there are no heads, and a button that opens a preset with heads.
#[component]
pub(super) fn NoHeads() -> impl IntoView {
    let models = ModelList::from_context();
    mark_ready();
    let preset = move |_| models.show(&ModelRef::Preset("minilm-l6".into()));
    let why = Memo::new(move |_| models.summary().map(|summary| why_no_heads(&summary)));
    view! {
        <section class="nothing">
            <h2>{move || why.get().map(|(heading, _)| heading)}</h2>
            <p>{move || why.get().map(|(_, sentence)| sentence)}</p>
            <button type="button" class="primary" on:click=preset>"Show minilm-l6"</button>
        </section>
    }
}

/// Returns a heading, and a sentence with the reason and a suggestion.
fn why_no_heads(summary: &ModelSummary) -> (&'static str, &'static str) {
    match summary.kind {
        PositionKind::Rotary => (
            "The heads of this model cannot be shown",
            "It rotates queries and keys by angles that grow with the position, so scores need queries and keys. The page reads them for models of Llama’s, Qwen’s, Gemma’s, GPT-NeoX’s and ModernBERT’s kind, from weights with token embeddings. Open another checkpoint, or use the one that comes with the page.",
        ),
        PositionKind::Patches => (
            "The heads of this model cannot be shown",
            "It rotates queries and keys by the patch’s row and column. Scores without an image need a part of queries and keys that all patches share: biases of queries and keys, or of the LayerNorm before them. The page finds none in these files, or not under names that it knows.",
        ),
        // An empty tensor name marks a computed table.
        PositionKind::Table if summary.tensor.is_empty() => (
            "This table has no heads",
            "Heads need query and key weights, which only a checkpoint has. Open your own, or use the one that comes with the page.",
        ),
        _ => (
            "There are no heads to show",
            "The open files have no query and key weights. Open a checkpoint that has them, or use the one that comes with the page.",
        ),
    }
}
