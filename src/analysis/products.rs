//! What large tables take longest for, products of matrices, formed wherever there is room: what is fitted and what is
//! drawn of them.
//!
//! Products are cut in `math`, the same whoever forms the pieces.

use super::{Compute, Desk, Failure, Late, PortableJob, Question, Reply, Watch};
use crate::{
    checkpoint::ByteSource,
    late::NotFetched,
    math::{Centred, LowRank, OffsetR2, Piece, Plans, ScoreFits, Scores, Tile, Window, add_gram},
};
use futures_util::{Stream, TryStreamExt, stream};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::{ops::Range, rc::Rc};

/// Columns of factors that are worth sending.
const WORTH_SENDING: usize = 256;

/// Forms a piece of a product: ten to fifty milliseconds.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct FormPiece(Rc<Piece>);

/// What comes out.
#[derive(Serialize, Deserialize)]
pub(super) struct Formed(#[serde(with = "crate::math::as_bytes")] Array2<f32>);

impl PortableJob for FormPiece {
    type Output = Formed;
    const MOST_BEFORE: usize = 1;

    async fn run(self, _: &Late, _: &impl Watch) -> Result<Formed, NotFetched> {
        Ok(Formed(self.0.form()))
    }
}

impl<Q: Question, L: ByteSource, C: Compute, R: Reply> Desk<'_, Q, L, C, R> {
    /// How much of the matrix its diagonals are, as [`Scores::fits`] finds it.
    pub(super) async fn fits(&self, scores: &Scores) -> Result<ScoreFits, Failure> {
        let plans = scores.plans();
        match scores {
            Scores::Product(a, _) => self.fits_of(a, &plans).await,
            other => Ok(other.fits(&plans)),
        }
    }

    /// R² of the positions `range` among themselves, as [`Scores::r2_of`] finds it.
    pub(super) async fn r2_of(
        &self,
        scores: &Scores,
        range: Range<usize>,
    ) -> Result<OffsetR2, Failure> {
        match scores {
            Scores::Product(a, _) => {
                let plans = Plans::new(range.len(), None);
                Ok(self.fits_of(&a.block(range), &plans).await?.r2())
            }
            other => Ok(other.r2_of(range)),
        }
    }

    async fn fits_of(&self, a: &LowRank, plans: &Plans) -> Result<ScoreFits, Failure> {
        let centred = Centred::new(a);
        let factors = centred.rows_for_grams();
        let count: usize = factors.iter().map(Vec::len).sum();
        if is_worth_sending(a, count) {
            let mut grams = Vec::new();
            for blocks in factors {
                let pieces = blocks
                    .into_iter()
                    .map(|rows| Piece::GramOfColumns(rows.to_owned()));
                let mut formed = self.formed(pieces);
                let mut sum = Array2::default((0, 0));
                while let Some(gram) = formed.try_next().await? {
                    add_gram(&mut sum, &gram);
                }
                grams.push(sum);
            }
            centred.keep_grams(&grams);
        }
        Ok(ScoreFits::of_centred(centred, plans))
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
        let formed = if is_worth_sending(a, places.len()) {
            let pieces = places.iter().map(|place| means.at(place));
            means.put_together(self.formed(pieces).try_collect::<Vec<_>>().await?)
        } else {
            means.form()
        };
        Ok(a.tile_of(window, limit, formed))
    }

    /// Pieces in their order, formed wherever there is room.
    fn formed<'s>(
        &'s self,
        pieces: impl Iterator<Item = Piece> + 's,
    ) -> impl Stream<Item = Result<Array2<f32>, Failure>> + Unpin + 's {
        self.session.computing.expect_many();
        let jobs = stream::iter(pieces.map(|piece| Ok(FormPiece(Rc::new(piece)))));
        self.spread_in_part(jobs).map_ok(|Formed(piece)| piece)
    }
}

/// Whether so many pieces of a product take several times as long to form as to send.
fn is_worth_sending(a: &LowRank, pieces: usize) -> bool {
    pieces > 1 && a.left().ncols() >= WORTH_SENDING
}
