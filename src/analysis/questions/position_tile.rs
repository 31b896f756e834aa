//! A window of the position matrix.

use super::prelude::*;
use crate::{
    analysis::{Device, FINEST_TILE, MatrixPart, Similarity},
    math::{Tile, Window},
};

/// A window of the position matrix, of its Toeplitz part, or of the residual.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionTile {
    /// The model.
    pub of: ModelVersion,
    /// Similarity measure.
    pub similarity: Similarity,
    /// The matrix or a part of it.
    pub part: MatrixPart,
    /// Rows and columns; `None` for all.
    pub window: Option<Window>,
    /// Maximum number of blocks per side.
    pub limit: usize,
}

impl SingleAnswer for PositionTile {
    type Answer = Tile;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<Tile, Failure> {
        let model = context.session.model(self.of).await?;
        let compared = model.compare_positions(self.similarity, context).await?;
        let n = compared.p.n();
        let window = self
            .window
            .map_or_else(|| Window::whole(n, n), |window| window.within(n, n));
        let limit = self.limit.min(FINEST_TILE);
        let start = context.now();
        let tile = context
            .part_tile(&compared, self.part, &window, limit)
            .await?;
        context.report(Device::Cpu, start, None);
        Ok(tile)
    }
}
