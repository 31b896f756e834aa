//! The vectors v and r_δ of Lemma 2 for one head.

use crate::{
    figure::number,
    math::{HeadShape, PixelHead},
};
use leptos::prelude::*;

/// Prints v and r_δ of the open head, whose product is its score at the offset δ (slides, equation 15), and the score at its
/// centre.
#[component]
pub(super) fn LemmaVectors(
    /// The open head.
    head: Memo<Option<PixelHead>>,
) -> impl IntoView {
    let words = move || head.get().map(vector_words);
    view! { <p class="hint lemma-vectors">{words}</p> }
}

/// A sentence with the vectors of a head.
fn vector_words(head: PixelHead) -> String {
    let Some(v) = head.score_vector() else {
        return "A box is not a quadratic score: no v gives it. Its attention is 1/n on each of the n pixels inside."
            .to_owned();
    };
    let v: Vec<String> = v.iter().map(|&entry| number(entry)).collect();
    let (definition, r) = match head.shape {
        HeadShape::Oval(_) => (
            "−(M₁₁, M₂₂, 2M₁₂, −2(MΔ)₁, −2(MΔ)₂)",
            "(δ₁², δ₂², δ₁δ₂, δ₁, δ₂)",
        ),
        HeadShape::Round(_) | HeadShape::Box(_) => ("−α(1, −2Δ₁, −2Δ₂)", "(‖δ‖², δ₁, δ₂)"),
    };
    // At δ = Δ the quadratic score is zero, and v·r leaves out its value at δ = 0.
    let peak = number(-head.score((0.0, 0.0)));
    format!(
        "Lemma 2: v = {definition} = ({}) and r_δ = {r}. The score v·r_δ is greatest at δ = Δ: {peak}.",
        v.join(", ")
    )
}
