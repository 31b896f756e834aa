//! Shares of explained variance, and the reasons why a share can be undefined.

use super::{
    blocks::cut,
    grid::Grid,
    low_rank::{LowRank, dot},
};
use ndarray::{Array2, ArrayView2, linalg::general_mat_mul, s};
use serde::{Deserialize, Serialize};
use std::{fmt, ops::Range};

/// Why a share of variance is NaN. `Display` gives the end of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoR2 {
    /// A number is infinite or NaN.
    NotFinite,
    /// All numbers are equal up to rounding, so there is no variance to explain.
    NothingVaries,
    /// The numbers are so small compared with those on the main diagonal that rounding hides them.
    DigitsLost,
}

impl NoR2 {
    /// Short form for a table cell.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotFinite => "not finite",
            Self::NothingVaries => "nothing varies",
            Self::DigitsLost => "digits lost",
        }
    }
}

impl fmt::Display for NoR2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFinite => "some scores are larger than single precision can hold",
            Self::NothingVaries => "nothing varies there, so there is no variance to explain",
            Self::DigitsLost => {
                "the other scores are so small beside the main diagonal that rounding hides them"
            }
        })
    }
}

/// Explained part of a total, between 0 and 1.
///
/// # Errors
/// If the total is not positive, or either number is not finite.
pub(super) fn share(explained: f64, total: f64) -> Result<f64, NoR2> {
    if !total.is_finite() || !explained.is_finite() {
        Err(NoR2::NotFinite)
    } else if total > 0.0 {
        Ok((explained / total).clamp(0.0, 1.0))
    } else {
        Err(NoR2::NothingVaries)
    }
}

/// Like [`share`], but treats a total of at most `rounding` as zero.
pub(super) fn share_above(rounding: f64, explained_share: f64, total: f64) -> Result<f64, NoR2> {
    if total <= rounding {
        return Err(NoR2::NothingVaries);
    }
    share(explained_share, total)
}

/// Share for numbers that depend on the offset by construction: 1.
///
/// # Errors
/// If they do not vary, or are not finite.
pub(super) fn share_of_function(values: impl Iterator<Item = f64>) -> Result<f64, NoR2> {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        if !value.is_finite() {
            return Err(NoR2::NotFinite);
        }
        (least, most) = (least.min(value), most.max(value));
    }
    let rounding = ROUNDINGS * f64::EPSILON * least.abs().max(most.abs());
    if most - least > rounding {
        Ok(1.0)
    } else {
        Err(NoR2::NothingVaries)
    }
}

/// Number of double-precision roundings by which equal numbers may differ.
pub(super) const ROUNDINGS: f64 = 8.0;

/// A difference of sums of squares smaller than this fraction of them has too few digits in single precision.
pub(super) const FAINT: f64 = 0.05;

/// The fraction below which single precision leaves no significant digit. If there are too many cells to form, R² is
/// lost.
pub(super) const LEAST_VARIANCE: f64 = 1e-3;

/// Maximum number of multiplications for cells: two seconds of a worker.
const MOST_MULTIPLICATIONS: u64 = 1 << 32;

/// Rows and columns whose products are formed at once.
const STRIP: usize = 128;
const DEPTH: usize = 256;

/// The cells of a matrix that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountedCells {
    /// The cells off the main diagonal.
    OffDiagonal,
    /// The cells j ≤ i.
    Causal,
}

/// Share of the variance of some cells that their offset on a grid explains. Each cell is formed in double precision,
/// and none is a difference of larger sums. O(n²·r): for matrices whose sums of squares leave too few digits.
///
/// # Errors
/// If nothing varies, if digits are lost even so, or if there are too many cells to form.
pub(super) fn share_of_cells(a: &LowRank, grid: Grid, counted: CountedCells) -> Result<f64, NoR2> {
    let n = a.n();
    if n < 2 {
        return Err(NoR2::NothingVaries);
    }
    let mirrored = is_mirrored(a, counted);
    let lower = mirrored || counted == CountedCells::Causal;
    if !may_form_cells(a, counted) {
        return Err(NoR2::DigitsLost);
    }
    let mut sums = OffsetSums::new(grid, dot(a.left().row(1), a.right().row(0)));
    for rows in cut(&(0..n), STRIP) {
        let keys = if lower { rows.end } else { n };
        let block = cells(a, rows.clone(), keys);
        for (i, row) in rows.zip(block.rows()) {
            match counted {
                CountedCells::Causal => sums.add(i, 0..i + 1, row.as_slice().unwrap_or_default()),
                CountedCells::OffDiagonal => {
                    let row = row.as_slice().unwrap_or_default();
                    sums.add(i, 0..i, row);
                    if !mirrored {
                        sums.add(i, i + 1..n, row);
                    }
                }
            }
        }
    }
    if mirrored {
        sums.mirror();
    }
    let (explained, total) = sums.explained_and_total(counted);
    let rounding = rounding_of_cells(a, counted);
    if !total.is_finite() {
        Err(NoR2::NotFinite)
    } else if total <= 4.0 * rounding {
        Err(NoR2::NothingVaries)
    } else if total < DIGITS * rounding {
        Err(NoR2::DigitsLost)
    } else {
        share(explained, total)
    }
}

