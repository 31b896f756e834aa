//! A matrix of scores in the form that is cheapest to ask: a thin product, or its diagonals.

use super::{Watch, session::ROWS_AT_ONCE};
use crate::math::{
    Cells, Centred, DiagonalSummer, Grid, GridFit, LowRank, Profile, Tile, Toeplitz, ToeplitzFit,
    Window,
};
use ndarray::Array2;
use std::ops::Range;

/// Scores of n positions among themselves.
#[derive(Debug, Clone)]
pub(super) enum Scores {
    /// What positions with rows of their own make, and whether they stand in an image.
    Product(LowRank, Option<Grid>),
    /// What depends on the offset alone.
    Toeplitz(Toeplitz),
}

/// What is asked of every matrix of scores.
pub(super) struct ScoreFits {
    pub(super) fit: ToeplitzFit,
    pub(super) causal_r2: f64,
    pub(super) off_diagonal_r2: f64,
    pub(super) grid_fit: Option<GridFit>,
}

/// Transforms planned once for matrices of one size.
pub(super) struct Plans {
    line: DiagonalSummer,
    grid: Option<DiagonalSummer>,
}

impl Plans {
    pub(super) fn new(n: usize, grid: Option<Grid>) -> Self {
        Self {
            line: DiagonalSummer::new(n),
            grid: grid.map(DiagonalSummer::on),
        }
    }
}

impl Scores {
    pub(super) fn n(&self) -> usize {
        match self {
            Self::Product(a, _) => a.n(),
            Self::Toeplitz(f) => f.n(),
        }
    }

    pub(super) fn grid(&self) -> Option<Grid> {
        match self {
            Self::Product(_, grid) => *grid,
            Self::Toeplitz(_) => None,
        }
    }

    pub(super) fn plans(&self) -> Plans {
        Plans::new(self.n(), self.grid())
    }

    /// Exact block means of a window.
    pub(super) fn tile(&self, window: Window, limit: usize) -> Tile {
        match self {
            Self::Product(a, _) => a.tile(window, limit),
            Self::Toeplitz(f) => f.tile(window, limit),
        }
    }

    /// Rows `rows` against all keys: [rows, n].
    pub(super) fn rows(&self, rows: Range<usize>) -> Array2<f32> {
        match self {
            Self::Product(a, _) => a.rows(rows),
            Self::Toeplitz(f) => {
                let n = f.n();
                Array2::from_shape_fn((rows.len(), n), |(i, j)| {
                    f.profile()[j + n - 1 - (i + rows.start)] as f32
                })
            }
        }
    }

    /// The leading n positions.
    pub(super) fn leading(&self, n: usize) -> Self {
        self.block(0..n)
    }

    /// The positions `range` among themselves; they stand in no image any more.
    pub(super) fn block(&self, range: Range<usize>) -> Self {
        match self {
            Self::Product(a, _) => Self::Product(a.block(range), None),
            Self::Toeplitz(f) => {
                let (n, short) = (f.n() as i64, range.len() as i64);
                let inner = (n - short) as usize..(n + short - 1) as usize;
                Self::Toeplitz(Toeplitz::new(Profile::new(f.profile()[inner].to_vec())))
            }
        }
    }

    /// How much of the matrix its diagonals are.
    pub(super) fn fits(&self, plans: &Plans) -> ScoreFits {
        match self {
            Self::Product(a, _) => {
                let centred = Centred::new(a);
                let fit = ToeplitzFit::of_centred(&centred, &plans.line);
                ScoreFits {
                    causal_r2: fit.causal_r2(&centred),
                    off_diagonal_r2: fit.off_diagonal_r2(&centred),
                    fit,
                    grid_fit: plans
                        .grid
                        .as_ref()
                        .map(|on| GridFit::of_centred(&centred, on)),
                }
            }
            Self::Toeplitz(f) => ScoreFits {
                fit: exact(f),
                causal_r2: 1.0,
                off_diagonal_r2: 1.0,
                grid_fit: None,
            },
        }
    }

    /// The diagonal means and their R² alone.
    pub(super) fn fit(&self) -> ToeplitzFit {
        match self {
            Self::Product(a, _) => ToeplitzFit::of(a),
            Self::Toeplitz(f) => exact(f),
        }
    }
}

/// A Toeplitz matrix is its own fit.
pub(super) fn exact(f: &Toeplitz) -> ToeplitzFit {
    let (n, f) = (f.n(), f.profile());
    let sum: f64 = f
        .by_offset()
        .map(|(k, value)| f.cells(k) as f64 * value)
        .sum();
    ToeplitzFit {
        f: f.clone(),
        mean: sum / (n * n) as f64,
        r2: 1.0,
    }
}

/// Cells that a causal model does not use become no numbers.
pub(super) fn hide_unseen(mut block: Array2<f32>, first: usize, cells: Cells) -> Array2<f32> {
    if cells == Cells::Causal {
        for ((i, j), value) in block.indexed_iter_mut() {
            if j > i + first {
                *value = f32::NAN;
            }
        }
    }
    block
}

/// Standard deviation along each diagonal of the matrix that a fit is of.
pub(super) async fn deviations(a: &Scores, fit: &ToeplitzFit, watch: &impl Watch) -> Profile {
    let Scores::Product(a, _) = a else {
        // Nothing strays from the diagonals of a Toeplitz matrix.
        return Profile::from_fn(fit.f.n(), |_| 0.0);
    };
    let mut spread = fit.spread(a);
    while spread.step(ROWS_AT_ONCE) {
        watch.pause().await;
    }
    spread.deviations()
}
