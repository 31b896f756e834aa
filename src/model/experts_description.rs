//! Experts of feed-forward parts.

use super::LinearTensors;

/// Experts of a feed-forward part, of which a router chooses a few for each token (gpt-oss, 2025).
///
/// Each map of the part is then a stack of one map for each expert, with weights [experts, in, out] and biases
/// [experts, out]. Outputs of the inner map alternate between gate and inner width: g₀, u₀, g₁, u₁, … With the limit c an
/// expert computes output((clamp(u, −c, c) + 1) ⊙ a(min(g, c))). The part is the sum of the active experts, weighted by
/// the softmax of their router logits alone.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpertsDescription {
    /// Map to the logits of the router, [experts, hidden].
    pub router: LinearTensors,
    /// Number of experts that each token passes: those with the greatest logits.
    pub active: u32,
    /// The limit c of the numbers before the activation.
    pub limit: f64,
}
