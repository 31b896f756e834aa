//! Attention of a head at any length, alone or with kernels added (TISA paper, eq. 4a without content).

use super::prelude::*;
use crate::{
    analysis::{
        BackendChoice, FINEST_TILE, MAX_LENGTH,
        self_attention::{absent_beyond, head_attention},
    },
    encoding::Kernels,
    math::{AttentionMask, Scores, Tile, Window, cut, device_tasks::Attention},
};
use futures_util::{StreamExt, TryStreamExt, stream};

/// Softmax of a head's own scores plus those of kernels, among n positions; NaN where the head's table has no row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadAttention {
    /// The head.
    pub of: HeadId,
    /// Kernels added to the scores; none leaves the scores unchanged.
    pub kernels: Kernels,
    /// Number of positions.
    pub n: usize,
    /// Mask of the attention.
    pub cells: AttentionMask,
    /// Window of the map.
    pub window: Window,
    /// Maximum number of blocks per side.
    pub limit: usize,
    /// Choice of the device that computes it.
    pub by: BackendChoice,
}

/// The part of a map for which the head has positions.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct AttentionPart {
    /// Scores of the leading positions.
    pub(super) scores: Scores,
    pub(super) kernels: Kernels,
    pub(super) cells: AttentionMask,
    /// The part of the window for which the head has positions.
    pub(super) window: Window,
    /// Cells per side of a block.
    pub(super) step: usize,
}

impl HeadAttention {
    /// Forms the map; `attend` computes the part for which the head has positions, if there is one.
    pub(super) async fn map(
        self,
        scores: &Scores,
        attend: impl AsyncFnOnce(AttentionPart) -> Result<Tile, Failure>,
    ) -> Result<Tile, Failure> {
        let n = self.n.clamp(1, MAX_LENGTH);
        let window = self.window.within(n, n);
        let step = window.step(self.limit.min(FINEST_TILE));
        let available = scores.n().min(n);
        let present = Window {
            rows: window.rows.start..window.rows.end.min(available),
            cols: window.cols.start..window.cols.end.min(available),
        };
        let tile = if present.rows.is_empty() || present.cols.is_empty() {
            None
        } else {
            let part = AttentionPart {
                scores: scores.leading_block(available),
                kernels: self.kernels,
                cells: self.cells,
                window: present,
                step,
            };
            Some(attend(part).await?)
        };
        Ok(absent_beyond(tile, window, step, available))
    }
}

impl SingleAnswer for HeadAttention {
    type Answer = Tile;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<Tile, Failure> {
        let scores = context.session.head(self.of, context).await?;
        let by = self.by;
        self.map(&scores, async |part: AttentionPart| {
            let task = Attention::new(&part.scores, part.cells);
            let task = if part.kernels.0.is_empty() {
                Some(task)
            } else {
                task.plus(part.kernels.scores(part.scores.n()).profile())
            };
            let strips = in_strips(context, &part);
            match task {
                Some(task) => {
                    context
                        .attention_map(by, &task, part.window.clone(), part.step, strips)
                        .await
                }
                None => strips.await,
            }
        })
        .await
    }
}

/// Minimum number of cells of a strip: fewer are not worth sending.
const STRIP_CELLS: usize = 1 << 16;

/// Maximum number of strips: all keys are sent with each.
const MOST_STRIPS: usize = 8;

/// Computes the part in strips that end at the ends of blocks.
async fn in_strips<H: Host>(
    context: &AnswerContext<'_, HeadAttention, H>,
    part: &AttentionPart,
) -> Result<Tile, Failure> {
    let (window, step) = (&part.window, part.step);
    let at_least = STRIP_CELLS.div_ceil(part.scores.n());
    let height = (window.rows.len())
        .div_ceil(MOST_STRIPS)
        .max(at_least)
        .next_multiple_of(step);
    let strips = stream::iter(cut(&window.rows, height)).map(|rows| {
        Ok(AttendInWindow(AttentionPart {
            window: Window {
                rows,
                cols: window.cols.clone(),
            },
            ..part.clone()
        }))
    });
    let mut tiles = context.spread_in_part(strips);
    let mut map = Tile {
        window: window.clone(),
        row_step: step,
        col_step: step,
        values: Vec::new(),
        cells: None,
    };
    while let Some(strip) = tiles.try_next().await? {
        map.values.extend(strip.values);
        map.cells = match (map.cells, strip.cells) {
            (Some((low, high)), Some((least, most))) => Some((low.min(least), high.max(most))),
            (before, new) => before.or(new),
        };
    }
    Ok(map)
}

/// Computes the softmax of a strip row by row.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct AttendInWindow(AttentionPart);

impl PortableJob for AttendInWindow {
    type Output = Tile;

    async fn run(self, watch: &impl Progress) -> Result<Tile, LoadError> {
        let Self(part) = self;
        Ok(head_attention(
            &part.scores,
            &part.kernels,
            part.cells,
            part.window,
            part.step,
            watch,
        )
        .await)
    }
}
