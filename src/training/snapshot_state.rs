//! The state of a model at one step of its training, as the program that trains it knows it.

use crate::{
    analysis::HeadSummary,
    math::{LowRank, Scores, Tile},
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use small_transformer::{EvaluationReport, MeanAttention, PairEnergy, TisaKernel, Trainer};

/// The state of a model at one step. Positions and scores are in the weights; see [`super::TrainingReport`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SnapshotState {
    /// Number of steps done.
    pub step: u32,
    /// Number of tokens that the model has learned from.
    pub tokens: u64,
    /// Mean loss over the last 32 batches, each before its step, in nats; `None` at step 0.
    pub train_loss: Option<f64>,
    /// Mean loss on sequences that the model never learns from, in nats.
    pub held_out_loss: f64,
    /// Share of their targets that were the most probable symbol.
    pub held_out_accuracy: f64,
    /// Every head, layer by layer.
    pub heads: Vec<HeadState>,
    /// Every TISA kernel, layer by layer and head by head; none if the encoding has none.
    pub kernels: Vec<TisaKernel>,
    /// Every pair of numbers that turns, layer by layer, head by head, from the shortest wavelength on; none if the
    /// encoding turns nothing.
    pub pairs: Vec<PairEnergy>,
}

/// The attention of a head over a fixed batch that the model never learns from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadState {
    /// Index of the layer.
    pub layer: usize,
    /// Index of the head.
    pub head: usize,
    /// Offset with the greatest mean attention, k = j − i.
    pub peak_offset: i64,
    /// Mean attention at that offset.
    pub peak_share: f64,
    /// Mean attention at each offset k = −(n−1) … n−1.
    pub attention: Vec<f64>,
    /// The mean attention map, if the head has no scores without words.
    pub map: Option<MeanMap>,
}

/// How Toeplitz a mean attention map is, and its picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeanMap {
    /// Toeplitz R² over all cells; NaN if undefined.
    pub r2: f64,
    /// Toeplitz R² over the cells j ≤ i; NaN if undefined.
    pub causal_r2: f64,
    /// The map as block means.
    pub picture: Tile,
}

impl SnapshotState {
    /// The state of a model that an evaluation has found. `train_loss` is the mean loss of the last steps.
    pub(super) fn new(
        trainer: &Trainer,
        train_loss: Option<f64>,
        evaluation: EvaluationReport,
    ) -> Self {
        let EvaluationReport {
            score,
            heads,
            pairs,
        } = evaluation;
        let needs_maps = !trainer.recipe().encoding.has_positional_scores();
        Self {
            step: trainer.steps_done(),
            tokens: u64::from(trainer.steps_done()) * trainer.recipe().size.tokens() as u64,
            train_loss,
            held_out_loss: score.loss,
            held_out_accuracy: score.accuracy,
            heads: (heads.iter())
                .map(|attention| HeadState::new(attention, needs_maps))
                .collect(),
            kernels: trainer.kernels(),
            pairs,
        }
    }
}

impl HeadState {
    fn new(attention: &MeanAttention, needs_map: bool) -> Self {
        let by_offset = attention.by_offset();
        Self {
            layer: attention.layer,
            head: attention.head,
            peak_offset: by_offset.peak(),
            peak_share: by_offset.attention.iter().copied().fold(0.0, f64::max),
            attention: by_offset.attention,
            map: needs_map.then(|| MeanMap::new(attention)),
        }
    }
}

impl MeanMap {
    fn new(attention: &MeanAttention) -> Self {
        let n = attention.n;
        let map = Array2::from_shape_fn((n, n), |(i, j)| attention.mean[i * n + j] as f32);
        let scores = Scores::Product(LowRank::product(map, Array2::eye(n), 0.0), None);
        let plans = scores.plans();
        let summary = HeadSummary::new(&scores, attention.layer, attention.head, &plans);
        Self {
            r2: summary.r2,
            causal_r2: summary.causal_r2,
            picture: summary.thumbnail,
        }
    }
}
