//! A head's own attention at any length.

use crate::{
    analysis::{
        Compute, Desk, Failure, HeadId, MAX_LENGTH, Opened, Reply, SingleAnswer, Urgency, Watch,
        compute::Job, self_attention::head_attention,
    },
    checkpoint::ByteSource,
    math::{Cells, Scores, Tile, Window},
};
use serde::{Deserialize, Serialize};

/// Softmax of a head's own scores among so many positions; no numbers where its table has no row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadAttention {
    /// The head.
    pub of: HeadId,
    /// How many positions.
    pub n: usize,
    /// Which cells count.
    pub cells: Cells,
    /// The window of the map that is looked at.
    pub window: Window,
}

impl SingleAnswer for HeadAttention {
    type Answer = Tile;
    const URGENCY: Urgency = Urgency::Soon;

    fn about(&self) -> Option<Opened> {
        Some(self.of.model)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Tile, Failure> {
        let scores = desk.session.head(self.of, desk).await?;
        let n = self.n.clamp(1, MAX_LENGTH);
        let job = AttendAtLength {
            scores,
            n,
            cells: self.cells,
            window: self.window.within(n, n),
        };
        Ok(desk.compute(job).await)
    }
}

/// Softmax row by row.
struct AttendAtLength {
    scores: Scores,
    n: usize,
    cells: Cells,
    window: Window,
}

impl Job for AttendAtLength {
    type Output = Tile;

    async fn run(self, watch: &impl Watch) -> Tile {
        head_attention(&self.scores, self.n, self.cells, self.window, watch).await
    }
}
