//! `DistilBERT`: BERT without token types, with its own names for the attention.
//!
//! ```text
//! x_i = LayerNorm(word + E_i)
//! ```
//!
//! Sanh et al., `DistilBERT`, a distilled version of BERT, 2019.

use super::{
    Activation, AttentionDescription, BlockDescription, Detection, DetectionInput, Family,
    FeedForwardDescription, HeadCounts, Leading, LinearTensors, Model, NormDescription,
    ResidualDescription, SourceDescription, bert,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct DistilBert;

impl Family for DistilBert {
    fn name(&self) -> &'static str {
        "DistilBERT"
    }

    fn about(&self) -> &'static str {
        "BERT without token types."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let model = clues.model(bert::TABLE)?;
        let blocks = model.blocks(|at| block(&model, &format!("transformer.layer.{at}")));
        if blocks.is_empty() && !clues.says_alone(&["distilbert"]) {
            return None;
        }
        let mut source = SourceDescription::table(&model, bert::TABLE, Leading::None)
            .words(&model, "embeddings.word_embeddings")
            .norm(&model, &["embeddings.LayerNorm"])
            .blocks(&model, blocks)
            .masked_head(&model, activation(&model));
        if model.config().flag("sinusoidal_pos_embds") == Some(true) {
            source = source.remark(
                "Fixed positions",
                "The configuration says that this table was computed, not learned.",
            );
        }
        Detection::by_names("DistilBERT", vec![source])
    }
}

/// The configured activation, or that of the library's `DistilBertConfig`.
fn activation(model: &Model<'_>) -> Activation {
    Activation::from_config(model.config(), &["activation"], Activation::Gelu)
}

/// A block with norms after its two parts. The library hard-codes their epsilon.
fn block(model: &Model<'_>, stem: &str) -> BlockDescription {
    let map = |name: &str| LinearTensors::new(model, &format!("{stem}.{name}"));
    let norm = |name: &str| {
        let norm = NormDescription::layer(model, &format!("{stem}.{name}"), 1e-12);
        ResidualDescription::post_norm(norm)
    };
    let maps = ["q_lin", "k_lin", "v_lin", "out_lin"].map(|name| map(&format!("attention.{name}")));
    let heads = HeadCounts::new(model.config().heads);
    BlockDescription::new(
        AttentionDescription::new(maps, heads, norm("sa_layer_norm")),
        FeedForwardDescription::plain(
            map("ffn.lin1"),
            map("ffn.lin2"),
            activation(model),
            norm("output_layer_norm"),
        ),
    )
}
