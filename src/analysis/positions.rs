//! How alike are two positions, and how far does that depend on their distance alone?

use super::{MatrixPart, TILE_LIMIT};
use crate::{
    encoding::Sinusoidal,
    math::{
        GridFit, OffsetR2, Profile, RandomTable, ScoreFits, Scores, Similarity, Tile, Toeplitz,
        ToeplitzFit, Window,
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

/// A window of the matrix, of its Toeplitz part, or of the difference, in at most `limit` blocks a side.
pub(super) fn part_tile(
    p: &Scores,
    f: &Profile,
    part: MatrixPart,
    window: &Window,
    limit: usize,
) -> Tile {
    let window = window.within(p.n(), p.n());
    let toeplitz = |window| Toeplitz::new(f.clone()).tile(window, limit);
    match part {
        MatrixPart::Whole => p.tile(window, limit),
        MatrixPart::Toeplitz => toeplitz(window),
        MatrixPart::Residual => p.tile(window.clone(), limit).minus(&toeplitz(window)),
    }
}

/// Fit, scores and picture. `chance` is the random table that a position table is compared with.
pub(super) fn summarise(p: &Scores, chance: Option<RandomTable>) -> PositionSummary {
    let n = p.n();
    let fits = p.fits(&p.plans());
    PositionSummary {
        tile: p.tile(Window::whole(n, n), TILE_LIMIT),
        scopes: scopes_of(p, &fits, chance),
        fit: fits.fit,
        grid_fit: fits.grid_fit,
    }
}

/// R² of every part of a matrix whose whole is fitted already.
pub(super) fn scopes_of(p: &Scores, fits: &ScoreFits, chance: Option<RandomTable>) -> Vec<Scope> {
    let mut scopes = scopes(p.n(), fits.r2(), chance, |rows| p.r2_of(rows));
    if let Some((grid, r2)) = p.grid().zip(fits.grid_r2()) {
        let in_two_dimensions = Scope {
            name: "whole-2d".into(),
            rows: p.n(),
            r2,
            random: chance.and_then(|table| table.on_grid(grid)),
        };
        scopes.insert(0, in_two_dimensions);
    }
    scopes
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
        scopes: scopes(n, OffsetR2::EVERYTHING, Some(chance), |_| {
            OffsetR2::EVERYTHING
        }),
        grid_fit: None,
        fit: p.fit(),
    })
}

/// The whole, leading blocks at powers of two and the step between the last two, then four windows.
fn scopes(
    n: usize,
    whole: OffsetR2,
    chance: Option<RandomTable>,
    r2: impl Fn(Range<usize>) -> OffsetR2,
) -> Vec<Scope> {
    let scope = |name: String, rows, r2| Scope {
        name,
        rows,
        r2,
        random: chance.and_then(|table| table.on_line(rows)),
    };
    let mut leading: Vec<usize> = std::iter::successors(Some(32), |m| Some(m * 2))
        .take_while(|&m| m < n)
        .collect();
    for between in [n * 3 / 4, n / 2].into_iter().filter(|&m| m >= 16) {
        if let Err(place) = leading.binary_search(&between) {
            leading.insert(place, between);
        }
    }
    let mut scopes = vec![scope("whole".into(), n, whole)];
    let leading = leading.into_iter().rev();
    scopes.extend(leading.map(|m| scope(format!("leading-{m}"), m, r2(0..m))));
    let quarter = n / 4;
    if quarter >= 16 {
        scopes.extend((1..4).map(|q| {
            let rows = q * quarter..(q + 1) * quarter;
            let name = format!("window-{}-{}", rows.start, rows.end - 1);
            scope(name, quarter, r2(rows))
        }));
    }
    scopes
}
