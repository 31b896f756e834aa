//! Toeplitz matrices, given by their diagonals, and Toeplitz fits of other matrices.

use super::{
    AttentionMask, Profile,
    blocks::{Tile, Window},
    centred_matrix::CentredMatrix,
    diagonal_cells,
    diagonals::{DiagonalSummer, add_squared_deviations},
    grid::Grid,
    low_rank::LowRank,
    offset_r2::OffsetR2,
    offsets,
    variance::{
        CountedCells, FAINT, LEAST_VARIANCE, NoR2, ROUNDINGS, may_form_cells, share,
        share_of_cells, share_of_function,
    },
};
use ndarray::Array2;
use row_kernels::finite_range;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, ops::Range};

/// The matrix A_ij = f(j − i), stored as f(−(n−1)) … f(n−1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Toeplitz {
    f: Profile,
}

impl Toeplitz {
    /// From the values f by offset.
    #[must_use]
    pub fn new(f: Profile) -> Self {
        Self { f }
    }

    /// An n×n matrix from a function of the offset.
    #[must_use]
    pub fn from_fn(n: usize, f: impl FnMut(i64) -> f64) -> Self {
        Self::new(Profile::from_fn(n, f))
    }

    /// Number of positions.
    #[must_use]
    pub fn n(&self) -> usize {
        self.f.n()
    }

    /// f by offset.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.f
    }

    /// f(k); `None` unless −n < k < n.
    #[must_use]
    pub fn at(&self, k: i64) -> Option<f64> {
        self.f.at(k)
    }

    /// Rows `rows` of the matrix, against all keys: [rows, n].
    #[must_use]
    pub fn rows(&self, rows: Range<usize>) -> Array2<f32> {
        let n = self.n();
        Array2::from_shape_fn((rows.len(), n), |(i, j)| {
            self.f[j + n - 1 - (i + rows.start)] as f32
        })
    }

    /// The matrix of the first n positions; any other n consecutive positions give the same.
    #[must_use]
    pub fn leading_block(&self, n: usize) -> Self {
        let most = self.n();
        let n = n.clamp(1, most);
        Self::new(Profile::new(self.f[most - n..most + n - 1].to_vec()))
    }

    /// The fit of the matrix, which is the matrix itself.
    #[must_use]
    pub fn fit(&self) -> ToeplitzFit {
        let n = self.n();
        let cells = (1 - n as i64..).map(|k| diagonal_cells(n, k) as f64);
        let sum: f64 = cells.zip(&self.f).map(|(cells, f)| cells * f).sum();
        ToeplitzFit {
            f: self.f.clone(),
            mean: sum / (n * n) as f64,
            r2: self.r2().all,
        }
    }

    /// R² of the matrix: 1, unless all values are equal.
    #[must_use]
    pub fn r2(&self) -> OffsetR2 {
        let others = self.f.by_offset().filter(|(k, _)| *k != 0);
        OffsetR2::new(
            share_of_function(self.f.iter().copied()),
            share_of_function(others.map(|(_, f)| f)),
        )
    }

    /// R² over the cells j ≤ i: 1, unless all values are equal. NaN if undefined.
    #[must_use]
    pub fn causal_r2(&self) -> f64 {
        share_of_function(self.f.lookback().iter().copied()).unwrap_or(f64::NAN)
    }

    /// Exact block means of a window, with at most `limit` blocks per side.
    #[must_use]
    pub fn tile(&self, window: Window, limit: usize) -> Tile {
        let range = self.cell_range(&window, AttentionMask::Whole);
        Tile::square(window, limit, |rows, cols| {
            let (Some(r0), Some(c0)) = (rows.first(), cols.first()) else {
                return Vec::new();
            };
            let (height, width) = (r0.len(), c0.len());
            // The mean of a square block depends on its diagonal alone.
            let base = c0.start as i64 - r0.start as i64;
            let of_diagonal: Vec<f32> = (1 - rows.len() as i64..cols.len() as i64)
                .map(|q| self.block_mean(base + q * height as i64, height, width))
                .collect();
            let square = cols.iter().take_while(|col| col.len() == height).count();
            let mut means = Vec::with_capacity(rows.len() * cols.len());
            for (p, row) in rows.iter().enumerate() {
                let square = if row.len() == height { square } else { 0 };
                means.extend_from_slice(&of_diagonal[rows.len() - 1 - p..][..square]);
                means.extend(cols[square..].iter().map(|col| {
                    let k = col.start as i64 - row.start as i64;
                    self.block_mean(k, row.len(), col.len())
                }));
            }
            means
        })
        .with_cells(range)
    }

    /// Minimum and maximum over the visible cells of a window.
    #[must_use]
    pub fn cell_range(&self, window: &Window, cells: AttentionMask) -> Option<(f32, f32)> {
        let last = |range: &Range<usize>| range.end as i64 - 1;
        // A rectangular window contains every offset between those of two opposite corners.
        let first = window.cols.start as i64 - last(&window.rows);
        let ahead = last(&window.cols) - window.rows.start as i64;
        let end = match cells {
            AttentionMask::Whole => ahead,
            AttentionMask::Causal => ahead.min(0),
        };
        let values: Vec<f32> = (first..=end)
            .filter_map(|k| self.at(k))
            .map(|f| f as f32)
            .collect();
        finite_range(&values)
    }

    /// Mean of f(j − i) over `height`×`width` cells, the first of which has the offset `k`. Offsets outside the matrix
    /// are left out of the mean.
    fn block_mean(&self, k: i64, height: usize, width: usize) -> f32 {
        let (mut sum, mut cells) = (0.0, 0.0);
        for t in 1 - height as i64..width as i64 {
            // Cells with j − i = k + t: rows 0..height shifted by t, intersected with columns 0..width.
            let count = (width as i64).min(height as i64 + t) - t.max(0);
            if let Some(f) = self.at(k + t) {
                sum += count as f64 * f;
                cells += count as f64;
            }
        }
        (sum / cells) as f32
    }
}

