//! A matrix of scores in its cheapest form: a thin product, its diagonals, or its values by offset on a grid.

use super::{
    AttentionMask,
    blocks::{Tile, Window},
    centred_matrix::CentredMatrix,
    diagonals::DiagonalSummer,
    grid::Grid,
    grid_toeplitz::{GridFit, GridToeplitz},
    low_rank::LowRank,
    offset_r2::OffsetR2,
    profile::Profile,
    toeplitz::{Spread, Toeplitz, ToeplitzFit},
};
use ndarray::{Array2, s};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Measure of similarity of two positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum Similarity {
    /// P = E·Eᵀ.
    #[default]
    InnerProduct,
    /// Inner product of rows scaled to length 1.
    Cosine,
}

/// Scores of n positions among themselves.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Scores {
    /// A product of row vectors of the positions, with their grid if they are in an image.
    Product(LowRank, Option<Grid>),
    /// Scores that depend on the offset alone.
    Toeplitz(Toeplitz),
    /// Scores that depend on the offset in an image alone.
    Grid(GridToeplitz),
}

/// Toeplitz fits of a matrix of scores.
#[derive(Debug, Clone)]
pub struct ScoreFits {
    /// Diagonal means, overall mean and R².
    pub fit: ToeplitzFit,
    /// R² over the cells off the main diagonal; NaN if undefined.
    pub off_diagonal_r2: f64,
    /// Means by (Δy, Δx), for positions in an image.
    pub grid_fit: Option<GridFit>,
    r2: OffsetR2,
    grid_r2: Option<OffsetR2>,
    causal: CausalR2,
}

/// R² over the cells j ≤ i, or the matrix from which it is computed.
#[derive(Debug, Clone)]
enum CausalR2 {
    Known(f64),
    Of(Box<CentredMatrix>),
}

impl ScoreFits {
    /// Fits a thin product with its mean removed.
    fn from_centred(centred: CentredMatrix, plans: &Plans) -> Self {
        let fit = ToeplitzFit::from_centred(&centred, &plans.line);
        let grid_fit = plans.grid.as_ref();
        let grid_fit = grid_fit.map(|on| GridFit::from_centred(&centred, on));
        let whole = |r2: f64| match fit.no_r2() {
            Some(why) => Err(why),
            None => Ok(r2),
        };
        let r2 = OffsetR2::new(whole(fit.r2), fit.off_diagonal(&centred));
        let grid_r2 = grid_fit.as_ref();
        let grid_r2 = grid_r2.map(|fit| OffsetR2::new(whole(fit.r2), fit.off_diagonal(&centred)));
        Self {
            off_diagonal_r2: r2.off_diagonal,
            r2,
            grid_r2,
            fit,
            grid_fit,
            causal: CausalR2::Of(Box::new(centred)),
        }
    }

    /// R² over the cells j ≤ i; NaN if undefined. Computed on demand, since for a wide table it takes longer than
    /// everything else.
    #[must_use]
    pub fn causal_r2(&self) -> f64 {
        match &self.causal {
            CausalR2::Known(r2) => *r2,
            CausalR2::Of(centred) => self.fit.causal_r2(centred),
        }
    }

    /// R² after row means are removed, see [`ToeplitzFit::softmax_r2`]; `None` for scores that depend on the offset
    /// alone.
    #[must_use]
    pub fn softmax_r2(&self) -> Option<SoftmaxR2> {
        let CausalR2::Of(centred) = &self.causal else {
            return None;
        };
        Some(SoftmaxR2 {
            all: self.fit.softmax_r2(centred, AttentionMask::Whole),
            causal: self.fit.softmax_r2(centred, AttentionMask::Causal),
            on_grid: self.grid_fit.as_ref().map(|fit| fit.softmax_r2(centred)),
        })
    }

    /// R² in one dimension.
    #[must_use]
    pub fn r2(&self) -> OffsetR2 {
        self.r2
    }

    /// R² in two dimensions, for positions in an image.
    #[must_use]
    pub fn grid_r2(&self) -> Option<OffsetR2> {
        self.grid_r2
    }
}

/// R² of scores after each row's mean is removed, to which softmax is invariant. Each is NaN if nothing varies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SoftmaxR2 {
    /// Over all cells.
    pub all: f64,
    /// Over the cells j ≤ i, with row means over the same cells.
    pub causal: f64,
    /// Over all cells in two dimensions, for positions in an image.
    pub on_grid: Option<f64>,
}

