//! R² of scores weighted by their own attention: what the offset explains of the scores that softmax lets through.
//!
//! The weight of a cell is its attention p_ij, and a row may have any constant, which softmax ignores:
//!
//! ```text
//! R² = 1 − min_{f, r} Σ p_ij (s_ij − f(j − i) − r_i)² / min_r Σ p_ij (s_ij − r_i)²
//! ```
//!
//! The weights of a row add up to 1, so r_i is the weighted mean of what f leaves of the row. That leaves one linear
//! equation for each offset, whose matrix is D − Σ_i p_i p_iᵀ with p_i shifted by i and D the sums of the weights along the
//! diagonals. It is solved by conjugate gradients with D as preconditioner, row by row and without forming the matrix; the
//! libraries at hand solve dense systems, which would take n³ steps.

use super::{AttentionMask, Scores, attention_rows, offsets};
use ndarray::Array2;
use row_kernels::{add_weights, weighted_sum};

/// Most positions: weights and scores are held in memory.
pub const MOST_WEIGHTED_POSITIONS: usize = 1024;
/// Most steps of the solver. Heads of MiniLM's first layer need 7 to 44, those of the small models of the tests 7 to 10.
const MOST_STEPS: usize = 200;
/// The solver stops where a step changes R² by less.
const TOLERANCE: f64 = 1e-9;
/// Steps in a row that must change R² by less than [`TOLERANCE`].
const QUIET_STEPS: usize = 3;
/// Least weight of a diagonal, as a share of all weights: rounding decides about less.
const LEAST_WEIGHT: f64 = 1e-13;
/// Least weighted variance of a row, relative to its squared scores: rounding of single precision.
const LEAST_VARIANCE: f64 = 1e-12;

/// R² of scores weighted by their attention under a mask, over the first [`MOST_WEIGHTED_POSITIONS`]. NaN if a score is not
/// a number, or if every query attends to keys of equal scores.
#[must_use]
pub fn attention_r2(scores: &Scores, cells: AttentionMask) -> f64 {
    let n = scores.n().min(MOST_WEIGHTED_POSITIONS);
    let scores = scores.leading_block(n).rows(0..n);
    if !scores.iter().all(|score| score.is_finite()) {
        return f64::NAN;
    }
    let mut weights = scores.clone();
    attention_rows(weights.as_slice_mut().unwrap_or_default(), n, 0, cells);
    let problem = WeightedDiagonals { weights, cells };
    let (target, total, least) = problem.target(&scores);
    if total <= least {
        return f64::NAN;
    }
    (problem.explained_squares(&target, total) / total).clamp(0.0, 1.0)
}

/// The linear equations for f: one unknown for each offset.
struct WeightedDiagonals {
    /// Attention, [n, n].
    weights: Array2<f32>,
    cells: AttentionMask,
}

impl WeightedDiagonals {
    fn n(&self) -> usize {
        self.weights.nrows()
    }

    /// Weights of a query, and the index of the offset of its first key.
    fn rows(&self) -> impl Iterator<Item = (&[f32], usize)> {
        let n = self.n();
        let weights = self.weights.as_slice().unwrap_or_default();
        let rows = weights.chunks_exact(n).enumerate();
        rows.map(move |(i, row)| (&row[..self.cells.visible_keys(i, n)], n - 1 - i))
    }

    /// Sums of weight times deviation from the weighted row mean along the diagonals, the sum of squares of these
    /// deviations, and the least sum that is more than rounding.
    fn target(&self, scores: &Array2<f32>) -> (Vec<f64>, f64, f64) {
        let mut target = vec![0.0; offsets(self.n()).count()];
        let (mut total, mut squares) = (0.0, 0.0);
        let scores = scores.as_slice().unwrap_or_default();
        for ((weights, first), scores) in self.rows().zip(scores.chunks_exact(self.n())) {
            let scores = &scores[..weights.len()];
            let mean = weighted_sum(weights, scores);
            let sums = &mut target[first..];
            for ((sum, weight), score) in sums.iter_mut().zip(weights).zip(scores) {
                let (weight, score) = (f64::from(*weight), f64::from(*score));
                *sum += weight * (score - mean);
                total += weight * (score - mean).powi(2);
                squares += weight * score.powi(2);
            }
        }
        (target, total, LEAST_VARIANCE * squares)
    }

    /// Sums of the weights along the diagonals.
    fn diagonal(&self) -> Vec<f64> {
        let mut sums = vec![0.0; offsets(self.n()).count()];
        for (weights, first) in self.rows() {
            add_weights(&mut sums[first..], weights, 1.0);
        }
        sums
    }

    /// The matrix of the equations times f.
    fn apply(&self, diagonal: &[f64], f: &[f64]) -> Vec<f64> {
        let mut product: Vec<f64> = diagonal.iter().zip(f).map(|(d, f)| d * f).collect();
        for (weights, first) in self.rows() {
            let mean = weighted_sum(weights, &f[first..first + weights.len()]);
            add_weights(&mut product[first..], weights, -mean);
        }
        product
    }

    /// Weighted sum of squares that f explains, by preconditioned conjugate gradients (Hestenes & Stiefel 1952).
    fn explained_squares(&self, target: &[f64], total: f64) -> f64 {
        let diagonal = self.diagonal();
        let least = LEAST_WEIGHT * self.n() as f64;
        // Offsets without weight have no part in the sums.
        let precondition = |rest: &[f64]| -> Vec<f64> {
            let each = rest.iter().zip(&diagonal);
            each.map(|(r, d)| if *d > least { r / d } else { 0.0 })
                .collect()
        };
        let mut rest = target.to_vec();
        let mut direction = precondition(&rest);
        let mut size = inner(&rest, &direction);
        let (mut squares, mut quiet) = (0.0, 0);
        for _ in 0..MOST_STEPS {
            let product = self.apply(&diagonal, &direction);
            let curvature = inner(&direction, &product);
            if curvature <= 0.0 || size <= 0.0 {
                break;
            }
            let step = size / curvature;
            // Each step lowers the sum of squares by step · size.
            squares += step * size;
            quiet = match step * size < TOLERANCE * total {
                true => quiet + 1,
                false => 0,
            };
            if quiet == QUIET_STEPS {
                break;
            }
            for (r, p) in rest.iter_mut().zip(&product) {
                *r -= step * p;
            }
            let next = precondition(&rest);
            let next_size = inner(&rest, &next);
            for (d, z) in direction.iter_mut().zip(&next) {
                *d = z + next_size / size * *d;
            }
            size = next_size;
        }
        squares
    }
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
