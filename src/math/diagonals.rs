//! Sums along the diagonals of a thin product, by Fourier transform.
//!
//! Σ_i A_{i,i+k} of A = L·Rᵀ is the sum over columns of the cross-correlations of L and R: r transforms of length ≥ 2n
//! in place of n²·r products. Two real columns are packed into one complex one, and the spectra are added up before the
//! single inverse transform. The forward transforms use the library's SIMD version, which takes 0.54 times as long as
//! the scalar one; the inverse runs once, in double precision.
//!
//! Positions on a grid are laid out as a line: w − 1 zeros after each row of w positions keep the rows apart, so (Δy,
//! Δx) becomes the single offset Δy·(2w − 1) + Δx. A line is a grid with one row.

use super::{
    centred_matrix::CentredMatrix,
    grid::Grid,
    low_rank::{LowRank, dot},
};
use ndarray::{ArrayView2, s};
use rustfft::{Fft, FftDirection, FftPlannerWasmSimd, algorithm::Radix4, num_complex::Complex};
use std::sync::Arc;

/// Diagonals of at most this many cells are summed directly, because the rounding error of a transform is relative to
/// the longest diagonal.
const CORNER: usize = 48;

/// Columns gathered at once, so that rows are read in whole cache lines.
const COLUMNS: usize = 16;

/// Transform plans for the diagonal sums of n×n products; reuse them for every head.
pub struct DiagonalSummer {
    grid: Grid,
    length: usize,
    forward: Arc<dyn Fft<f32>>,
    back: Radix4<f64>,
}

impl std::fmt::Debug for DiagonalSummer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiagonalSummer")
            .field("grid", &self.grid)
            .finish_non_exhaustive()
    }
}

impl DiagonalSummer {
    /// Plans for n positions.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Self::on(Grid::line(n))
    }

    /// Plans for positions on a grid, whose diagonals are the cells with equal (Δy, Δx).
    #[must_use]
    pub fn on(grid: Grid) -> Self {
        let line = grid.height.saturating_sub(1) * pitch(grid) + grid.width;
        let length = (2 * line).next_power_of_two();
        // The SIMD planner exists only in WebAssembly.
        let forward = match FftPlannerWasmSimd::new() {
            Ok(mut planner) => planner.plan_fft_forward(length),
            Err(()) => Arc::new(Radix4::new(length, FftDirection::Forward)),
        };
        Self {
            grid,
            length,
            forward,
            back: Radix4::new(length, FftDirection::Inverse),
        }
    }

    /// Grid of the positions.
    #[must_use]
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Σ_i (A − mean)_{i,i+k} for k = −(n−1) … n−1; on a grid, the sum over all cells of an offset, in the order of
    /// [`Grid::offsets`].
    ///
    /// # Panics
    /// If the number of positions of `a` differs from the plan.
    #[must_use]
    pub fn sums(&self, a: &CentredMatrix) -> Vec<f64> {
        assert_eq!(a.n(), self.grid.cells(), "planned for another length");
        let grid = self.grid;
        let mut sums = self.correlation(a);
        let queries = Rectangles::new(grid, &a.by_query);
        let keys = Rectangles::new(grid, &a.by_key);
        for (sum, (dy, dx)) in sums.iter_mut().zip(grid.offsets()) {
            let first = |by: i64| by.max(0) as usize;
            let (i, j) = ((first(-dy), first(-dx)), (first(dy), first(dx)));
            let (rows, columns) = (grid.height - i.0 - j.0, grid.width - i.1 - j.1);
            if rows * columns <= CORNER {
                *sum = (0..rows)
                    .flat_map(|y| (0..columns).map(move |x| y * grid.width + x))
                    .map(|t| {
                        let query = i.0 * grid.width + i.1 + t;
                        let key = j.0 * grid.width + j.1 + t;
                        dot(a.left().row(query), a.right().row(key))
                    })
                    .sum();
            }
            *sum += queries.sum(i, rows, columns) + keys.sum(j, rows, columns);
            *sum *= a.unit();
        }
        sums
    }

    /// Diagonal sums of L̃·R̃ᵀ alone.
    fn correlation(&self, a: &CentredMatrix) -> Vec<f64> {
        let mut spectrum = vec![Complex::new(0.0_f64, 0.0); self.length];
        let mut power = vec![0.0_f32; self.length];
        let pairs = || Pairs::new(self.grid, self.length);
        let (mut left, mut right) = (pairs(), pairs());
        let mut scratch = vec![Complex::default(); self.forward.get_inplace_scratch_len()];
        let symmetric = a.left().as_ptr() == a.right().as_ptr();
        let columns = a.left().ncols();
        for first in (0..columns).step_by(COLUMNS) {
            let part = s![.., first..(first + COLUMNS).min(columns)];
            left.gather(a.left().slice(part));
            left.transform(&*self.forward, &mut scratch);
            if symmetric {
                for pair in left.iter() {
                    for (sum, x) in power.iter_mut().zip(pair) {
                        *sum += x.norm_sqr();
                    }
                }
                // A few squares are added in single precision, many only in double precision.
                for (sum, power) in spectrum.iter_mut().zip(&mut power) {
                    sum.re += f64::from(std::mem::take(power));
                }
                continue;
            }
            right.gather(a.right().slice(part));
            right.transform(&*self.forward, &mut scratch);
            for (x, y) in left.iter().zip(right.iter()) {
                for (sum, (x, y)) in spectrum.iter_mut().zip(x.iter().zip(y)) {
                    let product = x.conj() * y;
                    sum.re += f64::from(product.re);
                    sum.im += f64::from(product.im);
                }
            }
        }
        self.back.process(&mut spectrum);
        let (pitch, length) = (pitch(self.grid) as i64, self.length as i64);
        self.grid
            .offsets()
            .map(|(dy, dx)| (dy * pitch + dx).rem_euclid(length) as usize)
            .map(|lag| spectrum[lag].re / self.length as f64)
            .collect()
    }
}

