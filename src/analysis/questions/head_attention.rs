//! A head's own attention at any length.

use crate::{
    analysis::{
        Compute, Computing, Desk, Failure, HeadId, MAX_LENGTH, Opened, Reply, SingleAnswer,
        Urgency, Watch,
        compute::Job,
        self_attention::{MAP_OF_HEAD, absent_beyond, head_attention},
    },
    checkpoint::ByteSource,
    math::{Cells, Scores, Tile, Window, heavy::Attention},
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
    /// Who is to compute it.
    pub by: Computing,
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
        let window = self.window.within(n, n);
        let step = window.step(MAP_OF_HEAD);
        let there = scores.n().min(n);
        let scores = scores.leading(there);
        let present = Window {
            rows: window.rows.start..window.rows.end.min(there),
            cols: window.cols.start..window.cols.end.min(there),
        };
        let task = Attention::of(&scores, self.cells);
        let job = || AttendInWindow {
            scores: scores.clone(),
            cells: self.cells,
            window: present.clone(),
            step,
        };
        let tile = if present.rows.is_empty() || present.cols.is_empty() {
            None
        } else {
            let map = desk.attention_map(self.by, &task, present.clone(), step, job);
            Some(map.await)
        };
        Ok(absent_beyond(tile, window, step, there))
    }
}

/// Softmax row by row.
struct AttendInWindow {
    scores: Scores,
    cells: Cells,
    window: Window,
    step: usize,
}

impl Job for AttendInWindow {
    type Output = Tile;

    async fn run(self, watch: &impl Watch) -> Tile {
        head_attention(&self.scores, self.cells, self.window, self.step, watch).await
    }
}
