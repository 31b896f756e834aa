//! All eigenvalues of a symmetric matrix, and the eigenvectors of the greatest of them.
//!
//! A whole decomposition turns all eigenvectors at every step of its iteration; of 512 × 512 numbers that is most of
//! 147 ms in a browser. Here the iteration has the tridiagonal form alone, which takes 7, and the few eigenvectors that
//! are wanted are solved for (inverse iteration; Golub & Van Loan, *Matrix Computations*, sections 8.3 and 8.4.2). What
//! comes out is looked over, and where it does not hold the whole decomposition is taken.

use crate::{NotConverged, STEPS, symmetric, tridiagonal::Reduced};
use nalgebra::{DMatrix, DVector};

/// Solutions for an eigenvector: two are enough where the eigenvalue is known to rounding.
const SOLUTIONS: usize = 4;

/// Eigenvalues nearer than this to one another, as a share of the greatest, have eigenvectors that must be kept apart.
const NEAR: f64 = 1e-3;

/// How far a residual may be from zero, as a share of the greatest eigenvalue, and products of eigenvectors from those of
/// orthonormal ones, for each row.
const ALLOWED: f64 = 1e-14;

/// The eigenvalues of a symmetric matrix, falling, and the eigenvectors of the first `count` as columns in that order.
///
/// # Errors
/// When no iteration ends.
pub fn leading(
    matrix: DMatrix<f64>,
    count: usize,
) -> Result<(Vec<f64>, DMatrix<f64>), NotConverged> {
    let size = matrix.nrows();
    let count = count.min(size);
    // Where most are wanted the whole decomposition is no slower, and small ones cost nothing.
    if size < 2 || 4 * count > size {
        return all_of_it(matrix, count);
    }
    // In units of the largest number, so that squares of what is left of it are ordinary numbers.
    let unit = matrix.amax();
    let reduced = Reduced::of(&matrix / unit);
    let form = Tridiagonal(&reduced);
    let found = form
        .eigenvalues()
        .and_then(|values| Some((form.eigenvectors(&values[..count])?, values)));
    match found {
        Some((mut vectors, mut values)) => {
            reduced.turn(&mut vectors);
            values.iter_mut().for_each(|value| *value *= unit);
            Ok((values, vectors))
        }
        None => all_of_it(matrix, count),
    }
}

fn all_of_it(matrix: DMatrix<f64>, count: usize) -> Result<(Vec<f64>, DMatrix<f64>), NotConverged> {
    let (values, vectors) = symmetric(matrix)?;
    Ok((values, vectors.columns(0, count).into_owned()))
}

/// A symmetric matrix of three diagonals, none of whose numbers is far above 1.
struct Tridiagonal<'a>(&'a Reduced);

