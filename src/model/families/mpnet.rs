//! `MPNet`: a learned table as in BERT, and a bias by bucket of offsets as in T5.
//!
//! ```text
//! x_i = LayerNorm(word + E_i)      score(i, j) = q_i·k_j / √d_k + b[bucket(j − i)]
//! ```
//!
//! Positions begin in row 2 of the table, and there are 32 buckets up to a distance of 128, for any configuration: the
//! library hard-codes these numbers. Song et al., `MPNet`: Masked and Permuted Pre-training for Language Understanding,
//! `NeurIPS` 2020.

use super::{
    AttentionDescription, AttentionPositions, BlockDescription, Detection, DetectionInput, Family,
    HeadCounts, Leading, LinearTensors, Model, PositionTensors, SourceDescription, bert,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct MpNet;

const BIAS: &str = "encoder.relative_attention_bias.weight";
/// Distance up to which buckets widen.
const MAX_DISTANCE: u32 = 128;

impl Family for MpNet {
    fn name(&self) -> &'static str {
        "MPNet"
    }

    fn about(&self) -> &'static str {
        "A learned table, and a bias by bucket of distance."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let model = clues.model(bert::TABLE)?;
        let blocks = model.blocks(|at| block(&model, &format!("encoder.layer.{at}")));
        let bias = model.optional(BIAS);
        if blocks.is_empty() && bias.is_none() && !clues.says_alone(&["mpnet"]) {
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
            .blocks(&model, blocks)
            .masked_head(&model, bert::activation(model.config()));
        let bias = bias.map(|tensor| {
            let place = PositionTensors::Buckets {
                tensors: vec![tensor],
                max_distance: MAX_DISTANCE,
                bidirectional: true,
            };
            SourceDescription {
                description: table.description.clone(),
                ..SourceDescription::bias(&model, place)
                    .with_name("bias", "bias by distance")
                    .remark("Shared bias", "All layers add the same bias.")
            }
        });
        Detection::by_names("MPNet", [Some(table), bias].into_iter().flatten().collect())
    }
}

/// A block with norms after its two parts; all blocks add the same bias. ε = 1e-12 as in the library's `MPNetConfig`.
fn block(model: &Model<'_>, stem: &str) -> BlockDescription {
    let map = |name: &str| LinearTensors::new(model, &format!("{stem}.attention.attn.{name}"));
    let norm = format!("{stem}.attention.LayerNorm");
    let positions = model
        .optional(BIAS)
        .map(|tensor| AttentionPositions::Buckets {
            tensor,
            max_distance: MAX_DISTANCE,
            bidirectional: true,
        });
    let attention = AttentionDescription {
        positions: positions.unwrap_or(AttentionPositions::None),
        ..AttentionDescription::new(
            ["q", "k", "v", "o"].map(map),
            HeadCounts::new(model.config().heads),
            bert::post_norm(model, &norm, 1e-12),
        )
    };
    BlockDescription::new(attention, bert::feed_forward(model, stem, 1e-12))
}