/// Whether the cells on both sides of the main diagonal are equal.
fn is_mirrored(a: &LowRank, counted: CountedCells) -> bool {
    counted == CountedCells::OffDiagonal && a.is_symmetric()
}

/// Whether [`share_of_cells`] stays within [`MOST_MULTIPLICATIONS`].
pub(super) fn may_form_cells(a: &LowRank, counted: CountedCells) -> bool {
    let products = (a.n() as u64).pow(2) * a.left().ncols() as u64;
    let is_half = counted == CountedCells::Causal || is_mirrored(a, counted);
    products / if is_half { 2 } else { 1 } <= MOST_MULTIPLICATIONS
}

/// Minimum ratio of a sum of squares to that of its rounding errors for three significant digits.
const DIGITS: f64 = 1e6;

/// Rows of A against its first `keys` keys, without the shift.
fn cells(a: &LowRank, rows: Range<usize>, keys: usize) -> Array2<f64> {
    let mut block = Array2::zeros((rows.len(), keys));
    let wide = |part: ArrayView2<'_, f32>| part.mapv(f64::from);
    for columns in cut(&(0..a.left().ncols()), DEPTH) {
        let left = wide(a.left().slice(s![rows.clone(), columns.clone()]));
        let right = wide(a.right().slice(s![..keys, columns]));
        general_mat_mul(1.0, &left, &right.t(), 1.0, &mut block);
    }
    block
}

/// Sum of squares that rounding alone leaves: the error of a product of r terms is about √r roundings of the product of
/// its rows' lengths.
fn rounding_of_cells(a: &LowRank, counted: CountedCells) -> f64 {
    let lengths = |rows: ArrayView2<'_, f32>| -> Vec<f64> {
        rows.rows().into_iter().map(|row| dot(row, row)).collect()
    };
    let (left, right) = (lengths(a.left()), lengths(a.right()));
    let mut others = vec![0.0; left.len()];
    let mut before = 0.0;
    for (other, length) in others.iter_mut().zip(&right) {
        *other = before;
        before += length;
        if counted == CountedCells::Causal {
            *other = before;
        }
    }
    if counted == CountedCells::OffDiagonal {
        let mut after = 0.0;
        for (other, length) in others.iter_mut().zip(&right).rev() {
            *other += after;
            after += length;
        }
    }
    let squares: f64 = left.iter().zip(&others).map(|(x, y)| x * y).sum();
    (0.5 * f64::EPSILON).powi(2) * a.left().ncols() as f64 * squares
}

/// Sums by offset, and the sum of squares, of cells minus one of them.
struct OffsetSums {
    grid: Grid,
    origin: f64,
    sums: Vec<f64>,
    squares: f64,
    /// Index of each key's offset from the first query.
    keys: Vec<usize>,
}

impl OffsetSums {
    fn new(grid: Grid, origin: f64) -> Self {
        let (rows, reach) = grid.reach();
        let keys = (0..grid.cells()).map(|key| {
            let (y, x) = grid.place(key);
            (y + grid.height - 1) * reach + x + grid.width - 1
        });
        Self {
            grid,
            origin,
            sums: vec![0.0; rows * reach],
            squares: 0.0,
            keys: keys.collect(),
        }
    }

    /// Adds some keys of a query; `row` holds the cells of all keys up to them.
    fn add(&mut self, query: usize, keys: Range<usize>, row: &[f64]) {
        let (y, x) = self.grid.place(query);
        let back = y * self.grid.reach().1 + x;
        for (key, cell) in self.keys[keys.clone()].iter().zip(&row[keys]) {
            let deviation = cell - self.origin;
            self.sums[key - back] += deviation;
            self.squares += deviation * deviation;
        }
    }

    /// Adds the cells of a symmetric matrix on the other side of its main diagonal.
    fn mirror(&mut self) {
        let last = self.sums.len() - 1;
        for at in 0..self.sums.len() / 2 {
            let both = self.sums[at] + self.sums[last - at];
            (self.sums[at], self.sums[last - at]) = (both, both);
        }
        self.squares *= 2.0;
    }

    /// Sums of squares around the mean: of the means by offset, and of the cells.
    fn explained_and_total(&self, counted: CountedCells) -> (f64, f64) {
        let counts = |(dy, dx): (i64, i64)| match counted {
            CountedCells::OffDiagonal => (dy, dx) != (0, 0),
            CountedCells::Causal => dy < 0 || (dy == 0 && dx <= 0),
        };
        let (mut explained, mut sum, mut cells) = (0.0, 0.0, 0.0);
        let offsets = self.grid.offsets().zip(&self.sums);
        for ((dy, dx), of_offset) in offsets.filter(|(offset, _)| counts(*offset)) {
            let pairs = self.grid.pairs(dy, dx) as f64;
            explained += of_offset * of_offset / pairs;
            sum += of_offset;
            cells += pairs;
        }
        let of_mean = sum * sum / cells;
        (explained - of_mean, self.squares - of_mean)
    }
}
