//! A matrix as a product of two thin ones, A = L·Rᵀ + shift.
//!
//! Position scores are such products: P = E·Eᵀ, and a head's scores are Q·Kᵀ. A is never formed as a whole; cells, rows
//! and block means come from the factors.

use super::{
    blocks::{Tile, Window, cut, mean_rows, rows_of},
    matrix_product::product,
    product_tiles::ProductTiles,
};
use ndarray::{ArcArray2, Array1, Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, ops::Range};

/// Factors whose largest number lies between 2^−8 and 2^8 are ordinary: sums of their sixth powers over all possible
/// positions and columns are within the range of single precision.
const ORDINARY: i32 = 8;

/// A = L·Rᵀ + shift with L and R of shape [n, r]; R may be L itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LowRank {
    #[serde(with = "super::as_bytes")]
    left: ArcArray2<f32>,
    #[serde(with = "super::as_bytes::option")]
    right: Option<ArcArray2<f32>>,
    shift: f64,
}

impl LowRank {
    /// E·Eᵀ for E [n, d].
    #[must_use]
    pub fn gram(e: Array2<f32>) -> Self {
        Self {
            left: e.into(),
            right: None,
            shift: 0.0,
        }
    }

    /// The cosine matrix of the rows of E: every row scaled to length one. Rows of zeros stay zero.
    #[must_use]
    pub fn cosine(mut e: Array2<f32>) -> Self {
        for mut row in e.rows_mut() {
            let norm = row
                .iter()
                .map(|&v| f64::from(v).powi(2))
                .sum::<f64>()
                .sqrt();
            if norm > 0.0 {
                row.mapv_inplace(|v| (f64::from(v) / norm) as f32);
            }
        }
        Self::gram(e)
    }

    /// Makes L·Rᵀ + shift.
    ///
    /// # Panics
    /// If the shapes differ.
    #[must_use]
    pub fn product(left: Array2<f32>, right: Array2<f32>, shift: f64) -> Self {
        assert_eq!(left.dim(), right.dim(), "both factors are [n, r]");
        Self {
            left: left.into(),
            right: Some(right.into()),
            shift,
        }
    }

    /// Number of rows, equal to the number of columns.
    #[must_use]
    pub fn n(&self) -> usize {
        self.left.nrows()
    }

