//! How alike are two positions, and how far does that depend on their distance alone?

use super::{MatrixPart, TILE_LIMIT};
use crate::{
    encoding::Sinusoidal,
    math::{GridFit, Profile, ScoreFits, Scores, Similarity, Tile, Toeplitz, ToeplitzFit, Window},
};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Toeplitz R² of one part of the matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// `whole`, `whole-2d`, `off-diagonal`, `leading-32`, …, `window-128-255`.
    pub name: String,
    /// Number of positions.
    pub rows: usize,
    /// Share of the variance that f(k) explains there.
    pub r2: f64,
}

/// What the positions view shows before anything is asked in detail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionSummary {
    /// Diagonal means, overall mean and R².
    pub fit: ToeplitzFit,
    /// R² of the whole, of leading blocks, of windows.
    pub scopes: Vec<Scope>,
    /// Means by (Δy, Δx), for the patches of an image.
    pub grid_fit: Option<GridFit>,
    /// The whole matrix as block means.
    pub tile: Tile,
}

/// A window of the matrix, of its Toeplitz part, or of the difference.
pub(super) fn part_tile(p: &Scores, f: &Profile, part: MatrixPart, window: &Window) -> Tile {
    let window = window.within(p.n(), p.n());
    let toeplitz = |window| Toeplitz::new(f.clone()).tile(window, TILE_LIMIT);
    match part {
        MatrixPart::Whole => p.tile(window, TILE_LIMIT),
        MatrixPart::Toeplitz => toeplitz(window),
        MatrixPart::Residual => p.tile(window.clone(), TILE_LIMIT).minus(&toeplitz(window)),
    }
}

/// Fit, scores and picture.
pub(super) fn summarise(p: &Scores) -> PositionSummary {
    let n = p.n();
    let fits = p.fits(&p.plans());
    PositionSummary {
        tile: p.tile(Window::whole(n, n), TILE_LIMIT),
        scopes: scopes_of(p, &fits),
        fit: fits.fit,
        grid_fit: fits.grid_fit,
    }
}

/// R² of every part of a matrix whose whole is fitted already.
pub(super) fn scopes_of(p: &Scores, fits: &ScoreFits) -> Vec<Scope> {
    let mut scopes = scopes(p.n(), fits.fit.r2, fits.off_diagonal_r2, |rows| {
        p.r2_of(rows)
    });
    if let Some(grid_fit) = &fits.grid_fit {
        let in_two_dimensions = Scope {
            name: "whole-2d".into(),
            rows: p.n(),
            r2: grid_fit.r2,
        };
        scopes.insert(1, in_two_dimensions);
    }
    scopes
}

/// The same for a sinusoidal table from its closed form: what the page shows before its worker has
/// started. `None` for an odd width, which is not Toeplitz.
#[must_use]
pub fn sinusoidal_summary(table: &Sinusoidal, similarity: Similarity) -> Option<PositionSummary> {
    let p = table.inner_products(similarity == Similarity::Cosine)?;
    let n = p.n();
    Some(PositionSummary {
        tile: p.tile(Window::whole(n, n), TILE_LIMIT),
        scopes: scopes(n, 1.0, 1.0, |_| 1.0),
        grid_fit: None,
        fit: p.fit(),
    })
}

/// Leading blocks at powers of two and the step between the last two, then four windows.
fn scopes(n: usize, whole: f64, off_diagonal: f64, r2: impl Fn(Range<usize>) -> f64) -> Vec<Scope> {
    let mut leading: Vec<usize> = std::iter::successors(Some(32), |m| Some(m * 2))
        .take_while(|&m| m < n)
        .collect();
    for between in [n * 3 / 4, n / 2].into_iter().filter(|&m| m >= 16) {
        if let Err(place) = leading.binary_search(&between) {
            leading.insert(place, between);
        }
    }
    let mut scopes = vec![
        Scope {
            name: "whole".into(),
            rows: n,
            r2: whole,
        },
        Scope {
            name: "off-diagonal".into(),
            rows: n,
            r2: off_diagonal,
        },
    ];
    scopes.extend(leading.into_iter().rev().map(|m| Scope {
        name: format!("leading-{m}"),
        rows: m,
        r2: r2(0..m),
    }));
    let quarter = n / 4;
    if quarter >= 16 {
        scopes.extend((1..4).map(|q| Scope {
            name: format!("window-{}-{}", q * quarter, (q + 1) * quarter - 1),
            rows: quarter,
            r2: r2(q * quarter..(q + 1) * quarter),
        }));
    }
    scopes
}
