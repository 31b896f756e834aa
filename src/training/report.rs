//! The state of a model at one step of its training, as figures show it.

use crate::{
    analysis::{
        Brief, Failure, HeadList, HeadSummary, MAX_LENGTH, MIN_LENGTH, MemorySession,
        ModelOverview, ModelVersion, OpenModel, OpenResult, Origin, PositionKind, ScoreInput,
        Similarity, TILE_LIMIT, TableTile,
    },
    checkpoint::MemorySource,
    math::{LowRank, Scores, Tile},
    model::{ModelOptions, ScoreMode},
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use small_transformer::{MeanAttention, Trainer, TrainingError};

use super::snapshot_file::{CONFIG_FILE, WEIGHTS_FILE};

/// The state of a model at one step of its training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Every TISA kernel, layer by layer and head by head; none if the encoding has none.
    pub kernels: Vec<KernelReport>,
}

/// The positions of a model: its table, or the mean of its scores by offset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionReport {
    /// Inner products P = E·Eᵀ.
    pub inner_products: Brief,
    /// Cosines of the rows.
    pub cosines: Brief,
    /// The table E; `None` if there are only scores by offset.
    pub table: Option<Tile>,
}

/// Where the scores of a head come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeadSource {
    /// From weights: the positional scores F̂_P.
    Weights,
    /// From data: mean attention over a fixed batch that the model never learns from.
    Attention,
}

/// A head at one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// Input of a report, beside the trainer.
pub(super) struct ReportInput {
    /// The snapshot's file of weights.
    pub(super) weights: Vec<u8>,
    /// Its configuration.
    pub(super) config: Vec<u8>,
    /// Mean loss of the last steps.
    pub(super) train_loss: Option<f64>,
    /// Length of the sequences that it learns from.
    pub(super) length: usize,
}

/// Options that show scores by offset at the trained length. Tables have their own.
#[must_use]
pub fn at_length(n: usize) -> ModelOptions {
    let length = u32::try_from(n.clamp(MIN_LENGTH, MAX_LENGTH)).ok();
    ModelOptions {
        length,
        ..ModelOptions::default()
    }
}

/// The state of a model now.
///
/// # Errors
/// If the loss is infinite or no number.
pub(super) async fn report(
    trainer: &mut Trainer,
    input: ReportInput,
) -> Result<TrainingReport, TrainingError> {
    let score = trainer.evaluate()?;
    let stored = stored_scores(&input).await;
    let heads = trainer.mean_attention();
    let head = |attention: &MeanAttention| {
        let stored = stored.as_ref().map(|stored| &stored.heads);
        // A bias that all layers share is stored as that of one layer.
        let is_shared = stored.is_some_and(|heads| heads.iter().all(|head| head.layer == 0));
        let layer = if is_shared { 0 } else { attention.layer };
        let is_same = |head: &&HeadSummary| (head.layer, head.head) == (layer, attention.head);
        let stored = stored.and_then(|heads| heads.iter().find(is_same));
        head_report(attention, stored)
    };
    Ok(TrainingReport {
        step: trainer.steps_done(),
        tokens: u64::from(trainer.steps_done()) * trainer.recipe().size.tokens() as u64,
        train_loss: input.train_loss,
        held_out_loss: score.loss,
        held_out_accuracy: score.accuracy,
        heads: heads.iter().map(head).collect(),
        positions: stored.map(|stored| stored.positions),
        kernels: (trainer.kernels().iter())
            .map(|kernel| KernelReport {
                layer: kernel.layer,
                head: kernel.head,
                kernel: kernel.kernel,
                a: kernel.a,
                b: kernel.b,
                c: kernel.c,
            })
            .collect(),
    })
}

/// A head, by its scores from weights if there are any, otherwise by its attention.
fn head_report(attention: &MeanAttention, stored: Option<&HeadSummary>) -> HeadReport {
    let n = attention.n;
    let by_offset = attention.by_offset();
    let from_attention = || {
        let map = Array2::from_shape_fn((n, n), |(i, j)| attention.mean[i * n + j] as f32);
        let scores = Scores::Product(LowRank::product(map, Array2::eye(n), 0.0), None);
        HeadSummary::new(&scores, attention.layer, attention.head, &scores.plans())
    };
    let (source, summary) = match stored {
        Some(summary) => (HeadSource::Weights, summary.clone()),
        None => (HeadSource::Attention, from_attention()),
    };
    HeadReport {
        layer: attention.layer,
        head: attention.head,
        source,
        r2: summary.r2,
        causal_r2: summary.causal_r2,
        peak_offset: by_offset.peak(),
        peak_share: by_offset.attention.iter().copied().fold(0.0, f64::max),
        attention: by_offset.attention,
        picture: summary.thumbnail,
    }
}

/// Positions and heads as the reader of checkpoints finds them in a snapshot's files.
struct StoredScores {
    positions: PositionReport,
    heads: Vec<HeadSummary>,
}

/// Opens a snapshot's files. `None` if they have no positions that could be shown.
async fn stored_scores(input: &ReportInput) -> Option<StoredScores> {
    let session = MemorySession::default();
    let of = ModelVersion { id: 1, revision: 0 };
    let files = [(WEIGHTS_FILE, &input.weights), (CONFIG_FILE, &input.config)];
    let files = files.map(|(name, bytes)| (name.to_owned(), MemorySource::new(bytes.clone())));
    let opening = OpenModel {
        version: of,
        origin: Origin::Files,
        choice: at_length(input.length),
    };
    let Ok(OpenResult::Opened(summary)) = session.collect(opening, files.into()).await else {
        return None;
    };
    let overview = async |similarity| -> Result<Brief, Failure> {
        session
            .collect(ModelOverview { of, similarity }, Vec::new())
            .await
    };
    let table = TableTile {
        of,
        limit: TILE_LIMIT,
    };
    let heads = HeadList {
        of,
        input: ScoreInput::Positions(ScoreMode::default()),
    };
    Some(StoredScores {
        positions: PositionReport {
            inner_products: overview(Similarity::InnerProduct).await.ok()?,
            cosines: overview(Similarity::Cosine).await.ok()?,
            table: match summary.kind {
                PositionKind::Table => session.collect(table, Vec::new()).await.ok(),
                _ => None,
            },
        },
        heads: session.collect(heads, Vec::new()).await.unwrap_or_default(),
    })
}
