//! Sizes of a model that matter before a text is run.

use super::PredictionKind;
use crate::math::AttentionMask;
use serde::{Deserialize, Serialize};

/// Sizes of a model that can be run over texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextSupport {
    /// Number of layers that a text passes. Those that share their weights count each time.
    pub layers: usize,
    /// Number of heads of a layer.
    pub heads: usize,
    /// Largest number of tokens of a text: the positions of the model, or as many as the memory for states holds.
    pub longest_text: usize,
    /// Whether the limit is the memory for states, instead of the model's positions.
    pub is_limited_by_memory: bool,
    /// Number of words in the model's word table.
    pub vocabulary: usize,
    /// Bytes of the weights of all layers, of which shared ones count once.
    pub layer_bytes: u64,
    /// Whether the weights are on a server, so that a run fetches them.
    pub is_remote: bool,
    /// Meaning of the model's predictions; `None` without a prediction head.
    pub predictions: Option<PredictionKind>,
    /// Mask of the attention.
    pub mask: AttentionMask,
}
