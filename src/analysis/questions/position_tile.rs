//! A window of the position matrix.

use crate::{
    analysis::{
        Compute, Computer, Desk, FINEST_TILE, Failure, MatrixPart, Opened, Reply, Similarity,
        SingleAnswer, Urgency,
    },
    checkpoint::ByteSource,
    math::{Tile, Window},
};
use serde::{Deserialize, Serialize};

/// A window of the position matrix, of its Toeplitz part, or of what that leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionTile {
    /// The model.
    pub of: Opened,
    /// How two positions are compared.
    pub similarity: Similarity,
    /// The matrix or a part of it.
    pub part: MatrixPart,
    /// Rows and columns; all of them where there is none.
    pub window: Option<Window>,
    /// Blocks a side at most.
    pub limit: usize,
}

impl SingleAnswer for PositionTile {
    type Answer = Tile;
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Tile, Failure> {
        let model = desk.session.model(self.of).await?;
        let compared = model.compared(self.similarity, desk).await?;
        let n = compared.p.n();
        let window = self
            .window
            .map_or_else(|| Window::whole(n, n), |window| window.within(n, n));
        let limit = self.limit.min(FINEST_TILE);
        let begun = desk.now();
        let tile = desk.part_tile(&compared, self.part, &window, limit).await?;
        desk.computed(Computer::Cpu, begun, None);
        Ok(tile)
    }
}
