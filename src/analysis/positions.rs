//! How alike are two positions, and how far does that depend on their distance alone?

use super::{
    AnswerContext, Compute, Failure, MatrixPart, Question, ResponseSink, TILE_LIMIT,
    loaded_model::ComparedPositions,
};
use crate::{
    checkpoint::ByteSource,
    encoding::Sinusoidal,
    math::{
        GridFit, OffsetR2, RandomTable, ScoreFits, Scores, Similarity, Tile, Toeplitz, ToeplitzFit,
        Window,
    },
};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Toeplitz R² of one part of the matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// `whole-2d`, `whole`, `leading-32`, …, `window-128-255`.
    pub name: String,
    /// Number of positions.
    pub rows: usize,
    /// Share of the variance that f(k) explains there.
    pub r2: OffsetR2,
    /// What a table of random numbers of that shape scores; `None` where positions are no table.
    pub random: Option<OffsetR2>,
}

impl Scope {
    /// Of positions that count as a line.
    fn on_line(name: String, rows: usize, r2: OffsetR2, chance: Option<RandomTable>) -> Self {
        Self {
            name,
            rows,
            r2,
            random: chance.and_then(|table| table.on_line(rows)),
        }
    }
}

/// The part that speaks for a model: all positions, in two dimensions where they stand in an image.
#[must_use]
pub fn leading_scope(scopes: &[Scope]) -> Option<&Scope> {
    scopes.first()
}

/// What the positions view shows before anything is asked in detail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionSummary {
    /// Diagonal means, overall mean and R².
    pub fit: ToeplitzFit,
    /// R² of the whole, of leading blocks, of windows; see [`leading_scope`].
    pub scopes: Vec<Scope>,
    /// Means by (Δy, Δx), for the patches of an image.
    pub grid_fit: Option<GridFit>,
    /// The whole matrix as block means.
    pub tile: Tile,
}

impl<Q: Question, L: ByteSource, C: Compute, R: ResponseSink> AnswerContext<'_, Q, L, C, R> {
    /// A window of the matrix, of its Toeplitz part, or of the difference, in at most `limit` blocks a side.
    pub(super) async fn part_tile(
        &self,
        compared: &ComparedPositions,
        part: MatrixPart,
        window: &Window,
        limit: usize,
    ) -> Result<Tile, Failure> {
        let p = &compared.p;
        let window = window.within(p.n(), p.n());
        let toeplitz = |window| Toeplitz::new(compared.fit().f.clone()).tile(window, limit);
        Ok(match part {
            MatrixPart::Whole => self.tile(p, window, limit).await?,
            MatrixPart::Toeplitz => toeplitz(window),
            MatrixPart::Residual => {
                let whole = self.tile(p, window.clone(), limit).await?;
                whole.minus(&toeplitz(window))
            }
        })
    }

    /// R² of every part of a matrix whose whole is fitted already. `chance` is the random table that a position table is
    /// compared with.
    pub(super) async fn scopes(
        &self,
        p: &Scores,
        fits: &ScoreFits,
        chance: Option<RandomTable>,
    ) -> Result<Vec<Scope>, Failure> {
        let mut scopes = Vec::new();
        if let Some((grid, r2)) = p.grid().zip(fits.grid_r2()) {
            scopes.push(Scope {
                name: "whole-2d".into(),
                rows: p.n(),
                r2,
                random: chance.and_then(|table| table.on_grid(grid)),
            });
        }
        scopes.push(Scope::on_line("whole".into(), p.n(), fits.r2(), chance));
        let (names, ranges): (Vec<_>, Vec<_>) = parts(p.n()).into_iter().unzip();
        let found = self.r2_of(p, ranges.clone()).await?;
        for ((name, range), r2) in names.into_iter().zip(ranges).zip(found) {
            scopes.push(Scope::on_line(name, range.len(), r2, chance));
        }
        Ok(scopes)
    }
}

/// The same for a sinusoidal table from its closed form: what the page shows before its worker has
/// started. `None` for an odd width, which is not Toeplitz.
#[must_use]
pub fn sinusoidal_summary(table: &Sinusoidal, similarity: Similarity) -> Option<PositionSummary> {
    let p = table.inner_products(similarity == Similarity::Cosine)?;
    let n = p.n();
    let chance = RandomTable {
        width: table.width,
        similarity,
    };
    Some(PositionSummary {
        tile: p.tile(Window::whole(n, n), TILE_LIMIT),
        scopes: std::iter::once(("whole".into(), 0..n))
            .chain(parts(n))
            .map(|(name, rows)| {
                let r2 = p.leading(rows.len()).r2();
                Scope::on_line(name, rows.len(), r2, Some(chance))
            })
            .collect(),
        grid_fit: None,
        fit: p.fit(),
    })
}

/// Parts of n positions by name: leading ones at powers of two and the step between the last two, then four windows.
fn parts(n: usize) -> Vec<(String, Range<usize>)> {
    let mut leading: Vec<usize> = std::iter::successors(Some(32), |m| Some(m * 2))
        .take_while(|&m| m < n)
        .collect();
    for between in [n * 3 / 4, n / 2].into_iter().filter(|&m| m >= 16) {
        if let Err(place) = leading.binary_search(&between) {
            leading.insert(place, between);
        }
    }
    let leading = leading.into_iter().rev();
    let mut parts: Vec<_> = leading.map(|m| (format!("leading-{m}"), 0..m)).collect();
    let quarter = n / 4;
    if quarter >= 16 {
        parts.extend((1..4).map(|q| {
            let rows = q * quarter..(q + 1) * quarter;
            (format!("window-{}-{}", rows.start, rows.end - 1), rows)
        }));
    }
    parts
}
