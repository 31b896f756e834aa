//! The state of a model at one step of its training, as the program that trains it knows it.

use crate::{
    analysis::HeadSummary,
    math::{LowRank, Scores, Tile},
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use small_transformer::{MeanAttention, PairEnergy, TisaKernel, Trainer, TrainingError};

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
    pub kernels: Vec<KernelReport>,
    /// Every pair of numbers that turns, layer by layer, head by head, from the shortest wavelength on; none if the
    /// encoding turns nothing.
    pub pairs: Vec<PairReport>,
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

/// A kernel a·exp(−b(k − c)²) at one step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct KernelReport {
    /// Index of the layer.
    pub layer: usize,
    /// Index of the head.
    pub head: usize,
    /// Index of the kernel within its head.
    pub kernel: usize,
    /// Amplitude, in units of scores.
    pub a: f64,
    /// Sharpness, positive, in 1/tokens².
    pub b: f64,
    /// Centre, in tokens.
    pub c: f64,
}

/// Energy at one step of a pair of numbers of a head that rotary positions turn together, over a fixed batch that the
/// model never learns from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PairReport {
    /// Index of the layer.
    pub layer: usize,
    /// Index of the head.
    pub head: usize,
    /// Index of the pair, by wavelength.
    pub pair: usize,
    /// Number of tokens after which it has turned once.
    pub wavelength: f64,
    /// Mean squared length of the queries' part, over tokens.
    pub query: f64,
    /// Mean squared length of the keys' part, over tokens.
    pub key: f64,
    /// Mean of the pair's shares of the energy of all numbers of the head's queries, and of its keys, also of those that
    /// do not turn; NaN where either has none.
    pub share: f64,
}

impl SnapshotState {
    /// The state of a model now. `train_loss` is the mean loss of the last steps.
    ///
    /// # Errors
    /// If the loss is infinite or no number.
    pub(super) fn new(
        trainer: &mut Trainer,
        train_loss: Option<f64>,
    ) -> Result<Self, TrainingError> {
        let score = trainer.evaluate()?;
        let needs_maps = !trainer.recipe().encoding.has_positional_scores();
        let heads = trainer.mean_attention();
        Ok(Self {
            step: trainer.steps_done(),
            tokens: u64::from(trainer.steps_done()) * trainer.recipe().size.tokens() as u64,
            train_loss,
            held_out_loss: score.loss,
            held_out_accuracy: score.accuracy,
            heads: (heads.iter())
                .map(|attention| HeadState::new(attention, needs_maps))
                .collect(),
            pairs: (trainer.pair_energies().into_iter())
                .map(PairReport::new)
                .collect(),
            kernels: trainer
                .kernels()
                .into_iter()
                .map(KernelReport::new)
                .collect(),
        })
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

impl PairReport {
    fn new(energy: PairEnergy) -> Self {
        Self {
            layer: energy.layer,
            head: energy.head,
            pair: energy.pair,
            wavelength: energy.wavelength,
            query: energy.query,
            key: energy.key,
            share: energy.share,
        }
    }
}

impl KernelReport {
    fn new(kernel: TisaKernel) -> Self {
        Self {
            layer: kernel.layer,
            head: kernel.head,
            kernel: kernel.kernel,
            a: kernel.a,
            b: kernel.b,
            c: kernel.c,
        }
    }
}
