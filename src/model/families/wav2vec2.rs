//! wav2vec 2.0 and related models: a convolution over sound frames takes the place of positions.
//!
//! ```text
//! h = x + GELU(conv(x))      a grouped convolution over 128 frames
//! ```
//!
//! Baevski et al., wav2vec 2.0, `NeurIPS` 2020; `HuBERT`, `WavLM` and data2vec's audio model do the same.

use super::{Detection, DetectionInput, Family};

#[derive(Clone, Copy, Debug)]
pub(super) struct Wav2Vec2;

impl Family for Wav2Vec2 {
    fn name(&self) -> &'static str {
        "wav2vec 2.0"
    }

    fn about(&self) -> &'static str {
        "A convolution over sound instead of positions: nothing to show."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        clues.tensor_containing("pos_conv")?;
        Some(Detection::nothing(
            "This model stores no positions: by the names of its tensors it has a convolution over neighbouring frames instead, as in wav2vec 2.0. There is no row per position and no score per offset to show.",
        ))
    }
}
