//! Toeplitz matrices: given by their diagonals, and the one closest to another matrix.

use super::{
    AttentionMask, Profile,
    blocks::{Tile, Window},
    centred::Centred,
    diagonal_cells,
    diagonals::{DiagonalSummer, add_squared_deviations},
    grid::Grid,
    low_rank::LowRank,
    offset_r2::OffsetR2,
    offsets,
    variance::{
        Counted, FAINT, LOST, NoR2, ROUNDINGS, may_form_cells, share, share_of_cells,
        share_of_function,
    },
};
use ndarray::Array2;
use row_kernels::finite_range;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, ops::Range};

/// The matrix A_ij = f(j − i), kept as f(−(n−1)) … f(n−1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Toeplitz {
    f: Profile,
}

impl Toeplitz {
    /// From f by offset.
    #[must_use]
    pub fn new(f: Profile) -> Self {
        Self { f }
    }

    /// n×n from a function of the offset.
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

    /// f(k), if −n < k < n.
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

    /// The leading n positions among themselves; any n in a row are the same.
    #[must_use]
    pub fn leading(&self, n: usize) -> Self {
        let most = self.n();
        let n = n.clamp(1, most);
        Self::new(Profile::new(self.f[most - n..most + n - 1].to_vec()))
    }

    /// The fit that this matrix is of itself.
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

    /// R² of the matrix: 1, unless nothing varies.
    #[must_use]
    pub fn r2(&self) -> OffsetR2 {
        let others = self.f.by_offset().filter(|(k, _)| *k != 0);
        OffsetR2::new(
            share_of_function(self.f.iter().copied()),
            share_of_function(others.map(|(_, f)| f)),
        )
    }

    /// R² of the cells j ≤ i: 1, unless nothing varies.
    #[must_use]
    pub fn causal_r2(&self) -> f64 {
        share_of_function(self.f.lookback().iter().copied()).unwrap_or(f64::NAN)
    }

