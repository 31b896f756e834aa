//! What large tables take longest for, products of matrices, spread over whoever has room: pieces of a matrix that is
//! drawn, and the parts of a table that are fitted.
//!
//! Pieces and parts are the same whoever computes them.

use super::{
    AnswerContext, Compute, Failure, LazyParts, PortableJob, Progress, Question, ResponseSink,
};
use crate::{
    checkpoint::ByteSource,
    lazy::LoadError,
    math::{LowRank, OffsetR2, ProductTile, Scores, Tile, Window},
};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::{ops::Range, pin::pin, rc::Rc};

/// Multiplications from which on a helper is worth its start: they take 50 ms.
const WORTH_SENDING: u64 = 1 << 30;

/// Multiplications of each number from which on sending it takes less time than they do.
const WORTH_A_NUMBER: usize = 64;

/// Forms a piece of a product: ten to fifty milliseconds.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct FormTile(Rc<ProductTile>);

/// What comes out.
#[derive(Serialize, Deserialize)]
pub(super) struct Formed(#[serde(with = "crate::math::as_bytes")] Array2<f32>);

impl PortableJob for FormTile {
    type Output = Formed;
    const MOST_BEFORE: usize = 1;

    async fn run(self, _: &LazyParts, _: &impl Progress) -> Result<Formed, LoadError> {
        Ok(Formed(self.0.form()))
    }
}

/// Fits some positions among themselves. What comes out is two numbers: their rows travel one way only, and of the
/// longest tables they take a third of a second.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct FitPart(Rc<Scores>);

impl PortableJob for FitPart {
    type Output = OffsetR2;
    const MOST_BEFORE: usize = 1;

    async fn run(self, _: &LazyParts, _: &impl Progress) -> Result<OffsetR2, LoadError> {
        Ok(self.0.fits(&self.0.plans()).r2())
    }
}

impl<Q: Question, L: ByteSource, C: Compute, R: ResponseSink> AnswerContext<'_, Q, L, C, R> {
    /// R² of parts of a matrix, as [`Scores::r2_of`] finds it.
    pub(super) async fn r2_of(
        &self,
        scores: &Scores,
        parts: Vec<Range<usize>>,
    ) -> Result<Vec<OffsetR2>, Failure> {
        let parts = parts.into_iter();
        if !is_worth_fitting_elsewhere(scores) {
            return Ok(parts.map(|part| scores.r2_of(part)).collect());
        }
        // A helper that was started meanwhile can say that it is there.
        self.pause().await;
        let jobs = parts.map(|part| FitPart(Rc::new(scores.block(part))));
        let mut fits: Vec<(usize, OffsetR2)> = self.run_all(jobs.enumerate()).try_collect().await?;
        fits.sort_by_key(|(part, _)| *part);
        Ok(fits.into_iter().map(|(_, fit)| fit).collect())
    }

    /// Runs jobs, each with what says whose it is, wherever there is room, and gives what comes out as it comes. They
    /// differ in size: nobody waits with a short one until a long one has come back.
    fn run_all<W, J: PortableJob>(
        &self,
        jobs: impl Iterator<Item = (W, J)>,
    ) -> impl Stream<Item = Result<(W, J::Output), Failure>> {
        stream::iter(jobs)
            .map(|(whose, job)| async { Ok((whose, self.run(job).await?)) })
            .buffer_unordered(self.session.computing.width(J::MOST_BEFORE))
    }

    /// Has a helper started, where parts of a matrix will be fitted elsewhere.
    pub(super) fn expect_parts(&self, scores: &Scores) {
        if is_worth_fitting_elsewhere(scores) {
            self.session.computing.expect_many();
        }
    }

    /// Exact block means of a window, as [`Scores::tile`] finds them.
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
            self.session.computing.expect_many();
            let jobs = places
                .into_iter()
                .map(|place| (means.at(&place), place))
                .map(|(piece, place)| (place, FormTile(Rc::new(piece))));
            let mut cells = means.cells();
            let mut formed = pin!(self.run_all(jobs));
            while let Some((place, Formed(piece))) = formed.try_next().await? {
                means.put(&mut cells, &place, &piece);
            }
            cells
        } else {
            means.form()
        };
        Ok(a.tile_of(window, limit, means))
    }
}

/// How many multiplications the squares of a matrix take: as many as a Gram matrix of its columns, or of its rows where
/// they are fewer. They are counted in 64 bits, because those of 8192 rows of 768 do not fit the 32 of a `usize` in
/// WebAssembly.
fn multiplications(a: &LowRank) -> u64 {
    let (rows, columns) = a.left().dim();
    rows as u64 * columns as u64 * rows.min(columns) as u64
}

/// Whether the squares of a matrix take so long that other workers are worth asking. Each number of a table that has few
/// rows or few columns takes longer to send than to multiply.
fn is_worth_fitting_elsewhere(scores: &Scores) -> bool {
    match scores {
        Scores::Product(a, _) => {
            let (rows, columns) = a.left().dim();
            rows.min(columns) >= WORTH_A_NUMBER && multiplications(a) >= WORTH_SENDING
        }
        Scores::Toeplitz(_) | Scores::Grid(_) => false,
    }
}