    /// The left factor [n, r].
    #[must_use]
    pub fn left(&self) -> ArrayView2<'_, f32> {
        self.left.view()
    }

    /// The right factor [n, r].
    #[must_use]
    pub fn right(&self) -> ArrayView2<'_, f32> {
        self.right.as_ref().unwrap_or(&self.left).view()
    }

    /// Whether A = L·Lᵀ, so that A is symmetric.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.right.is_none()
    }

    /// The constant added to every cell.
    #[must_use]
    pub fn shift(&self) -> f64 {
        self.shift
    }

    /// One cell, summed in `f64`.
    #[must_use]
    pub fn cell(&self, i: usize, j: usize) -> f64 {
        dot(self.left.row(i), self.right().row(j)) + self.shift
    }

    /// Cells whose key is `distance` after the query, by query, each summed in `f64`.
    #[must_use]
    pub fn diagonal(&self, distance: usize) -> Vec<f64> {
        (distance..self.n())
            .map(|j| self.cell(j - distance, j))
            .collect()
    }

    /// Rows `rows` of A, against all keys: [rows, n].
    #[must_use]
    pub fn rows(&self, rows: Range<usize>) -> Array2<f32> {
        let mut block = product(self.left.slice(s![rows, ..]), self.right().t(), 1.0);
        if self.shift != 0.0 {
            block += self.shift as f32;
        }
        block
    }

    /// Given rows of A in the order of `rows`, against all keys: [rows, n].
    #[must_use]
    pub fn rows_of(&self, rows: &[usize]) -> Array2<f32> {
        let chosen = self.left.select(Axis(0), rows);
        let mut block = product(chosen.view(), self.right().t(), 1.0);
        if self.shift != 0.0 {
            block += self.shift as f32;
        }
        block
    }

    /// A divided by a power of two, and that power, chosen so that products of the factors are ordinary numbers.
    /// Returns A itself and 1 if they already are.
    pub(super) fn in_ordinary_units(&self) -> (Cow<'_, Self>, f64) {
        let of_left = unit_of(largest(self.left()).into());
        let of_right = match &self.right {
            Some(right) => unit_of(largest(right.view()).into()),
            None => of_left,
        };
        let unit = of_left * of_right;
        if of_left == 1.0 && of_right == 1.0 {
            return (Cow::Borrowed(self), 1.0);
        }
        let over = |m: &ArcArray2<f32>, unit: f64| m.mapv(|v| (f64::from(v) / unit) as f32).into();
        let scaled = Self {
            left: over(&self.left, of_left),
            right: self.right.as_ref().map(|right| over(right, of_right)),
            shift: self.shift / unit,
        };
        (Cow::Owned(scaled), unit)
    }

    /// The square block of A over the positions `range`.
    #[must_use]
    pub fn block(&self, range: Range<usize>) -> Self {
        Self {
            left: rows_of(&self.left, &range),
            right: self.right.as_ref().map(|right| rows_of(right, &range)),
            shift: self.shift,
        }
    }

    /// Exact block means of a window, with at most `limit` blocks per side.
    ///
    /// The mean over a block is (mean of L's rows)·(mean of R's rows), so the cost is p²·r for p×p blocks for any n,
    /// and half of that if queries and keys are equal.
    #[must_use]
    pub fn tile(&self, window: Window, limit: usize) -> Tile {
        let means = self.means_in_pieces(&window, limit).form();
        self.tile_of(window, limit, means)
    }

    /// The means of [`Self::tile`] without the shift, as a product in pieces that are not yet formed.
    pub(crate) fn means_in_pieces(&self, window: &Window, limit: usize) -> ProductTiles {
        let step = window.step(limit);
        let means = |factor: &ArcArray2<f32>, range: &Range<usize>| {
            if step == 1 {
                rows_of(factor, range)
            } else {
                mean_rows(factor.view(), &cut(range, step)).into()
            }
        };
        let right = self.right.as_ref().unwrap_or(&self.left);
        let is_gram = self.is_symmetric() && window.rows == window.cols;
        ProductTiles::new(
            means(&self.left, &window.rows),
            (!is_gram).then(|| means(right, &window.cols)),
        )
    }

    /// Makes a tile of the means from [`Self::means_in_pieces`].
    pub(crate) fn tile_of(&self, window: Window, limit: usize, mut means: Array2<f32>) -> Tile {
        if self.shift != 0.0 {
            means += self.shift as f32;
        }
        Tile::square(window, limit, |_, _| means.into_raw_vec_and_offset().0)
    }
}

/// Largest absolute value, ignoring NaN; 0 for an empty matrix.
pub(super) fn largest(matrix: ArrayView2<'_, f32>) -> f32 {
    // Compares bit patterns, which are ordered like the absolute values: integer maxima vectorise.
    let matrix = matrix.as_standard_layout();
    let values = matrix.as_slice().unwrap_or_default().iter();
    let sizes = values.map(|value| match value.abs().to_bits() {
        size if size <= f32::INFINITY.to_bits() => size,
        _ => 0,
    });
    f32::from_bits(sizes.fold(0, u32::max))
}

/// The power of two in whose units numbers up to `largest` are ordinary; 1 if they already are, or if `largest` is not
/// finite.
pub(super) fn unit_of(largest: f64) -> f64 {
    if largest == 0.0 || !largest.is_finite() {
        return 1.0;
    }
    let exponent = largest.log2().floor() as i32;
    if exponent.abs() <= ORDINARY {
        1.0
    } else {
        f64::from(exponent).exp2()
    }
}

/// Dot product of two rows in `f64`.
pub(crate) fn dot(a: ndarray::ArrayView1<'_, f32>, b: ndarray::ArrayView1<'_, f32>) -> f64 {
    a.iter()
        .zip(b)
        .map(|(&x, &y)| f64::from(x) * f64::from(y))
        .sum()
}

/// Column means in `f64`.
pub(crate) fn column_means(matrix: ArrayView2<'_, f32>) -> Array1<f64> {
    let mut sums = Array1::<f64>::zeros(matrix.ncols());
    for row in matrix.rows() {
        sums.zip_mut_with(&row, |sum, &v| *sum += f64::from(v));
    }
    sums / matrix.nrows().max(1) as f64
}
