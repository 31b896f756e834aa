//! BERT whose scores have a bias by bucket of offsets as in T5, shared by all layers, and no table.
//!
//! ```text
//! score(i, j) = q_i·k_j / √d_k + b[bucket(j − i)]
//! ```
//!
//! Raffel et al., Exploring the Limits of Transfer Learning, 2020, section 2.1. Models that are trained on this page with
//! T5's buckets have this form; their bias is called as in `MPNet`.

use super::{
    AttentionPositions, Detection, DetectionInput, Family, Leading, Model, PositionTensors,
    SourceDescription, bert,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct BertBuckets;

const BIAS: &str = "encoder.relative_attention_bias.weight";

/// Distance up to which buckets widen, if the configuration has none.
const MAX_DISTANCE: u32 = 128;

impl Family for BertBuckets {
    fn name(&self) -> &'static str {
        "BERT, bias by bucket"
    }

    fn about(&self) -> &'static str {
        "A learned score for every bucket of distance, in place of a table."
    }

    /// Called only if the configuration names the bias.
    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        let model = clues.model(BIAS)?;
        Detection::by_names(self.name(), vec![source(&model)])
    }
}

fn source(model: &Model<'_>) -> SourceDescription {
    let config = model.config();
    let max_distance = config
        .count("relative_attention_max_distance")
        .unwrap_or(MAX_DISTANCE);
    let bidirectional = config.flag("is_decoder") != Some(true);
    let tensor = model.name(BIAS);
    let mut source = bert::source(model, Leading::None)
        .with_name("bias", "bias by distance")
        .describe(|description| {
            description.embedding.positions = None;
            for block in &mut description.blocks {
                block.attention.positions = AttentionPositions::Buckets {
                    tensor: tensor.clone(),
                    max_distance,
                    bidirectional,
                };
            }
        });
    source.positions = PositionTensors::Buckets {
        tensors: vec![tensor],
        max_distance,
        bidirectional,
    };
    source.remark("Shared bias", "All layers add the same bias.")
}
