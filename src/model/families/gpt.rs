//! GPT, the original: a learned table added to words, without a norm before the first attention.
//!
//! ```text
//! h_i = word + E_i      [q k v] = h·W + b      W stored [in, out]
//! ```
//!
//! Radford et al., Improving Language Understanding by Generative Pre-Training, 2018.

use super::{Cut, DetectionInput, Family, Found, Leading, SourceDescription};

#[derive(Clone, Copy, Debug)]
pub(super) struct Gpt;

const TABLE: &str = "positions_embed.weight";

impl Family for Gpt {
    fn name(&self) -> &'static str {
        "GPT"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions; norms come after the attention."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Found> {
        let model = clues.model(TABLE)?;
        let source = SourceDescription::table(&model, TABLE, Leading::None)
            .words(&model, "tokens_embed")
            .layers(model.fused_layers("h.{}.attn.c_attn", Cut::third_of_columns))
            .epsilon(1e-5)
            .usual_heads(&[])
            .causal();
        Found::by_names("GPT", vec![source])
    }
}