    /// Exact block means of a window, at most `limit` blocks a side.
    #[must_use]
    pub fn tile(&self, window: Window, limit: usize) -> Tile {
        let range = self.cell_range(&window, AttentionMask::Whole);
        Tile::square(window, limit, |rows, cols| {
            let (Some(r0), Some(c0)) = (rows.first(), cols.first()) else {
                return Vec::new();
            };
            let (height, width) = (r0.len(), c0.len());
            // A square block's mean depends on its diagonal alone.
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

    /// The least and the greatest cell of a window, among those that count.
    #[must_use]
    pub fn cell_range(&self, window: &Window, cells: AttentionMask) -> Option<(f32, f32)> {
        let last = |range: &Range<usize>| range.end as i64 - 1;
        // A window without a corner missing has every offset from one to the other.
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

    /// Mean of f(j − i) over `height`×`width` cells whose first has the offset `k`. Offsets outside the
    /// matrix count as absent.
    fn block_mean(&self, k: i64, height: usize, width: usize) -> f32 {
        let (mut sum, mut cells) = (0.0, 0.0);
        for t in 1 - height as i64..width as i64 {
            // Cells with j − i = k + t: rows 0..height shifted by t, met with columns 0..width.
            let count = (width as i64).min(height as i64 + t) - t.max(0);
            if let Some(f) = self.at(k + t) {
                sum += count as f64 * f;
                cells += count as f64;
            }
        }
        (sum / cells) as f32
    }
}

/// The Toeplitz matrix closest to a thin product in least squares, and how much it explains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToeplitzFit {
    /// Its diagonal means f(k).
    pub f: Profile,
    /// The mean of all cells.
    pub mean: f64,
    /// Share of the variance of all cells that f(k) explains (TISA paper, appendix B); not a number where there is
    /// none, see [`Self::no_r2`].
    pub r2: f64,
}

impl ToeplitzFit {
    /// Fits all cells of A.
    #[must_use]
    pub fn of(a: &LowRank) -> Self {
        let centred = Centred::new(a);
        Self::of_centred(&centred, &DiagonalSummer::new(a.n()))
    }

    /// The same with the mean already taken out and transforms already planned.
    #[must_use]
    pub fn of_centred(a: &Centred, summer: &DiagonalSummer) -> Self {
        Self::of_sums(&summer.sums(a), a.mean(), a.total_squares())
    }

    /// Fits an n×n matrix cell by cell: for one so small that it is at hand anyway.
    #[must_use]
    pub fn of_cells(n: usize, cell: impl Fn(usize, usize) -> f64) -> Self {
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
        // What is left of a constant after rounding is no variance.
        let rounding = (n as f64 * mean * ROUNDINGS * f64::EPSILON).powi(2);
        Self::of_sums(&sums, mean, if squares > rounding { squares } else { 0.0 })
    }

    /// Why there is no R², where there is none.
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

    /// From the sums of A − mean along its diagonals, and the sum of its squares.
    pub(super) fn of_sums(sums: &[f64], mean: f64, total_squares: f64) -> Self {
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

    /// R² over the cells j ≤ i alone; not a number where there is none.
    #[must_use]
    pub fn causal_r2(&self, a: &Centred) -> f64 {
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
        // Among cells that are far larger, those that count have few digits of single precision.
        let is_faint = left < FAINT * whole || left < FAINT * FAINT * a.total_squares();
        let needs_cells = is_faint
            && (may_form_cells(a.product(), Counted::Causal)
                || left < LOST * whole.max(a.total_squares()));
        let found = if needs_cells {
            share_of_cells(a.product(), Grid::line(a.n()), Counted::Causal)
        } else {
            share(squares - of_mean, left)
        };
        found.unwrap_or(f64::NAN)
    }

    /// R² over the cells off the main diagonal: what is left when "same position" is not counted. Not a number where
    /// there is none.
    #[must_use]
    pub fn off_diagonal_r2(&self, a: &Centred) -> f64 {
        self.off_diagonal(a).unwrap_or(f64::NAN)
    }

    /// The same, or why there is none.
    pub(super) fn off_diagonal(&self, a: &Centred) -> Result<f64, NoR2> {
        let others = self.f.by_offset().filter(|(k, _)| *k != 0);
        let others = others.map(|(k, f)| (self.f.cells(k), f - self.mean));
        off_diagonal_share(a, Grid::line(a.n()), others)
    }

    /// R² of what softmax sees of A, whose fit this is: each row minus its mean over the cells that count, because
    /// softmax of a row does not change with a constant. From the sums that are known, n·r² more for the cells j ≤ i.
    /// Not a number where there is none.
    #[must_use]
    pub fn softmax_r2(&self, a: &Centred, cells: AttentionMask) -> f64 {
        let by_query = a.by_query_of_softmax(cells);
        // Sum of the losses of all queries before one.
        let mut lost = vec![0.0; a.n() + 1];
        for (row, (before, after)) in a.by_query.iter().zip(&by_query).enumerate() {
            lost[row + 1] = lost[row] + before - after;
        }
        let counts = |k: i64| cells == AttentionMask::Whole || k <= 0;
        let explained = (self.f.by_offset())
            .filter(|(k, _)| counts(*k))
            .map(|(k, f)| {
                let (first, cells) = ((-k).max(0) as usize, self.f.cells(k));
                let lost = a.unit() * (lost[first + cells] - lost[first]);
                (cells as f64 * (f - self.mean) - lost).powi(2) / cells as f64
            })
            .sum();
        let total = match cells {
            AttentionMask::Whole => a.total_squares_with(&by_query),
            AttentionMask::Causal => a.causal_squares_with(&by_query),
        };
        share(explained, total).unwrap_or(f64::NAN)
    }

    /// The matrix of the fit.
    #[must_use]
    pub fn toeplitz(&self) -> Toeplitz {
        Toeplitz::new(self.f.clone())
    }

    /// Starts the spread of A around its diagonal means.
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
            done: 0,
            squares: vec![0.0; self.f.len()],
        }
    }
}

/// Standard deviation along each diagonal, taken a block of rows at a time.
#[derive(Debug)]
pub struct Spread<'a> {
    a: Cow<'a, LowRank>,
    f: Cow<'a, [f64]>,
    /// What deviations are multiplied by to be those of A.
    unit: f64,
    done: usize,
    squares: Vec<f64>,
}

impl Spread<'_> {
    /// Takes the next rows; true while there are more.
    pub fn step(&mut self, rows: usize) -> bool {
        let next: Range<usize> = self.done..(self.done + rows).min(self.a.n());
        self.done = next.end;
        add_squared_deviations(&self.a, &self.f, next, &mut self.squares);
        self.done < self.a.n()
    }

    /// The standard deviations by offset. The sum of cells·deviation² is what R² leaves unexplained.
    #[must_use]
    pub fn deviations(self) -> Profile {
        let squares = Profile::new(self.squares);
        squares.map(|k, sum| self.unit * (sum / squares.cells(k) as f64).sqrt())
    }
}

/// The share of the variance of the cells off the main diagonal that offsets on a grid explain: of all offsets but zero,
/// the number of cells and by how much their mean differs from the mean of all cells.
///
/// # Errors
/// When there is none.
pub(super) fn off_diagonal_share(
    a: &Centred,
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
        && (may_form_cells(product, Counted::OffDiagonal) || left < LOST * whole);
    if n < 3 || is_faint {
        share_of_cells(product, grid, Counted::OffDiagonal)
    } else {
        share(explained - of_mean, left)
    }
}
