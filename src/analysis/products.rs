//! Matrix products of large tables, which take the most time, spread over all free workers: tiles of a matrix that is
//! drawn, and parts of a table that are fitted.
//!
//! The results are the same in every worker.

use super::{AnswerContext, Failure, Host, PortableJob, Progress, Question};
use crate::{
    lazy::LoadError,
    math::{LowRank, OffsetR2, ProductTile, Scores, Tile, Window},
};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::{ops::Range, pin::pin, rc::Rc};

/// Number of multiplications from which on starting a helper worker is worth the time: they take 50 ms.
const WORTH_SENDING: u64 = 1 << 30;

/// Multiplications per number from which on sending the number takes less time than multiplying.
const WORTH_A_NUMBER: usize = 64;

/// Forms a tile of a product, in 10 to 50 ms.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct FormTile(Rc<ProductTile>);

/// A formed tile.
#[derive(Serialize, Deserialize)]
pub(super) struct FormedTile(#[serde(with = "crate::math::as_bytes")] Array2<f32>);

impl PortableJob for FormTile {
    type Output = FormedTile;
    const MOST_BEFORE: usize = 1;

    async fn run(self, _: &impl Progress) -> Result<FormedTile, LoadError> {
        Ok(FormedTile(self.0.form()))
    }
}

/// Fits a range of positions, in a third of a second for the longest tables. The output is only two numbers, so that
/// rows are sent in one direction only.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct FitPart(Rc<Scores>);

impl PortableJob for FitPart {
    type Output = OffsetR2;
    const MOST_BEFORE: usize = 1;

    async fn run(self, _: &impl Progress) -> Result<OffsetR2, LoadError> {
        Ok(self.0.fits(&self.0.plans()).r2())
    }
}

impl<Q: Question, H: Host> AnswerContext<'_, Q, H> {
    /// R² of parts of a matrix, the same as from [`Scores::r2_of`].
    pub(super) async fn r2_of(
        &self,
        scores: &Scores,
        parts: Vec<Range<usize>>,
    ) -> Result<Vec<OffsetR2>, Failure> {
        let parts = parts.into_iter();
        if !is_worth_fitting_elsewhere(scores) {
            return Ok(parts.map(|part| scores.r2_of(part)).collect());
        }
        // Lets a helper worker that was started meanwhile report that it is ready.
        self.pause().await;
        let jobs = parts.map(|part| FitPart(Rc::new(scores.block(part))));
        let mut fits: Vec<(usize, OffsetR2)> = self.run_all(jobs.enumerate()).try_collect().await?;
        fits.sort_by_key(|(part, _)| *part);
        Ok(fits.into_iter().map(|(_, fit)| fit).collect())
    }

    /// Runs jobs in all free workers and yields each output with the job's tag as soon as it is complete. Jobs differ
    /// in size, so a short one does not wait for a long one.
    fn run_all<W, J: PortableJob>(
        &self,
        jobs: impl Iterator<Item = (W, J)>,
    ) -> impl Stream<Item = Result<(W, J::Output), Failure>> {
        stream::iter(jobs)
            .map(|(tag, job)| async { Ok((tag, self.run(job).await?)) })
            .buffer_unordered(self.session.host.width(J::MOST_BEFORE))
    }

    /// Requests a helper worker if parts of a matrix will be fitted elsewhere.
    pub(super) fn expect_parts(&self, scores: &Scores) {
        if is_worth_fitting_elsewhere(scores) {
            self.session.host.expect_many();
        }
    }

    /// Exact block means of a window, the same as from [`Scores::tile`].
    pub(super) async fn tile(
        &self,
        scores: &Scores,
        window: Window,
        limit: usize,
    ) -> Result<Tile, Failure> {
        let Scores::Product(a, _) = scores else {
            return Ok(scores.tile(window, limit));
        };
        let means = a.means_in_pieces(&window, limit);
        let places = means.places();
        let means = if places.len() > 1 && means.multiplications() >= WORTH_SENDING {
            self.session.host.expect_many();
            let jobs = places
                .into_iter()
                .map(|place| (means.at(&place), place))
                .map(|(tile, place)| (place, FormTile(Rc::new(tile))));
            let mut cells = means.cells();
            let mut formed = pin!(self.run_all(jobs));
            while let Some((place, FormedTile(tile))) = formed.try_next().await? {
                means.put(&mut cells, &place, &tile);
            }
            cells
        } else {
            means.form()
        };
        Ok(a.tile_of(window, limit, means))
    }
}

/// Number of multiplications for the squares of a matrix: those of a Gram matrix of its columns, or of its rows if they
/// are fewer. Counted in 64 bits, because the count for 8192 rows of 768 exceeds the 32 bits of a `usize` in
/// WebAssembly.
fn multiplications(a: &LowRank) -> u64 {
    let (rows, columns) = a.left().dim();
    rows as u64 * columns as u64 * rows.min(columns) as u64
}

/// Whether the squares of a matrix take long enough to use other workers. A table with few rows or few columns takes
/// longer to send than to multiply.
fn is_worth_fitting_elsewhere(scores: &Scores) -> bool {
    match scores {
        Scores::Product(a, _) => {
            let (rows, columns) = a.left().dim();
            rows.min(columns) >= WORTH_A_NUMBER && multiplications(a) >= WORTH_SENDING
        }
        Scores::Toeplitz(_) | Scores::Grid(_) => false,
    }
}
