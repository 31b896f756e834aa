//! `MPNet`: a learned table as in BERT, and a bias by bucket of offsets as in T5.
//!
//! ```text
//! x_i = LayerNorm(word + E_i)      score(i, j) = q_i·k_j / √d_k + b[bucket(j − i)]
//! ```
//!
//! Positions begin in row 2 of the table, and there are 32 buckets up to a distance of 128, for any configuration: the
//! library hard-codes these numbers. Song et al., `MPNet`: Masked and Permuted Pre-training for Language Understanding,
//! `NeurIPS` 2020.

use super::{DetectionInput, Family, Found, Leading, PositionTensors, SourceDescription, bert};

#[derive(Clone, Copy, Debug)]
pub(super) struct MpNet;

const BIAS: &str = "encoder.relative_attention_bias.weight";

impl Family for MpNet {
    fn name(&self) -> &'static str {
        "MPNet"
    }

    fn about(&self) -> &'static str {
        "A learned table, and a bias by bucket of distance."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Found> {
        let model = clues.model(bert::TABLE)?;
        let layers = model.plain_layers(
            "encoder.layer.{}.attention.attn.q",
            "encoder.layer.{}.attention.attn.k",
        );
        let bias = model.optional(BIAS);
        if layers.is_empty() && bias.is_none() && !clues.says_alone(&["mpnet"]) {
            return None;
        }
        let leading = Leading::Offset {
            rows: 2,
            reason: "Positions begin after the padding row, which in MPNet is always row 1 counted from 0."
                .to_owned(),
        };
        let table = SourceDescription::table(&model, bert::TABLE, leading)
            .words(&model, "embeddings.word_embeddings")
            .norm(&model, &["embeddings.LayerNorm"])
            .layers(layers);
        let bias = bias.map(|tensor| {
            let place = PositionTensors::Buckets {
                tensors: vec![tensor],
                max_distance: 128,
                bidirectional: true,
            };
            SourceDescription::bias(&model, place)
                .named("bias", "bias by distance")
                .remark("Shared bias", "All layers add the same bias.")
        });
        Found::by_names("MPNet", [Some(table), bias].into_iter().flatten().collect())
    }
}
