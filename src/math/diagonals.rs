//! Sums along the diagonals of a thin product, by Fourier transform.
//!
//! Σ_i A_{i,i+k} of A = L·Rᵀ is Σ over columns of the cross-correlation of L's and R's column: r
//! transforms of length ≥ 2n instead of n²·r products. Two real columns travel as one complex one; the
//! spectra are added up before the single way back. Lengths are powers of two, so one algorithm of the
//! library is enough: its planner would weigh more than the rest of this program.

use super::{
    centred::Centred,
    diagonal_cells,
    low_rank::{LowRank, dot},
};
use ndarray::{ArrayView2, s};
use rustfft::{Fft, FftDirection, algorithm::Radix4, num_complex::Complex};

/// Diagonals this close to the corners are summed directly: they have few cells, and the rounding of a
/// transform is relative to the longest diagonal.
const CORNER: usize = 48;

/// Columns gathered at once, so that rows are read in whole cache lines.
const COLUMNS: usize = 16;

/// Plans for the diagonal sums of n×n products; make one and use it for every head.
pub struct DiagonalSummer {
    n: usize,
    length: usize,
    forward: Radix4<f32>,
    back: Radix4<f64>,
}

impl std::fmt::Debug for DiagonalSummer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiagonalSummer")
            .field("n", &self.n)
            .finish_non_exhaustive()
    }
}

impl DiagonalSummer {
    /// Plans for n positions.
    #[must_use]
    pub fn new(n: usize) -> Self {
        let length = (2 * n).next_power_of_two();
        Self {
            n,
            length,
            forward: Radix4::new(length, FftDirection::Forward),
            back: Radix4::new(length, FftDirection::Inverse),
        }
    }

    /// Σ_i (A − mean)_{i,i+k} for k = −(n−1) … n−1.
    ///
    /// # Panics
    /// When `a` has another number of positions than was planned for.
    #[must_use]
    pub fn sums(&self, a: &Centred) -> Vec<f64> {
        assert_eq!(a.n(), self.n, "planned for another length");
        let mut sums = self.correlation(a);
        let n = self.n as i64;
        let queries = prefix_sums(&a.by_query);
        let keys = prefix_sums(&a.by_key);
        for (sum, k) in sums.iter_mut().zip(1 - n..n) {
            let cells = diagonal_cells(self.n, k);
            let (i, j) = ((-k).max(0) as usize, k.max(0) as usize);
            if cells <= CORNER {
                *sum = (0..cells)
                    .map(|t| dot(a.left().row(i + t), a.right().row(j + t)))
                    .sum();
            }
            *sum += queries[i + cells] - queries[i] + keys[j + cells] - keys[j];
        }
        sums
    }

    /// The sums of L̃·R̃ᵀ alone.
    fn correlation(&self, a: &Centred) -> Vec<f64> {
        let mut spectrum = vec![Complex::new(0.0_f64, 0.0); self.length];
        let mut power = vec![0.0_f32; self.length];
        let (mut left, mut right) = (Pairs::new(self.length), Pairs::new(self.length));
        let mut scratch = vec![Complex::default(); self.forward.get_inplace_scratch_len()];
        let symmetric = a.left().as_ptr() == a.right().as_ptr();
        let columns = a.left().ncols();
        for first in (0..columns).step_by(COLUMNS) {
            let part = s![.., first..(first + COLUMNS).min(columns)];
            left.gather(a.left().slice(part));
            left.transform(&self.forward, &mut scratch);
            if symmetric {
                for pair in left.iter() {
                    for (sum, x) in power.iter_mut().zip(pair) {
                        *sum += x.norm_sqr();
                    }
                }
                // A few squares are added as they are, many only in double precision.
                for (sum, power) in spectrum.iter_mut().zip(&mut power) {
                    sum.re += f64::from(std::mem::take(power));
                }
                continue;
            }
            right.gather(a.right().slice(part));
            right.transform(&self.forward, &mut scratch);
            for (x, y) in left.iter().zip(right.iter()) {
                for (sum, (x, y)) in spectrum.iter_mut().zip(x.iter().zip(y)) {
                    let product = x.conj() * y;
                    sum.re += f64::from(product.re);
                    sum.im += f64::from(product.im);
                }
            }
        }
        self.back.process(&mut spectrum);
        let n = self.n as i64;
        (1 - n..n)
            .map(|k| spectrum[k.rem_euclid(self.length as i64) as usize].re / self.length as f64)
            .collect()
    }
}

/// Columns 2p and 2p+1 of a matrix as real and imaginary part of pair p, padded with zeros. The real
/// part of the correlation of two such pairs is the sum of the two columns' own correlations.
struct Pairs {
    length: usize,
    /// From one pair to the next: not a power of two, or writing a row across the pairs would fall on the
    /// same few lines of the cache.
    stride: usize,
    used: usize,
    cells: Vec<Complex<f32>>,
}

impl Pairs {
    fn new(length: usize) -> Self {
        let stride = length + 24;
        Self {
            length,
            stride,
            used: 0,
            cells: vec![Complex::default(); stride * COLUMNS.div_ceil(2)],
        }
    }

    fn gather(&mut self, columns: ArrayView2<'_, f32>) {
        self.used = columns.ncols().div_ceil(2);
        for pair in self.cells.chunks_exact_mut(self.stride).take(self.used) {
            pair[columns.nrows()..].fill(Complex::default());
        }
        for (i, row) in columns.rows().into_iter().enumerate() {
            // Rows of a stored matrix lie in one piece.
            let Some(row) = row.to_slice() else {
                continue;
            };
            let mut places = self.cells[i..].iter_mut().step_by(self.stride);
            let halves = row.chunks_exact(2);
            let odd = halves.remainder();
            // In this order a place is only taken for a half that is there.
            for (half, place) in halves.zip(places.by_ref()) {
                *place = Complex::new(half[0], half[1]);
            }
            for (place, &last) in places.zip(odd) {
                *place = Complex::new(last, 0.0);
            }
        }
    }

    fn transform(&mut self, plan: &Radix4<f32>, scratch: &mut [Complex<f32>]) {
        for pair in self.cells.chunks_exact_mut(self.stride).take(self.used) {
            plan.process_with_scratch(&mut pair[..self.length], scratch);
        }
    }

    fn iter(&self) -> impl Iterator<Item = &[Complex<f32>]> {
        let pairs = self.cells.chunks_exact(self.stride).take(self.used);
        pairs.map(|pair| &pair[..self.length])
    }
}

fn prefix_sums(values: &[f64]) -> Vec<f64> {
    let mut sums = Vec::with_capacity(values.len() + 1);
    let mut sum = 0.0;
    sums.push(sum);
    for v in values {
        sum += v;
        sums.push(sum);
    }
    sums
}

/// Σ over each diagonal of (A − f(k))², by forming A a block of rows at a time; `f` lists the diagonal
/// means. n²·r: the one question about diagonals that needs every cell.
///
/// Adds rows `rows` to `squares`, so that a caller can stop or report between blocks.
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
