//! Kernels added to a head (TISA paper, eq. 4a without content).

use crate::{
    analysis::{
        Compute, Computing, Desk, Failure, HeadId, KERNEL_TILE_LIMIT, MixedAttention, Opened,
        Reply, SingleAnswer, Urgency, Watch, compute::Job, session::ROWS_AT_ONCE,
    },
    checkpoint::ByteSource,
    encoding::Kernels,
    math::{Cells, Scores, Tile, Window, cut, heavy::Attention},
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
    /// Who is to compute it.
    pub by: Computing,
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
        let (scores, window) = (scores.leading(n), self.window.within(n, n));
        let job = AttendWithKernels {
            scores: scores.clone(),
            attention: MixedAttention::new(
                &self.kernels,
                n,
                self.cells,
                window.clone(),
                KERNEL_TILE_LIMIT,
            ),
        };
        let with_kernels =
            Attention::of(&scores, self.cells).plus(self.kernels.scores(n).profile());
        let Some(task) = with_kernels else {
            return Ok(desk.compute(job).await);
        };
        let step = window.step(KERNEL_TILE_LIMIT);
        let here = async { Ok(desk.compute(job).await) };
        desk.attention_map(self.by, &task, window.clone(), step, here)
            .await
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
