//! Two heads of equal size: the difference of their scores, and how far they correlate.

use super::{
    AnswerContext, Failure, HeadId, Host, Progress, Question, Session, progress::ROWS_AT_ONCE,
};
use crate::math::{AttentionMask, PairMoments, Scores, Tile, Window, cut};
use ndarray::Array2;
use std::ops::Range;

/// The scores of two heads with the same number of positions.
pub(super) struct HeadPair {
    first: Scores,
    second: Scores,
}

impl HeadPair {
    /// Number of positions.
    pub(super) fn n(&self) -> usize {
        self.first.n()
    }

    /// Rows of the first head’s scores minus those of the second: [rows, n].
    pub(super) fn difference_rows(&self, rows: Range<usize>) -> Array2<f32> {
        self.first.rows(rows.clone()) - self.second.rows(rows)
    }

    /// Block means of the difference.
    pub(super) async fn difference_tile<Q: Question, H: Host>(
        &self,
        window: Window,
        limit: usize,
        context: &AnswerContext<'_, Q, H>,
    ) -> Result<Tile, Failure> {
        let first = context.tile(&self.first, window.clone(), limit).await?;
        let second = context.tile(&self.second, window, limit).await?;
        Ok(first.minus(&second))
    }

    /// Correlation of both over the cells that count; `None` if either is constant there. Both matrices are formed some
    /// rows at a time.
    pub(super) async fn correlation(
        &self,
        cells: AttentionMask,
        watch: &impl Progress,
    ) -> Option<f64> {
        let n = self.n();
        let mut moments = PairMoments::default();
        for queries in cut(&(0..n), ROWS_AT_ONCE) {
            let (first, second) = (
                self.first.rows(queries.clone()),
                self.second.rows(queries.clone()),
            );
            let rows = first.rows().into_iter().zip(second.rows());
            for (i, (first, second)) in queries.zip(rows) {
                let keys = cells.visible_keys(i, n);
                let cells =
                    |row: ndarray::ArrayView1<'_, f32>| row.iter().take(keys).copied().collect();
                let (first, second): (Vec<f32>, Vec<f32>) = (cells(first), cells(second));
                moments.add(&first, &second);
            }
            watch.pause().await;
        }
        moments.correlation()
    }
}

impl<H: Host> Session<H> {
    /// The scores of two heads.
    ///
    /// # Errors
    /// If either cannot be read, or if they have different numbers of positions.
    pub(super) async fn head_pair(
        &self,
        (first, second): (HeadId, HeadId),
        watch: &impl Progress,
    ) -> Result<HeadPair, Failure> {
        let pair = HeadPair {
            first: self.head(first, watch).await?,
            second: self.head(second, watch).await?,
        };
        let name = |id: HeadId, n: usize| {
            let (layer, head) = (id.layer + 1, id.head + 1);
            format!("layer {layer}, head {head} has {n} positions")
        };
        let sizes = (pair.first.n(), pair.second.n());
        if sizes.0 == sizes.1 {
            return Ok(pair);
        }
        Err(Failure::not_there(format!(
            "The two heads have different sizes, so their scores have no difference: {}, {}.",
            name(first, sizes.0),
            name(second, sizes.1)
        )))
    }
}
