//! Similarity of positions, and how far it depends on their distance alone.

use super::{
    AnswerContext, Failure, Host, MatrixPart, Question, TILE_LIMIT, loaded_model::ComparedPositions,
};
use crate::{
    encoding::Sinusoidal,
    math::{
        GridFit, OffsetR2, RandomTable, ScoreFits, Scores, Similarity, TableBreaks, TablePart,
        Tile, Toeplitz, ToeplitzFit, Window,
    },
};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Toeplitz R² of one part of the matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// `whole-2d`, `whole`, `leading-32`, …, `window-128-255`, and where the table has breaks, with the first and the last
    /// row: `before-seam-0-126`, `behind-seam-128-511`, `before-tail-0-215`, `tail-216-511`.
    pub name: String,
    /// Number of positions.
    pub rows: usize,
    /// Share of the variance in this part that f(k) explains.
    pub r2: OffsetR2,
    /// R² of a table of random numbers of the same shape; `None` if positions are not a table.
    pub random: Option<OffsetR2>,
}

impl Scope {
    /// A scope of positions along a line.
    fn on_line(name: String, rows: usize, r2: OffsetR2, chance: Option<RandomTable>) -> Self {
        Self {
            name,
            rows,
            r2,
            random: chance.and_then(|table| table.on_line(rows)),
        }
    }
}

/// The scope that represents a model: all positions, in two dimensions if they are patches of an image.
#[must_use]
pub fn leading_scope(scopes: &[Scope]) -> Option<&Scope> {
    scopes.first()
}

/// First data of the positions view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionSummary {
    /// Diagonal means, overall mean and R².
    pub fit: ToeplitzFit,
    /// R² over all positions, leading blocks and windows; see [`leading_scope`].
    pub scopes: Vec<Scope>,
    /// Means by (Δy, Δx), if positions are patches of an image.
    pub grid_fit: Option<GridFit>,
    /// The whole matrix as block means.
    pub tile: Tile,
}

impl<Q: Question, H: Host> AnswerContext<'_, Q, H> {
    /// Block means of a window of the matrix, of its Toeplitz part or of the residual, in at most `limit` blocks per
    /// side.
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

    /// R² of every scope of a matrix; `fits` are those of the whole matrix. `chance` is the random table that a
    /// position table is compared with, and `breaks` are those of the table.
    pub(super) async fn scopes(
        &self,
        p: &Scores,
        fits: &ScoreFits,
        chance: Option<RandomTable>,
        breaks: &TableBreaks,
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
        let parts = parts(p.n()).into_iter().chain(break_parts(breaks, p.n()));
        let (names, ranges): (Vec<_>, Vec<_>) = parts.unzip();
        let r2s = self.r2_of(p, ranges.clone()).await?;
        for ((name, range), r2) in names.into_iter().zip(ranges).zip(r2s) {
            scopes.push(Scope::on_line(name, range.len(), r2, chance));
        }
        Ok(scopes)
    }
}

/// Summary of a sinusoidal table from its closed form, which the page shows before its worker has started. `None` for
/// an odd width, whose matrix is not Toeplitz.
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
                let r2 = p.leading_block(rows.len()).r2();
                Scope::on_line(name, rows.len(), r2, Some(chance))
            })
            .collect(),
        grid_fit: None,
        fit: p.fit(),
    })
}

/// Names and ranges of the parts of n positions: leading blocks at powers of two from 32, at 3n/4 and at n/2, longest
/// first; then the last three quarters as windows.
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

/// Names and ranges of the parts of n positions on the sides of the table's breaks.
pub fn break_parts(breaks: &TableBreaks, n: usize) -> impl Iterator<Item = (String, Range<usize>)> {
    breaks.parts(n).into_iter().map(|(part, rows)| {
        let name = match part {
            TablePart::BeforeSeam => "before-seam",
            TablePart::BehindSeam => "behind-seam",
            TablePart::BeforeTail => "before-tail",
            TablePart::Tail => "tail",
        };
        (format!("{name}-{}-{}", rows.start, rows.end - 1), rows)
    })
}