impl SoftmaxR2 {
    /// The R² for a mask; without a mask, the two-dimensional one for positions in an image.
    #[must_use]
    pub fn over(self, cells: AttentionMask) -> f64 {
        match cells {
            AttentionMask::Whole => self.on_grid.unwrap_or(self.all),
            AttentionMask::Causal => self.causal,
        }
    }
}

/// Transform plans for matrices of one size.
#[derive(Debug)]
pub struct Plans {
    line: DiagonalSummer,
    grid: Option<DiagonalSummer>,
}

impl Plans {
    /// Plans for n positions, and for their grid if they are in an image.
    #[must_use]
    pub fn new(n: usize, grid: Option<Grid>) -> Self {
        Self {
            line: DiagonalSummer::new(n),
            grid: grid.map(DiagonalSummer::on),
        }
    }
}

impl Scores {
    /// Inner products or cosines of a table's rows.
    #[must_use]
    pub fn from_table(table: Array2<f32>, grid: Option<Grid>, similarity: Similarity) -> Self {
        let p = match similarity {
            Similarity::InnerProduct => LowRank::gram(table),
            Similarity::Cosine => LowRank::cosine(table),
        };
        Self::Product(p, grid)
    }

    /// Number of positions.
    #[must_use]
    pub fn n(&self) -> usize {
        match self {
            Self::Product(a, _) => a.n(),
            Self::Toeplitz(f) => f.n(),
            Self::Grid(f) => f.n(),
        }
    }

    /// Grid of the positions, if they are in an image.
    #[must_use]
    pub fn grid(&self) -> Option<Grid> {
        match self {
            Self::Product(_, grid) => *grid,
            Self::Toeplitz(_) => None,
            Self::Grid(f) => Some(f.grid()),
        }
    }

    /// Count of stored numbers.
    #[must_use]
    pub fn numbers(&self) -> usize {
        match self {
            Self::Product(a, _) if a.is_symmetric() => a.left().len(),
            Self::Product(a, _) => a.left().len() + a.right().len(),
            Self::Toeplitz(f) => f.profile().len(),
            Self::Grid(f) => f.profile().len(),
        }
    }

    /// Transform plans for matrices of this size.
    #[must_use]
    pub fn plans(&self) -> Plans {
        Plans::new(self.n(), self.grid())
    }

    /// Exact block means of a window, with at most `limit` blocks per side.
    #[must_use]
    pub fn tile(&self, window: Window, limit: usize) -> Tile {
        match self {
            Self::Product(a, _) => a.tile(window, limit),
            Self::Toeplitz(f) => f.tile(window, limit),
            Self::Grid(f) => f.tile(window, limit),
        }
    }

    /// Rows `rows` against all keys: [rows, n].
    #[must_use]
    pub fn rows(&self, rows: Range<usize>) -> Array2<f32> {
        match self {
            Self::Product(a, _) => a.rows(rows),
            Self::Toeplitz(f) => f.rows(rows),
            Self::Grid(f) => f.rows(rows),
        }
    }

    /// Given rows in the order of `rows`, against all keys: [rows, n].
    #[must_use]
    pub fn rows_of(&self, rows: &[usize]) -> Array2<f32> {
        if let Self::Product(a, _) = self {
            return a.rows_of(rows);
        }
        let mut all = Array2::zeros((rows.len(), self.n()));
        for (mut row, &i) in all.rows_mut().into_iter().zip(rows) {
            row.assign(&self.rows(i..i + 1).row(0));
        }
        all
    }

    /// Cells whose key is `distance` after the query, by query.
    #[must_use]
    pub fn diagonal(&self, distance: usize) -> Vec<f64> {
        match self {
            Self::Product(a, _) => a.diagonal(distance),
            Self::Toeplitz(f) => {
                let value = f.at(distance as i64).unwrap_or(0.0);
                vec![value; f.n().saturating_sub(distance)]
            }
            Self::Grid(f) => (distance..f.n()).map(|j| f.cell(j - distance, j)).collect(),
        }
    }

    /// The scores of the first n positions among themselves.
    #[must_use]
    pub fn leading_block(&self, n: usize) -> Self {
        self.block(0..n)
    }