/// Least-squares Toeplitz fit of a thin product, with the variance it explains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToeplitzFit {
    /// Diagonal means f(k).
    pub f: Profile,
    /// Mean of all cells.
    pub mean: f64,
    /// Share of the variance over all cells that f(k) explains (TISA paper, appendix B); NaN if undefined, see
    /// [`Self::no_r2`].
    pub r2: f64,
}

impl ToeplitzFit {
    /// Fits all cells of A.
    #[must_use]
    pub fn compute(a: &LowRank) -> Self {
        let centred = CentredMatrix::new(a);
        Self::from_centred(&centred, &DiagonalSummer::new(a.n()))
    }

    /// Like [`Self::compute`], with the mean already removed and the transforms already planned.
    #[must_use]
    pub fn from_centred(a: &CentredMatrix, summer: &DiagonalSummer) -> Self {
        Self::from_sums(&summer.sums(a), a.mean(), a.total_squares())
    }

    /// Fits an n×n matrix cell by cell. For small matrices that are already in memory.
    #[must_use]
    pub fn from_cells(n: usize, cell: impl Fn(usize, usize) -> f64) -> Self {
        let each = |visit: &mut dyn FnMut(usize, f64)| {
            for i in 0..n {
                for j in 0..n {
                    visit(j + n - 1 - i, cell(i, j));
                }
            }
        };
        let mut mean = 0.0;
        each(&mut |_, value| mean += value / (n * n) as f64);
        let (mut sums, mut squares) = (vec![0.0; 2 * n.max(1) - 1], 0.0);
        each(&mut |diagonal, value| {
            sums[diagonal] += value - mean;
            squares += (value - mean).powi(2);
        });
        // The rounding error of a constant is not variance.
        let rounding = (n as f64 * mean * ROUNDINGS * f64::EPSILON).powi(2);
        Self::from_sums(&sums, mean, if squares > rounding { squares } else { 0.0 })
    }

    /// Why `r2` is undefined; `None` if it is defined.
    #[must_use]
    pub fn no_r2(&self) -> Option<NoR2> {
        if !self.r2.is_nan() {
            None
        } else if self.mean.is_finite() && self.f.iter().all(|f| f.is_finite()) {
            Some(NoR2::NothingVaries)
        } else {
            Some(NoR2::NotFinite)
        }
    }

    /// From the sums of A − mean along the diagonals and the sum of its squares.
    pub(super) fn from_sums(sums: &[f64], mean: f64, total_squares: f64) -> Self {
        let n = sums.len().div_ceil(2);
        let diagonals = || {
            let offsets = offsets(n).zip(sums);
            offsets.map(|(k, sum)| (sum, diagonal_cells(n, k) as f64))
        };
        let explained = diagonals().map(|(sum, cells)| sum * sum / cells).sum();
        Self {
            f: Profile::new(diagonals().map(|(sum, cells)| mean + sum / cells).collect()),
            mean,
            r2: share(explained, total_squares).unwrap_or(f64::NAN),
        }
    }

    /// R² over the cells j ≤ i; NaN if undefined.
    #[must_use]
    pub fn causal_r2(&self, a: &CentredMatrix) -> f64 {
        let (mut sum, mut squares, mut cells) = (0.0, 0.0, 0.0);
        for (k, f) in self.f.by_offset().filter(|(k, _)| *k <= 0) {
            let (deviation, count) = (f - self.mean, self.f.cells(k) as f64);
            sum += count * deviation;
            squares += count * deviation * deviation;
            cells += count;
        }
        let of_mean = sum * sum / cells;
        let whole = a.causal_squares();
        let left = whole - of_mean;
        // If the other cells are far larger, the visible ones have few digits in single precision.
        let is_faint = left < FAINT * whole || left < FAINT * FAINT * a.total_squares();
        let needs_cells = is_faint
            && (may_form_cells(a.product(), CountedCells::Causal)
                || left < LEAST_VARIANCE * whole.max(a.total_squares()));
        let r2 = if needs_cells {
            share_of_cells(a.product(), Grid::line(a.n()), CountedCells::Causal)
        } else {
            share(squares - of_mean, left)
        };
        r2.unwrap_or(f64::NAN)
    }

