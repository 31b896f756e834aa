//! Swin v2: a small network computes the bias from the offset, so there is no table.
//!
//! ```text
//! score(i, j) = cos(q_i, k_j) / τ + 16·σ(MLP(Δy, Δx))
//! ```
//!
//! Liu et al., Swin Transformer V2: Scaling Up Capacity and Resolution, CVPR 2022.

use super::{Detection, DetectionInput, Family};

#[derive(Clone, Copy, Debug)]
pub(super) struct SwinV2;

impl Family for SwinV2 {
    fn name(&self) -> &'static str {
        "Swin v2"
    }

    fn about(&self) -> &'static str {
        "A bias that a small network computes from the offset: nothing to show."
    }

    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        clues
            .tensor_containing("continuous_position_bias_mlp.")
            .or_else(|| clues.tensor_containing(".attn.cpb_mlp."))?;
        Some(Detection::nothing(
            "This is a Swin v2 by the names of its tensors. It stores no table of positions: in every layer a \
             small network computes a score from each offset, which is not read here. The first Swin has tables.",
        ))
    }
}