    /// The scores of the positions `range` among themselves. They keep a grid if the range covers all positions, or
    /// whole grid rows of scores by grid offset.
    #[must_use]
    pub fn block(&self, range: Range<usize>) -> Self {
        match self {
            _ if range == (0..self.n()) => self.clone(),
            Self::Product(a, _) => Self::Product(a.block(range), None),
            Self::Toeplitz(f) => Self::Toeplitz(f.leading_block(range.len())),
            Self::Grid(f) => {
                let width = f.grid().width;
                if range.start.is_multiple_of(width) && range.len().is_multiple_of(width) {
                    Self::Grid(f.of_rows(range.len() / width))
                } else if range.start / width == (range.end - 1) / width {
                    Self::Toeplitz(f.within_a_row(range.len()))
                } else {
                    // Parts of grid rows form no rectangle and do not depend on a single offset, so the cells are
                    // formed.
                    let cells = f
                        .rows(range.clone())
                        .slice(s![.., range.clone()])
                        .to_owned();
                    let unit = Array2::eye(range.len());
                    Self::Product(LowRank::product(cells, unit, 0.0), None)
                }
            }
        }
    }

    /// Computes the Toeplitz fits.
    #[must_use]
    pub fn fits(&self, plans: &Plans) -> ScoreFits {
        match self {
            Self::Product(a, _) => ScoreFits::from_centred(CentredMatrix::new(a), plans),
            Self::Toeplitz(f) => ScoreFits {
                fit: f.fit(),
                off_diagonal_r2: f.r2().off_diagonal,
                r2: f.r2(),
                grid_fit: None,
                grid_r2: None,
                causal: CausalR2::Known(f.causal_r2()),
            },
            Self::Grid(f) => {
                let r2 = f.r2_over(0..f.n());
                let causal = f.r2_of(0..f.n(), |k| k <= 0);
                ScoreFits {
                    fit: f.in_one_dimension(),
                    off_diagonal_r2: r2.off_diagonal,
                    r2,
                    grid_fit: Some(f.fit()),
                    grid_r2: Some(f.grid_r2()),
                    causal: CausalR2::Known(causal.unwrap_or(f64::NAN)),
                }
            }
        }
    }

    /// Computes only the diagonal means and their R².
    #[must_use]
    pub fn fit(&self) -> ToeplitzFit {
        match self {
            Self::Product(a, _) => ToeplitzFit::compute(a),
            Self::Toeplitz(f) => f.fit(),
            Self::Grid(f) => f.in_one_dimension(),
        }
    }

    /// R² of the positions `range` among themselves.
    #[must_use]
    pub fn r2_of(&self, range: Range<usize>) -> OffsetR2 {
        match self {
            Self::Product(a, _) => {
                let plans = Plans::new(range.len(), None);
                ScoreFits::from_centred(CentredMatrix::new(&a.block(range)), &plans).r2()
            }
            Self::Toeplitz(f) => f.leading_block(range.len()).r2(),
            Self::Grid(f) => f.r2_over(range),
        }
    }

    /// Starts the computation of the standard deviation around the diagonal means of `fit`, which must be the fit of
    /// this matrix.
    #[must_use]
    pub fn spread<'a>(&'a self, fit: &'a ToeplitzFit) -> ScoreSpread<'a> {
        match self {
            Self::Product(a, _) => ScoreSpread::Rows(fit.spread(a)),
            // A Toeplitz matrix does not deviate from its diagonal means.
            Self::Toeplitz(f) => ScoreSpread::Known(Profile::from_fn(f.n(), |_| 0.0)),
            Self::Grid(f) => ScoreSpread::Known(Profile::new(f.deviations())),
        }
    }
}

/// Standard deviation along each diagonal, computed in blocks of rows if cells must be formed.
#[derive(Debug)]
pub enum ScoreSpread<'a> {
    /// Computation in progress.
    Rows(Spread<'a>),
    /// Known from the scores by offset.
    Known(Profile),
}

impl ScoreSpread<'_> {
    /// Adds the next `rows` rows; returns whether rows are left.
    pub fn step(&mut self, rows: usize) -> bool {
        match self {
            Self::Rows(spread) => spread.step(rows),
            Self::Known(_) => false,
        }
    }

    /// Standard deviations by offset.
    #[must_use]
    pub fn deviations(self) -> Profile {
        match self {
            Self::Rows(spread) => spread.deviations(),
            Self::Known(deviations) => deviations,
        }
    }
}
