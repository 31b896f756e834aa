//! Forward pass of a model over texts: every intermediate value is open, and no attention matrix is kept.
//!
//! [`ForwardPass`] is driven by the [`ModelDescription`](crate::model::ModelDescription) of the model's family; it
//! knows no family by name. A run embeds texts ([`ForwardPass::embed`]) and applies layer after layer
//! ([`ForwardPass::read_layer`], [`ForwardPass::apply`]) to a [`Batch`], in which texts lie one under another without
//! padding. An [`AttentionObserver`] sees the scores and the attention of every head. [`LayerAttention`] computes them
//! again from stored states, with the weights of [`ForwardPass::read_scores`] alone. [`ForwardPass::predict`] turns
//! last states into predictions of words, a slice of the vocabulary at a time.
//!
//! States are in single precision, sums of norms and of the softmax in double precision. Long computations await the
//! closure `pause` every few milliseconds, so that a caller can let other tasks run and drop the future to cancel.

mod activation;
mod apply_block;
mod batch;
mod block_weights;
mod convolution;
mod detection;
mod embedding;
mod error;
mod expert_weights;
mod forward_pass;
mod head_centers;
mod head_moments;
mod head_outputs;
mod layer_attention;
mod layer_sinks;
mod linear_map;
mod norm_weights;
mod observer;
mod position_terms;
mod position_weights;
mod prediction;
mod rotary_bounds;
mod rotary_energies;
mod rotary_heads;
mod rotation;
mod score_parts;
mod score_weights;
mod tensor_numbers;
mod word_rows;
mod word_states;

pub use batch::Batch;
pub use block_weights::{AttentionWeights, BlockWeights};
pub use embedding::Embedding;
pub use error::ForwardError;
pub use forward_pass::ForwardPass;
pub use head_centers::HeadCenters;
pub use head_moments::HeadMoments;
pub use head_outputs::HeadOutputProducts;
pub use layer_attention::LayerAttention;
pub use layer_sinks::LayerSinks;
pub use linear_map::LinearMap;
pub use norm_weights::NormWeights;
pub use observer::{AttentionObserver, HeadPlace};
pub use prediction::{TrueWord, WordPrediction, WordScore};
pub use rotary_bounds::RotaryBounds;
pub use rotary_energies::{ColumnEnergies, RotaryEnergies};
pub use rotary_heads::{RotaryHeads, RotatedPair};
pub use score_parts::{ScorePart, ScoreParts};
pub use score_weights::ScoreWeights;