impl Tridiagonal<'_> {
    /// Its eigenvalues, falling, by the QL iteration with implicit shifts; `None` where that does not end.
    fn eigenvalues(&self) -> Option<Vec<f64>> {
        let (mut d, mut e) = (self.0.diagonal.clone(), self.0.beside.clone());
        let size = d.len();
        e.push(0.0);
        for first in 0..size {
            for step in 0.. {
                // The block that begins here ends where a number beside the diagonal is nothing.
                let last = (first..size - 1)
                    .find(|&at| e[at].abs() <= f64::EPSILON * (d[at].abs() + d[at + 1].abs()))
                    .unwrap_or(size - 1);
                if last == first {
                    break;
                }
                if step == STEPS {
                    return None;
                }
                let half = (d[first + 1] - d[first]) / (2.0 * e[first]);
                let root = half.hypot(1.0).copysign(half);
                let mut bulge = d[last] - d[first] + e[first] / (half + root);
                let (mut sin, mut cos, mut shift) = (1.0, 1.0, 0.0);
                for at in (first..last).rev() {
                    let (f, b) = (sin * e[at], cos * e[at]);
                    // Not by `hypot`, which a browser has no instruction for: 8 ms of 512 × 512 numbers.
                    let length = (f * f + bulge * bulge).sqrt();
                    e[at + 1] = length;
                    if length == 0.0 {
                        // The block falls apart here: its two parts go on by themselves.
                        d[at + 1] -= shift;
                        e[last] = 0.0;
                        break;
                    }
                    (sin, cos) = (f / length, bulge / length);
                    let moved = d[at + 1] - shift;
                    let turned = (d[at] - moved) * sin + 2.0 * cos * b;
                    shift = sin * turned;
                    d[at + 1] = moved + shift;
                    bulge = cos * turned - b;
                    if at == first {
                        d[first] -= shift;
                        e[first] = bulge;
                        e[last] = 0.0;
                    }
                }
            }
        }
        d.iter().all(|value| value.is_finite()).then(|| {
            d.sort_by(|a, b| b.total_cmp(a));
            d
        })
    }

    /// Its eigenvectors to the greatest eigenvalues; `None` where they do not hold.
    fn eigenvectors(&self, values: &[f64]) -> Option<DMatrix<f64>> {
        let size = self.0.diagonal.len();
        let unit = values.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let allowed = ALLOWED * size as f64;
        let mut vectors = DMatrix::zeros(size, values.len());
        for (at, &value) in values.iter().enumerate() {
            let near = (0..at)
                .find(|&before| values[before] - value <= NEAR * unit)
                .unwrap_or(at);
            // No two starts are alike, so that equal eigenvalues find different vectors.
            let mut vector =
                DVector::from_fn(size, |row, _| 1.0 + (1.7 * (row * (at + 1)) as f64).sin());
            let factors = self.factors_at(value, unit);
            for _ in 0..SOLUTIONS {
                factors.solve(&mut vector);
                for _ in 0..2 {
                    for before in near..at {
                        let before = vectors.column(before);
                        let share = before.dot(&vector);
                        vector.axpy(-share, &before, 1.0);
                    }
                }
                vector.normalize_mut();
            }
            if self.residual(&vector, value) > allowed * unit {
                return None;
            }
            vectors.set_column(at, &vector);
        }
        let products = vectors.tr_mul(&vectors) - DMatrix::identity(values.len(), values.len());
        // What is no number passes every comparison above.
        (products.amax() <= allowed && vectors.iter().all(|v| v.is_finite())).then_some(vectors)
    }

    /// The largest entry of T·v − λ·v.
    fn residual(&self, vector: &DVector<f64>, value: f64) -> f64 {
        let size = vector.len();
        let entry = |row: usize| {
            let before = row.checked_sub(1).map(|at| self.0.beside[at] * vector[at]);
            let after = (row + 1 < size).then(|| self.0.beside[row] * vector[row + 1]);
            (self.0.diagonal[row] - value) * vector[row]
                + before.unwrap_or(0.0)
                + after.unwrap_or(0.0)
        };
        (0..size).fold(0.0, |most, row| f64::max(most, entry(row).abs()))
    }

    /// T − λ as L·U with rows exchanged.
    fn factors_at(&self, value: f64, unit: f64) -> Factors {
        let size = self.0.diagonal.len();
        let least = f64::EPSILON * unit.max(f64::MIN_POSITIVE / f64::EPSILON);
        let mut rows = Vec::with_capacity(size);
        let mut steps = Vec::with_capacity(size);
        let mut row = [self.0.diagonal[0] - value, self.0.beside[0], 0.0];
        for at in 1..size {
            let after = self.0.beside.get(at).copied().unwrap_or(0.0);
            let mut next = [self.0.beside[at - 1], self.0.diagonal[at] - value, after];
            let is_exchanged = next[0].abs() > row[0].abs();
            if is_exchanged {
                std::mem::swap(&mut row, &mut next);
            }
            if row[0].abs() < least {
                row[0] = least;
            }
            let share = next[0] / row[0];
            steps.push((share, is_exchanged));
            let rest = [next[1] - share * row[1], next[2] - share * row[2], 0.0];
            rows.push(row);
            row = rest;
        }
        if row[0].abs() < least {
            row[0] = least;
        }
        rows.push(row);
        Factors { rows, steps }
    }
}

/// A tridiagonal matrix as L·U, its rows exchanged where that is steadier.
struct Factors {
    /// The rows of U from the diagonal on.
    rows: Vec<[f64; 3]>,
    /// What of a row was taken from the next one, and whether the two were exchanged before.
    steps: Vec<(f64, bool)>,
}

impl Factors {
    /// Solves in place.
    fn solve(&self, right: &mut DVector<f64>) {
        for (at, &(share, is_exchanged)) in self.steps.iter().enumerate() {
            if is_exchanged {
                right.swap_rows(at, at + 1);
            }
            right[at + 1] -= share * right[at];
        }
        let size = right.len();
        for at in (0..size).rev() {
            let [own, first, second] = self.rows[at];
            let of = |place: usize, factor: f64| {
                if place < size {
                    factor * right[place]
                } else {
                    0.0
                }
            };
            right[at] = (right[at] - of(at + 1, first) - of(at + 2, second)) / own;
        }
    }
}
