//! Kernels added to a head (TISA paper, eq. 4a without content).

use crate::{
    analysis::{
        Compute, Desk, Failure, HeadId, KERNEL_TILE_LIMIT, MixedAttention, Opened, Reply,
        SingleAnswer, Urgency, Watch, compute::Job, session::ROWS_AT_ONCE,
    },
    checkpoint::ByteSource,
    encoding::Kernels,
    math::{Cells, Scores, Tile, Window, cut},
};
use serde::{Deserialize, Serialize};

/// Softmax of a head's scores with those of kernels added, too long to be computed within a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AddedAttention {
    /// The head.
    pub of: HeadId,
    /// What is added.
    pub kernels: Kernels,
    /// How many positions.
    pub n: usize,
    /// Which cells count.
    pub cells: Cells,
    /// The window of the map that is looked at.
    pub window: Window,
}

impl SingleAnswer for AddedAttention {
    type Answer = Tile;
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        Some(self.of.model)
    }

    fn succeeds(&self, earlier: &Self) -> bool {
        self.of == earlier.of
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Tile, Failure> {
        let scores = desk.session.head(self.of, desk).await?;
        let n = self.n.clamp(1, scores.n());
        let job = AttendWithKernels {
            scores: scores.leading(n),
            attention: MixedAttention::new(
                &self.kernels,
                n,
                self.cells,
                self.window.within(n, n),
                KERNEL_TILE_LIMIT,
            ),
        };
        Ok(desk.compute(job).await)
    }
}

/// Softmax row by row.
struct AttendWithKernels {
    scores: Scores,
    attention: MixedAttention,
}

impl Job for AttendWithKernels {
    type Output = Tile;

    async fn run(mut self, watch: &impl Watch) -> Tile {
        for queries in cut(&(0..self.scores.n()), ROWS_AT_ONCE) {
            let mut rows = self
                .scores
                .rows(queries.clone())
                .into_raw_vec_and_offset()
                .0;
            self.attention.add(queries, &mut rows);
            watch.pause().await;
        }
        self.attention.finish()
    }
}
