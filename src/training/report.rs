//! The state of a model at one step of its training, as figures show it.

use super::{HeadState, MeanMap, SnapshotState};
use crate::{
    analysis::{
        FitOptions, HeadSummary, KernelFit, MAX_LENGTH, MIN_LENGTH, PositionReport, ReadSnapshot,
        StoredScores,
    },
    math::Tile,
    model::ModelOptions,
};
use small_transformer::{PairEnergy, TisaKernel, TrainingRecipe};

/// The state of a model at one step of its training: [`SnapshotState`], and positions and scores from its weights.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingReport {
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
    /// The positions; `None` if the encoding has neither a table nor scores by offset.
    pub positions: Option<PositionReport>,
    /// Every head, layer by layer.
    pub heads: Vec<HeadReport>,
    /// Every TISA kernel, layer by layer and head by head.
    pub kernels: Vec<TisaKernel>,
    /// Where the kernels come from.
    pub kernel_source: KernelSource,
    /// Layer and head of each fit with its penalty, see [`KernelFit::penalty`]; none if the kernels are parameters.
    pub fit_penalties: Vec<((usize, usize), f64)>,
    /// Every pair of numbers that turns, layer by layer, head by head, from the shortest wavelength on; none if the
    /// encoding turns nothing.
    pub pairs: Vec<PairEnergy>,
}

/// Where the kernels of a report come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KernelSource {
    /// The model's parameters.
    #[default]
    Parameters,
    /// Fits to the positional scores F̂_P of each head.
    Fits,
}

/// Where the scores of a head come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadSource {
    /// From weights: the positional scores F̂_P.
    Weights,
    /// From data: mean attention over a fixed batch that the model never learns from.
    Attention,
}

/// A head at one step.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadReport {
    /// Index of the layer.
    pub layer: usize,
    /// Index of the head.
    pub head: usize,
    /// Where `r2`, `causal_r2` and `picture` come from.
    pub source: HeadSource,
    /// Toeplitz R² over all cells; NaN if undefined.
    pub r2: f64,
    /// Toeplitz R² over the cells j ≤ i; NaN if undefined.
    pub causal_r2: f64,
    /// Offset with the greatest mean attention, k = j − i.
    pub peak_offset: i64,
    /// Mean attention at that offset.
    pub peak_share: f64,
    /// Mean attention at each offset k = −(n−1) … n−1, over a fixed batch that the model never learns from.
    pub attention: Vec<f64>,
    /// The scores, or the mean attention, as block means.
    pub picture: Tile,
}

/// Options for opening a snapshot of a recipe: scores by offset are shown at the trained length. `None` if its scores
/// need words, so that it opens as no model.
#[must_use]
pub fn snapshot_options(recipe: &TrainingRecipe) -> Option<ModelOptions> {
    let encoding = recipe.encoding;
    let length = u32::try_from(recipe.size.n.clamp(MIN_LENGTH, MAX_LENGTH)).ok();
    encoding.has_positional_scores().then(|| ModelOptions {
        length: length.filter(|_| !encoding.has_table()),
        ..ModelOptions::default()
    })
}

