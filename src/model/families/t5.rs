//! T5: no table, but a bias per bucket of offsets and head.
//!
//! ```text
//! score(i, j) = q_i·k_j + b[bucket(j − i)]
//! ```
//!
//! The bias of the first layer is used in all layers; in umT5 every layer has its own. Raffel et al., Exploring the
//! Limits of Transfer Learning with a Unified Text-to-Text Transformer, JMLR 2020.

use super::{DetectionInput, Family, Found, PositionTensors, SourceDescription};

#[derive(Clone, Copy, Debug)]
pub(super) struct T5;

/// Maximum distance of the buckets, unless configured.
const MAX_DISTANCE: u32 = 128;

impl Family for T5 {
    fn name(&self) -> &'static str {
        "T5"
    }

    fn about(&self) -> &'static str {
        "A bias by bucket of distance, added to the scores."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Found> {
        let sources = [half(clues, "encoder"), half(clues, "decoder")];
        Found::by_names("T5", sources.into_iter().flatten().collect())
    }
}

/// The encoder attends in both directions, the decoder only to earlier positions.
fn half(clues: &DetectionInput<'_>, name: &str) -> Option<SourceDescription> {
    let bias = format!("{name}.block.{{}}.layer.0.SelfAttention.relative_attention_bias.weight");
    let model = clues.model(&bias.replace("{}", "0"))?;
    let config = model.config();
    let tensors = model.in_layers(&bias);
    let shared = tensors.len() == 1;
    let place = PositionTensors::Buckets {
        tensors,
        max_distance: config
            .count("relative_attention_max_distance")
            .unwrap_or(MAX_DISTANCE),
        bidirectional: name == "encoder",
    };
    let mut source = SourceDescription::bias(&model, place)
        .named(name, name)
        .unscaled();
    if name == "decoder" {
        source = source.causal();
    }
    if shared {
        source = source.remark("Shared bias", "All layers add the bias of the first.");
    }
    Some(source)
}
