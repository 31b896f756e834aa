//! Similarity of the positions of image patches.

use super::prelude::*;
use crate::{
    analysis::{
        HeadOffsetMaps, OtherGrid, PatchMaps, RESAMPLED_SIDES,
        patch_similarity::{no_patches, similarities},
        text_runs::LayerInput,
    },
    math::{Grid, Scores, Similarity},
};
use ndarray::Array2;

/// Similarities of all pairs of patches; if scores depend on the offset alone, score maps of the heads of a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PatchSimilarity {
    /// The model.
    pub of: ModelVersion,
    /// Similarity measure.
    pub similarity: Similarity,
    /// Another grid to which the table is resampled.
    pub other: Option<OtherGrid>,
    /// Layer whose heads are shown if there is no table.
    pub layer: usize,
}

impl SingleAnswer for PatchSimilarity {
    type Answer = PatchMaps;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<PatchMaps, Failure> {
        let model = context.session.model(self.of).await?;
        let grid = model.positions().grid().ok_or_else(no_patches)?;
        if let Some(table) = model.positions().table() {
            let side =
                |length: usize| length.clamp(*RESAMPLED_SIDES.start(), *RESAMPLED_SIDES.end());
            let other = self.other.map(|other| OtherGrid {
                grid: Grid {
                    height: side(other.grid.height),
                    width: side(other.grid.width),
                },
                ..other
            });
            let compare = Compare(table.compared_rows().clone(), grid, other, self.similarity);
            return Ok(context.compute(compare).await);
        }
        let input = LayerInput::Positions(ScoreMode::default());
        let (layers, heads) = model.some_heads(&input)?;
        let layer = self.layer.min(layers - 1);
        let scores = model.layer(&input, layer, context).await?;
        let map = |head: usize| match scores.head(head) {
            Scores::Grid(f) => Ok(f.profile().iter().map(|&v| v as f32).collect()),
            Scores::Product(..) | Scores::Toeplitz(_) => Err(no_patches()),
        };
        Ok(PatchMaps::ByHead(HeadOffsetMaps {
            layer,
            grid,
            heads: (0..heads).map(map).collect::<Result<_, _>>()?,
        }))
    }
}

/// Computes the similarities of a table's patches.
struct Compare(Array2<f32>, Grid, Option<OtherGrid>, Similarity);

impl Job for Compare {
    type Output = PatchMaps;

    async fn run(self, watch: &impl Progress) -> PatchMaps {
        let Self(table, grid, other, similarity) = self;
        PatchMaps::ByPatch(similarities(table, grid, other, similarity, watch).await)
    }
}