    /// R² over the cells off the main diagonal, which leaves out how alike a position is to itself; NaN if undefined.
    #[must_use]
    pub fn off_diagonal_r2(&self, a: &CentredMatrix) -> f64 {
        self.off_diagonal(a).unwrap_or(f64::NAN)
    }

    /// Like [`Self::off_diagonal_r2`], with the reason if it is undefined.
    pub(super) fn off_diagonal(&self, a: &CentredMatrix) -> Result<f64, NoR2> {
        let others = self.f.by_offset().filter(|(k, _)| *k != 0);
        let others = others.map(|(k, f)| (self.f.cells(k), f - self.mean));
        off_diagonal_share(a, Grid::line(a.n()), others)
    }

    /// R² of A after each row's mean over the visible cells is removed, since softmax of a row is invariant to a
    /// constant. `self` must be the fit of A. Uses the known sums; the cells j ≤ i cost O(n·r²) more. NaN if undefined.
    #[must_use]
    pub fn softmax_r2(&self, a: &CentredMatrix, cells: AttentionMask) -> f64 {
        let by_query = a.by_query_of_softmax(cells);
        // Cumulative sum over queries of the removed row means.
        let mut removed = vec![0.0; a.n() + 1];
        for (row, (before, after)) in a.by_query.iter().zip(&by_query).enumerate() {
            removed[row + 1] = removed[row] + before - after;
        }
        let counts = |k: i64| cells == AttentionMask::Whole || k <= 0;
        let explained = (self.f.by_offset())
            .filter(|(k, _)| counts(*k))
            .map(|(k, f)| {
                let (first, cells) = ((-k).max(0) as usize, self.f.cells(k));
                let removed = a.unit() * (removed[first + cells] - removed[first]);
                (cells as f64 * (f - self.mean) - removed).powi(2) / cells as f64
            })
            .sum();
        let total = match cells {
            AttentionMask::Whole => a.total_squares_with(&by_query),
            AttentionMask::Causal => a.causal_squares_with(&by_query),
        };
        share(explained, total).unwrap_or(f64::NAN)
    }

    /// The fitted matrix.
    #[must_use]
    pub fn toeplitz(&self) -> Toeplitz {
        Toeplitz::new(self.f.clone())
    }

    /// Starts the computation of the standard deviation of A along its diagonals.
    #[must_use]
    pub fn spread<'a>(&'a self, a: &'a LowRank) -> Spread<'a> {
        let (a, unit) = a.in_ordinary_units();
        Spread {
            f: match unit {
                1.0 => Cow::Borrowed(&self.f),
                _ => self.f.iter().map(|f| f / unit).collect(),
            },
            a,
            unit,
            next_row: 0,
            squares: vec![0.0; self.f.len()],
        }
    }
}

/// Standard deviation along each diagonal, computed in blocks of rows.
#[derive(Debug)]
pub struct Spread<'a> {
    a: Cow<'a, LowRank>,
    f: Cow<'a, [f64]>,
    /// Factor from the deviations of `a` to those of the original matrix.
    unit: f64,
    next_row: usize,
    squares: Vec<f64>,
}

impl Spread<'_> {
    /// Adds the next `rows` rows; returns whether rows are left.
    pub fn step(&mut self, rows: usize) -> bool {
        let next: Range<usize> = self.next_row..(self.next_row + rows).min(self.a.n());
        self.next_row = next.end;
        add_squared_deviations(&self.a, &self.f, next, &mut self.squares);
        self.next_row < self.a.n()
    }

    /// Standard deviations by offset. The sum of cells·deviation² is the part that R² leaves unexplained.
    #[must_use]
    pub fn deviations(self) -> Profile {
        let squares = Profile::new(self.squares);
        squares.map(|k, sum| self.unit * (sum / squares.cells(k) as f64).sqrt())
    }
}

/// Share of the variance over the cells off the main diagonal that the offset on a grid explains. `others` lists, for
/// every offset except zero, the number of cells and the difference of their mean from the mean of all cells.
///
/// # Errors
/// If it is undefined; see [`NoR2`].
pub(super) fn off_diagonal_share(
    a: &CentredMatrix,
    grid: Grid,
    others: impl Iterator<Item = (usize, f64)>,
) -> Result<f64, NoR2> {
    let n = a.n();
    let (mut explained, mut sum) = (0.0, 0.0);
    for (cells, deviation) in others {
        explained += cells as f64 * deviation.powi(2);
        sum += cells as f64 * deviation;
    }
    let on_diagonal: f64 = (0..n).map(|i| a.cell(i, i).powi(2)).sum();
    let of_mean = sum * sum / (n * n.saturating_sub(1)).max(1) as f64;
    let whole = a.total_squares();
    let left = whole - on_diagonal - of_mean;
    let product = a.product();
    let is_faint = left < FAINT * whole
        && (may_form_cells(product, CountedCells::OffDiagonal) || left < LEAST_VARIANCE * whole);
    if n < 3 || is_faint {
        share_of_cells(product, grid, CountedCells::OffDiagonal)
    } else {
        share(explained - of_mean, left)
    }
}
