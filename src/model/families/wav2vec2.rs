//! wav2vec 2.0 and related models: a convolution over sound frames takes the place of positions.
//!
//! ```text
//! h = x + GELU(conv(x))      a grouped convolution over 128 frames
//! ```
//!
//! Baevski et al., wav2vec 2.0, `NeurIPS` 2020; `HuBERT`, `WavLM` and data2vec's audio model do the same.

use super::{Detection, DetectionInput, Family, Model, PositionTensors, SourceDescription};

#[derive(Clone, Copy, Debug)]
pub(super) struct Wav2Vec2;

/// Name of `WavLM`'s scores by bucket of distance. The first layer stores them, and all layers add them.
const WAVLM_BIAS: &str = "encoder.layers.0.attention.rel_attn_embed.weight";
/// Maximum distance of its buckets, as in `WavLMConfig`.
const WAVLM_DISTANCE: u32 = 800;

impl Family for Wav2Vec2 {
    fn name(&self) -> &'static str {
        "wav2vec 2.0"
    }

    fn about(&self) -> &'static str {
        "A convolution over sound instead of positions; in WavLM a bias by distance, too."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        clues.tensor_containing("pos_conv")?;
        if let Some(model) = clues.model(WAVLM_BIAS) {
            return Detection::by_names("WavLM", vec![wavlm(&model)]);
        }
        Some(Detection::nothing(
            "This model stores no positions: by the names of its tensors it has a convolution over neighbouring frames instead, as in wav2vec 2.0. There is no row per position and no score per offset to show.",
        ))
    }
}

/// `WavLM` adds T5's bias to the convolution (Chen et al., `WavLM`, 2022, section III-A).
fn wavlm(model: &Model<'_>) -> SourceDescription {
    let config = model.config();
    let place = PositionTensors::Buckets {
        tensors: vec![model.name(WAVLM_BIAS)],
        max_distance: config
            .count("max_bucket_distance")
            .unwrap_or(WAVLM_DISTANCE),
        bidirectional: true,
    };
    SourceDescription::bias(model, place)
        .remark("Shared bias", "All layers add the bias of the first.")
        .remark(
            "Gate",
            "In the model each query scales this bias by a gate that depends on its content. The figures show the bias itself.",
        )
        .remark(
            "Convolution",
            "A convolution over neighbouring frames adds position as well, before the first layer. It is not shown.",
        )
}
