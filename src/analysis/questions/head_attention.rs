//! A head's own attention at any length.

use crate::{
    analysis::{
        Compute, Computing, Desk, Failure, HeadId, Late, MAX_LENGTH, Opened, PortableJob, Reply,
        SingleAnswer, Urgency, Watch,
        self_attention::{MAP_OF_HEAD, absent_beyond, head_attention},
    },
    checkpoint::ByteSource,
    late::NotFetched,
    math::{Cells, Scores, Tile, Window, cut, heavy::Attention},
};
use futures_util::{StreamExt, TryStreamExt, stream};
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
        let tile = if present.rows.is_empty() || present.cols.is_empty() {
            None
        } else {
            let strips = in_strips(desk, &scores, self.cells, &present, step);
            let map = desk.attention_map(self.by, &task, present.clone(), step, strips);
            Some(map.await?)
        };
        Ok(absent_beyond(tile, window, step, there))
    }
}

/// Cells of a strip at least: less is not worth being sent.
const STRIP_CELLS: usize = 1 << 16;

/// Strips at most: each is sent all keys.
const MOST_STRIPS: usize = 8;

/// A window of the attention map, strips of it at a time, which end where blocks end.
async fn in_strips<L: ByteSource, C: Compute, R: Reply>(
    desk: &Desk<'_, HeadAttention, L, C, R>,
    scores: &Scores,
    cells: Cells,
    window: &Window,
    step: usize,
) -> Result<Tile, Failure> {
    let rows = window.rows.len();
    let at_least = STRIP_CELLS.div_ceil(scores.n());
    let height = rows
        .div_ceil(MOST_STRIPS)
        .max(at_least)
        .next_multiple_of(step);
    let strips = stream::iter(cut(&window.rows, height)).map(|rows| {
        Ok(AttendInWindow {
            scores: scores.clone(),
            cells,
            window: Window {
                rows,
                cols: window.cols.clone(),
            },
            step,
        })
    });
    let mut found = desk.spread_in_part(strips);
    let mut map = Tile {
        window: window.clone(),
        row_step: step,
        col_step: step,
        values: Vec::new(),
        cells: None,
    };
    while let Some(strip) = found.try_next().await? {
        map.values.extend(strip.values);
        map.cells = match (map.cells, strip.cells) {
            (Some((low, high)), Some((least, most))) => Some((low.min(least), high.max(most))),
            (before, new) => before.or(new),
        };
    }
    Ok(map)
}

/// Softmax row by row.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct AttendInWindow {
    scores: Scores,
    cells: Cells,
    window: Window,
    step: usize,
}

impl PortableJob for AttendInWindow {
    type Output = Tile;

    async fn run(self, _: &Late, watch: &impl Watch) -> Result<Tile, NotFetched> {
        Ok(head_attention(&self.scores, self.cells, self.window, self.step, watch).await)
    }
}