impl TrainingReport {
    /// The state of a model with the scores of its weights. They are `None` if they need words, see
    /// [`small_transformer::EncodingName::has_positional_scores`]. Heads without either are left out.
    #[must_use]
    pub fn new(state: SnapshotState, scores: Option<StoredScores>) -> Self {
        let (positions, stored, fits) = match scores {
            Some(scores) => (Some(scores.positions), scores.heads, scores.fits),
            None => (None, Vec::new(), Vec::new()),
        };
        let fitted: Vec<TisaKernel> = fits.iter().flat_map(fitted_kernels).collect();
        let penalty = |fit: &KernelFit| ((fit.layer, fit.head), fit.penalty);
        let (kernels, kernel_source) = match fitted.is_empty() {
            true => (state.kernels, KernelSource::Parameters),
            false => (fitted, KernelSource::Fits),
        };
        // A bias that all layers share is stored as that of one layer.
        let is_shared = stored.iter().all(|head| head.layer == 0);
        let scores_of = |head: &HeadState| {
            let layer = if is_shared { 0 } else { head.layer };
            let is_same = |other: &&HeadSummary| (other.layer, other.head) == (layer, head.head);
            let summary = stored.iter().find(is_same).cloned();
            let summary = summary.map(|summary| MeanMap {
                r2: summary.r2,
                causal_r2: summary.causal_r2,
                picture: summary.thumbnail,
            });
            match summary {
                Some(scores) => Some((HeadSource::Weights, scores)),
                None => Some((HeadSource::Attention, head.map.clone()?)),
            }
        };
        let heads = state.heads.iter().filter_map(|head| {
            let (source, scores) = scores_of(head)?;
            Some(HeadReport {
                layer: head.layer,
                head: head.head,
                source,
                r2: scores.r2,
                causal_r2: scores.causal_r2,
                peak_offset: head.peak_offset,
                peak_share: head.peak_share,
                attention: head.attention.clone(),
                picture: scores.picture,
            })
        });
        Self {
            step: state.step,
            tokens: state.tokens,
            train_loss: state.train_loss,
            held_out_loss: state.held_out_loss,
            held_out_accuracy: state.held_out_accuracy,
            positions,
            heads: heads.collect(),
            kernels,
            kernel_source,
            fit_penalties: fits.iter().map(penalty).collect(),
            pairs: state.pairs,
        }
    }
}

impl TrainingReport {
    /// The state that it was made of, without what is read from weights alone.
    #[must_use]
    pub fn state(&self) -> SnapshotState {
        let head = |head: &HeadReport| HeadState {
            layer: head.layer,
            head: head.head,
            peak_offset: head.peak_offset,
            peak_share: head.peak_share,
            attention: head.attention.clone(),
            map: (head.source == HeadSource::Attention).then(|| MeanMap {
                r2: head.r2,
                causal_r2: head.causal_r2,
                picture: head.picture.clone(),
            }),
        };
        SnapshotState {
            step: self.step,
            tokens: self.tokens,
            train_loss: self.train_loss,
            held_out_loss: self.held_out_loss,
            held_out_accuracy: self.held_out_accuracy,
            heads: self.heads.iter().map(head).collect(),
            kernels: match self.kernel_source {
                KernelSource::Parameters => self.kernels.clone(),
                KernelSource::Fits => Vec::new(),
            },
            pairs: self.pairs.clone(),
        }
    }
}

/// The kernels of a fit.
fn fitted_kernels(fit: &KernelFit) -> impl Iterator<Item = TisaKernel> {
    let kernels = fit.kernels.0.iter().enumerate();
    kernels.map(|(at, kernel)| TisaKernel {
        layer: fit.layer,
        head: fit.head,
        kernel: at,
        a: kernel.a,
        b: kernel.b.abs(),
        c: kernel.c,
    })
}

/// Number of kernels that are fitted to the scores of a head: as many as TISA has in the usual recipes.
const FITTED_KERNELS: usize = 3;

/// How much is read from the weights of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotDetail {
    /// Positions and heads, for the first picture.
    Least,
    /// Also the spectra and densities of a table, for states between snapshots.
    Waves,
    /// Also a fit to the scores of every head, unless the encoding has kernels of its own.
    All,
}

/// The question for the positions and scores of a recipe's state. `None` if its scores need words, so that it opens as no
/// model.
#[must_use]
pub fn snapshot_question(recipe: &TrainingRecipe, detail: SnapshotDetail) -> Option<ReadSnapshot> {
    let options = snapshot_options(recipe)?;
    let with_fits = detail == SnapshotDetail::All && !recipe.encoding.has_kernels();
    Some(ReadSnapshot {
        options,
        waves: detail != SnapshotDetail::Least && recipe.encoding.has_table(),
        fit: with_fits.then(|| FitOptions {
            kernels: FITTED_KERNELS,
            ..FitOptions::default()
        }),
    })
}
