//! GPT, the original: a learned table added to words, without a norm before the first attention.
//!
//! ```text
//! h_i = word + E_i      [q k v] = h·W + b      W stored [in, out]
//! ```
//!
//! Radford et al., Improving Language Understanding by Generative Pre-Training, 2018.

use super::{
    Activation, BlockDescription, Detection, DetectionInput, Family, Leading, Model,
    ResidualDescription, SourceDescription, gpt2,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Gpt;

const TABLE: &str = "positions_embed.weight";

impl Family for Gpt {
    fn name(&self) -> &'static str {
        "GPT"
    }

    fn about(&self) -> &'static str {
        "Learned absolute positions; a LayerNorm follows the attention."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let model = clues.model(TABLE)?;
        let source = SourceDescription::table(&model, TABLE, Leading::None)
            .words(&model, "tokens_embed")
            .epsilon(1e-5)
            .usual_heads(&[])
            .causal()
            .blocks(&model, model.blocks(|at| block(&model, at)))
            .causal_head(&model, &["lm_head.weight"], true);
        Detection::by_names("GPT", vec![source])
    }
}

/// A block with norms after its two parts. The library's table of activations for this model gives the tanh form under
/// the name `gelu`, which is also its default (`ACT_FNS` in `modeling_openai.py`).
fn block(model: &Model<'_>, at: usize) -> BlockDescription {
    let default = Activation::GeluTanh;
    let activation = match Activation::from_config(model.config(), &["afn"], default) {
        Activation::Gelu => Activation::GeluTanh,
        other => other,
    };
    gpt2::fused_block(model, at, ResidualDescription::post_norm, activation)
}
