//! Positions and heads of a snapshot of a run.

use super::{head_fits::FitHead, prelude::*};
use crate::{
    analysis::{
        Brief, FitOptions, HeadSummary, KernelFit, Similarity, SnapshotWaves, TILE_LIMIT,
        loaded_model::LoadedModel,
        opening::open_files,
        text_runs::LayerInput,
        waves::{load_waves, snapshot_waves},
    },
    math::{Tile, Window},
    model::{ModelOptions, PositionKind, PositionModel},
};
use futures_util::{TryStreamExt, stream};
use std::rc::Rc;

/// Reads positions and heads from a snapshot's files, which come with the question. The snapshot does not become an open
/// model, so that a run may ask many times a second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadSnapshot {
    /// Options for opening the files.
    pub options: ModelOptions,
    /// Whether spectra and densities of the table are computed. Their code is loaded first.
    pub waves: bool,
    /// Options of a fit of kernels to the scores of every head; `None` for no fits.
    pub fit: Option<FitOptions>,
}

/// Positions and heads of a snapshot, as all views show them once it is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredScores {
    /// The positions.
    pub positions: PositionReport,
    /// Every head by its positional scores, layer by layer.
    pub heads: Vec<HeadSummary>,
    /// Kernels fitted to the scores of those heads that have a fit.
    pub fits: Vec<KernelFit>,
}

/// The positions of a snapshot: its table, or the mean of its scores by offset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionReport {
    /// Inner products P = E·Eᵀ.
    pub inner_products: Brief,
    /// Cosines of the rows.
    pub cosines: Brief,
    /// The table E; `None` if there are only scores by offset.
    pub table: Option<Tile>,
    /// Spectra and densities of the table; `None` if there is none, or the question did not ask for them.
    pub waves: Option<SnapshotWaves>,
}

impl SingleAnswer for ReadSnapshot {
    type Answer = StoredScores;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        None
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<StoredScores, Failure> {
        let file = open_files(context.take_files()).await?;
        let config = file.config.as_ref();
        let model = PositionModel::open(&file.checkpoint, config, &self.options).await?;
        let model = LoadedModel::from_model(Rc::new(file), model);
        let rows = match model.positions().kind() {
            PositionKind::Table => model.positions().rows(),
            _ => None,
        };
        let table = rows.as_ref().map(|rows| {
            let (n, width) = rows.dim();
            Tile::from_matrix(rows.view(), Window::whole(n, width), TILE_LIMIT)
        });
        let waves = match rows.as_ref().filter(|_| self.waves) {
            Some(rows) => {
                load_waves().await?;
                Some(snapshot_waves(rows.view()).await?)
            }
            None => None,
        };
        let input = LayerInput::Positions(ScoreMode::default());
        let (layers, _) = model.size(&input).unwrap_or_default();
        let mut scores = model.heads(&input, 0..layers, context);
        let (mut heads, mut jobs) = (Vec::new(), Vec::new());
        while let Some(((layer, head), scores)) = scores.try_next().await? {
            heads.push(HeadSummary::new(&scores, layer, head, &scores.plans()));
            let fit = self.fit.map(|fit| FitHead::new(scores, (layer, head), fit));
            jobs.extend(fit.map(Ok));
        }
        let positions = PositionReport {
            inner_products: context.brief(&model, Similarity::InnerProduct).await?,
            cosines: context.brief(&model, Similarity::Cosine).await?,
            table,
            waves,
        };
        let fits: Vec<Result<KernelFit, String>> =
            context.spread(stream::iter(jobs)).try_collect().await?;
        Ok(StoredScores {
            positions,
            heads,
            fits: fits.into_iter().flatten().collect(),
        })
    }
}
