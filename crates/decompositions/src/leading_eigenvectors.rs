//! All eigenvalues of a symmetric matrix, and the eigenvectors of the greatest ones.
//!
//! A full decomposition rotates all eigenvectors at every step of its iteration; for 512 × 512 numbers that is most of
//! its 147 ms in a browser. Here the iteration works on the tridiagonal form alone, which takes 7 ms, and the few
//! eigenvectors needed are solved for by inverse iteration (Golub & Van Loan, *Matrix Computations*, sections 8.3 and
//! 8.4.2). The result is checked; if it is not accurate, the full decomposition is computed instead.

use crate::{NotConverged, STEPS, symmetric, tridiagonal::Reduction};
use nalgebra::{DMatrix, DVector};

/// Steps of inverse iteration per eigenvector. Two suffice if the eigenvalue is exact to rounding.
const SOLUTIONS: usize = 4;

/// Eigenvalues closer than this, relative to the greatest, need explicit orthogonalisation of their eigenvectors.
const NEAR: f64 = 1e-3;

/// Tolerances, multiplied by the number of rows: for residuals, relative to the greatest eigenvalue, and for the
/// eigenvectors' products, compared with those of orthonormal vectors.
const TOLERANCE: f64 = 1e-14;

/// Returns all eigenvalues of a symmetric matrix, in descending order, and the eigenvectors of the first `count` as
/// columns in that order.
///
/// # Errors
/// If the iteration does not converge, even in the full decomposition.
pub fn leading_eigenvectors(
    matrix: DMatrix<f64>,
    count: usize,
) -> Result<(Vec<f64>, DMatrix<f64>), NotConverged> {
    let size = matrix.nrows();
    let count = count.min(size);
    // If many eigenvectors are needed, the full decomposition is no slower; small matrices are cheap anyway.
    if size < 2 || 4 * count > size {
        return all_of_it(matrix, count);
    }
    // Scale by the largest entry, so that squares neither overflow nor underflow.
    let unit = matrix.amax();
    let reduced = Reduction::new(&matrix / unit);
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

/// A symmetric tridiagonal matrix with entries of magnitude about 1 or less.
struct Tridiagonal<'a>(&'a Reduction);

impl Tridiagonal<'_> {
    /// Its eigenvalues in descending order, by the QL iteration with implicit shifts; `None` if it does not converge.
    fn eigenvalues(&self) -> Option<Vec<f64>> {
        let (mut d, mut e) = (self.0.diagonal.clone(), self.0.beside.clone());
        let size = d.len();
        e.push(0.0);
        for first in 0..size {
            for step in 0.. {
                // The block that begins at `first` ends where an off-diagonal entry is negligible.
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
                    // Not `hypot`, for which WebAssembly has no instruction: that takes 8 ms for 512 × 512 numbers.
                    let length = (f * f + bulge * bulge).sqrt();
                    e[at + 1] = length;
                    if length == 0.0 {
                        // The block splits here; its two parts are iterated separately.
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

    /// Its eigenvectors for the greatest eigenvalues; `None` if they are not accurate.
    fn eigenvectors(&self, values: &[f64]) -> Option<DMatrix<f64>> {
        let size = self.0.diagonal.len();
        let unit = values.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let allowed = TOLERANCE * size as f64;
        let mut vectors = DMatrix::zeros(size, values.len());
        for (at, &value) in values.iter().enumerate() {
            let near = (0..at)
                .find(|&before| values[before] - value <= NEAR * unit)
                .unwrap_or(at);
            // All starting vectors differ, so that equal eigenvalues yield different eigenvectors.
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
        // NaN passes every comparison above, so check for it.
        (products.amax() <= allowed && vectors.iter().all(|v| v.is_finite())).then_some(vectors)
    }

    /// The largest entry of |T·v − λ·v|.
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

    /// Factors T − λ as L·U with partial pivoting.
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

/// LU factors of a tridiagonal matrix, with partial pivoting.
struct Factors {
    /// The rows of U from the diagonal on.
    rows: Vec<[f64; 3]>,
    /// For each step, the multiple of the pivot row that is subtracted from the next row, and whether the two rows were
    /// swapped first.
    steps: Vec<(f64, bool)>,
}

impl Factors {
    /// Solves in place for a right-hand side.
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