/// Distance between grid rows on the line: w positions and w − 1 zeros.
fn pitch(grid: Grid) -> usize {
    grid.reach().1
}

/// Columns 2p and 2p+1 of a matrix as real and imaginary part of pair p, zero-padded. The real part of the correlation
/// of two pairs is the sum of the correlations of their columns.
struct Pairs {
    grid: Grid,
    length: usize,
    /// Distance between pairs. Not a power of two, since a row written across the pairs would then fall on the same few
    /// cache lines.
    stride: usize,
    count: usize,
    cells: Vec<Complex<f32>>,
}

impl Pairs {
    fn new(grid: Grid, length: usize) -> Self {
        let stride = length + 24;
        Self {
            grid,
            length,
            stride,
            count: 0,
            cells: vec![Complex::default(); stride * COLUMNS.div_ceil(2)],
        }
    }

    fn gather(&mut self, columns: ArrayView2<'_, f32>) {
        self.count = columns.ncols().div_ceil(2);
        let (Grid { height, width }, pitch) = (self.grid, pitch(self.grid));
        for pair in self.cells.chunks_exact_mut(self.stride).take(self.count) {
            let (lines, rest) = pair.split_at_mut(height * pitch);
            for line in lines.chunks_exact_mut(pitch.max(1)) {
                line[width..].fill(Complex::default());
            }
            rest.fill(Complex::default());
        }
        let places = (0..height).flat_map(|y| y * pitch..y * pitch + width);
        for (i, row) in places.zip(columns.rows()) {
            // Rows of a stored matrix are contiguous.
            let Some(row) = row.to_slice() else {
                continue;
            };
            let mut places = self.cells[i..].iter_mut().step_by(self.stride);
            let halves = row.chunks_exact(2);
            let odd = halves.remainder();
            // In this order `zip` does not consume a place without a half.
            for (half, place) in halves.zip(places.by_ref()) {
                *place = Complex::new(half[0], half[1]);
            }
            for (place, &last) in places.zip(odd) {
                *place = Complex::new(last, 0.0);
            }
        }
    }

    fn transform(&mut self, plan: &dyn Fft<f32>, scratch: &mut [Complex<f32>]) {
        for pair in self.cells.chunks_exact_mut(self.stride).take(self.count) {
            plan.process_with_scratch(&mut pair[..self.length], scratch);
        }
    }

    fn iter(&self) -> impl Iterator<Item = &[Complex<f32>]> {
        let pairs = self.cells.chunks_exact(self.stride).take(self.count);
        pairs.map(|pair| &pair[..self.length])
    }
}

/// Summed-area table of numbers on a grid.
pub(super) struct Rectangles {
    width: usize,
    /// Sums over the rectangle from the first position up to, but excluding, each row and column.
    corners: Vec<f64>,
}

impl Rectangles {
    pub(super) fn new(grid: Grid, values: &[f64]) -> Self {
        let width = grid.width + 1;
        let mut corners = vec![0.0; (grid.height + 1) * width];
        for (i, value) in values.iter().enumerate() {
            let (y, x) = grid.place(i);
            let above = y * width + x;
            let left = above + width;
            corners[left + 1] = corners[left] + value + (corners[above + 1] - corners[above]);
        }
        Self { width, corners }
    }

    pub(super) fn sum(&self, (y, x): (usize, usize), rows: usize, columns: usize) -> f64 {
        let row = |y: usize| {
            let from = y * self.width + x;
            self.corners[from + columns] - self.corners[from]
        };
        row(y + rows) - row(y)
    }
}

/// Adds Σ (A − f(k))² along each diagonal, with A formed a block of rows at a time; `f` holds the diagonal means.
/// O(n²·r): the only diagonal statistic that needs every cell.
///
/// Adds only the rows `rows` to `squares`, so that a caller can stop or report between blocks.
pub(crate) fn add_squared_deviations(
    a: &LowRank,
    f: &[f64],
    rows: std::ops::Range<usize>,
    squares: &mut [f64],
) {
    let n = a.n();
    for (i, row) in rows.clone().zip(a.rows(rows).rows()) {
        let from = n - 1 - i;
        for ((square, f), &cell) in squares[from..].iter_mut().zip(&f[from..]).zip(row) {
            let deviation = f64::from(cell) - f;
            *square += deviation * deviation;
        }
    }
}
