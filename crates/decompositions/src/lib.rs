//! Decompositions of dense matrices whose results are checked: those of nalgebra, with fallbacks.
//!
//! nalgebra's singular value decomposition (0.34) occasionally returns factors with a wrong product for rank-deficient
//! matrices, and its Schur decomposition can stagnate. Attention heads have weights of any rank and rotations of any
//! symmetry. So the factors are multiplied together again, and if their product differs from the input, a slower
//! algorithm is used.
//!
//! A separate crate, because the browser needs it compiled for speed: generic code is compiled in the crate that uses
//! it.

mod leading_eigenvectors;
mod tridiagonal;

pub use leading_eigenvectors::leading_eigenvectors;

use nalgebra::{DMatrix, DVector, SVD, Schur, SymmetricEigen};
use std::fmt;

/// Maximum number of iteration steps per row; about two are needed.
const STEPS: usize = 60;

/// Tolerance for products of factors, relative to the largest entry and multiplied by the number of rows.
const TOLERANCE: f64 = 1e-13;

/// Entries of a matrix of norm one below this are rounding errors.
const ROUNDING: f64 = 1e-14;

/// Maximum number of sweeps of Jacobi rotations; about eight are needed.
const SWEEPS: usize = 60;

/// An iteration did not converge, or converged to a wrong result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotConverged;

impl fmt::Display for NotConverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("The decomposition of a matrix did not converge.")
    }
}

impl std::error::Error for NotConverged {}

/// QR decomposition: returns O with orthonormal columns and T upper triangular with O·T = matrix. With fewer rows than
/// columns, O is square. Uses Householder reflections, so that O is orthonormal for any rank.
#[must_use]
pub fn orthonormal(matrix: DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let qr = matrix.qr();
    (qr.q(), qr.unpack_r())
}

/// Returns A·B.
#[must_use]
pub fn product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    a * b
}

/// Columns per block of [`gram`]: enough for the fast kernel, few enough that little is computed twice.
const GRAM_BLOCK: usize = 128;

/// Returns Aᵀ·A. Computes the blocks on and above the diagonal and mirrors them.
#[must_use]
pub fn gram(a: &DMatrix<f64>) -> DMatrix<f64> {
    let size = a.ncols();
    // Explicit transposition: nalgebra's `tr_mul` does not use the fast kernel.
    let transposed = a.transpose();
    let mut product = DMatrix::zeros(size, size);
    for from in (0..size).step_by(GRAM_BLOCK) {
        let width = GRAM_BLOCK.min(size - from);
        let block = transposed.rows(from, width) * a.columns(from, size - from);
        let (own, beyond) = (block.columns(0, width), block.columns_range(width..));
        product.view_mut((from, from), own.shape()).copy_from(&own);
        (product.view_mut((from, from + width), beyond.shape())).copy_from(&beyond);
        (product.view_mut((from + width, from), (beyond.ncols(), width)))
            .copy_from(&beyond.transpose());
    }
    product
}

/// Returns the eigenvalues of a symmetric matrix, in descending order, and its eigenvectors as columns in that order.
///
/// # Errors
/// If the iteration does not converge.
pub fn symmetric(matrix: DMatrix<f64>) -> Result<(Vec<f64>, DMatrix<f64>), NotConverged> {
    let size = matrix.nrows();
    let eigen = SymmetricEigen::try_new(matrix, f64::EPSILON, STEPS * size).ok_or(NotConverged)?;
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let values = order.iter().map(|&at| eigen.eigenvalues[at]).collect();
    Ok((values, eigen.eigenvectors.select_columns(&order)))
}

/// Singular value decomposition of a square matrix: U·S·Vᵀ.
#[derive(Debug, Clone)]
pub struct SingularValues {
    /// U, orthogonal.
    pub left: DMatrix<f64>,
    /// The diagonal of S, in descending order.
    pub values: DVector<f64>,
    /// V, orthogonal.
    pub right: DMatrix<f64>,
}

impl SingularValues {
    /// Decomposes a square matrix.
    ///
    /// # Errors
    /// If no algorithm converges.
    pub fn compute(matrix: &DMatrix<f64>) -> Result<Self, NotConverged> {
        let size = matrix.nrows();
        let eps = 5.0 * f64::EPSILON;
        let svd = SVD::try_new(matrix.clone(), true, true, eps, STEPS * size);
        if let Some(SVD {
            u: Some(left),
            v_t: Some(right),
            singular_values,
        }) = svd
        {
            let result = Self {
                left,
                right: right.transpose(),
                values: singular_values,
            };
            if result.is_of(matrix) {
                return Ok(result);
            }
        }
        let result = one_sided_jacobi(matrix);
        if result.is_of(matrix) {
            Ok(result)
        } else {
            Err(NotConverged)
        }
    }

    fn is_of(&self, matrix: &DMatrix<f64>) -> bool {
        let size = matrix.nrows();
        let allowed = TOLERANCE * size as f64;
        let unit = |m: &DMatrix<f64>| (gram(m) - DMatrix::identity(size, size)).amax() <= allowed;
        let product = &self.left * DMatrix::from_diagonal(&self.values) * self.right.transpose();
        (product - matrix).amax() <= allowed * matrix.amax()
            && unit(&self.left)
            && unit(&self.right)
    }
}

/// One-sided Jacobi method: rotates pairs of columns until all are orthogonal (Hestenes 1958). Their norms are the
/// singular values.
fn one_sided_jacobi(matrix: &DMatrix<f64>) -> SingularValues {
    let size = matrix.nrows();
    let (mut columns, mut right) = (matrix.clone(), DMatrix::identity(size, size));
    for _ in 0..SWEEPS {
        let mut is_done = true;
        for p in 0..size {
            for q in p + 1..size {
                let (a, b) = (
                    columns.column(p).norm_squared(),
                    columns.column(q).norm_squared(),
                );
                let c = columns.column(p).dot(&columns.column(q));
                if c.abs() <= f64::EPSILON * (a * b).sqrt() {
                    continue;
                }
                is_done = false;
                let (sin, cos) = (0.5 * (2.0 * c).atan2(b - a)).sin_cos();
                turn(&mut columns, p, q, sin, cos);
                turn(&mut right, p, q, sin, cos);
            }
        }
        if is_done {
            break;
        }
    }
    let lengths: Vec<f64> = columns.column_iter().map(|column| column.norm()).collect();
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|&a, &b| lengths[b].total_cmp(&lengths[a]));
    let least = lengths[order[0]] * size as f64 * f64::EPSILON;
    let mut left = DMatrix::zeros(size, size);
    for (place, &at) in order.iter().enumerate() {
        let column = if lengths[at] > least {
            columns.column(at) / lengths[at]
        } else {
            beside(&left.columns(0, place).into_owned())
        };
        left.set_column(place, &column);
    }
    SingularValues {
        left,
        values: DVector::from_fn(size, |place, _| lengths[order[place]]),
        right: DMatrix::from_fn(size, size, |row, place| right[(row, order[place])]),
    }
}

fn turn(matrix: &mut DMatrix<f64>, p: usize, q: usize, sin: f64, cos: f64) {
    for row in 0..matrix.nrows() {
        let (x, y) = (matrix[(row, p)], matrix[(row, q)]);
        (matrix[(row, p)], matrix[(row, q)]) = (cos * x - sin * y, sin * x + cos * y);
    }
}

/// A unit vector orthogonal to orthonormal columns that do not span the space: the coordinate axis farthest from their
/// span, orthogonalised.
fn beside(columns: &DMatrix<f64>) -> DVector<f64> {
    let size = columns.nrows();
    let share = |axis: &usize| columns.row(*axis).norm_squared();
    let axis = (0..size)
        .min_by(|a, b| share(a).total_cmp(&share(b)))
        .unwrap_or_default();
    let mut direction = DVector::zeros(size);
    direction[axis] = 1.0;
    // Orthogonalising twice is enough.
    for _ in 0..2 {
        let along = columns.tr_mul(&direction);
        direction -= columns * along;
    }
    direction.normalize()
}

/// Real Schur decomposition of an orthogonal matrix as Z·B·Zᵀ: B has 1 × 1 and 2 × 2 blocks on its diagonal, the latter
/// rotations, and zeros elsewhere.
///
/// The shifts of the iteration can stagnate on matrices with much symmetry, such as cyclic permutations. In that case
/// the matrix is first conjugated with an oblique Householder reflection, which breaks the symmetry.
///
/// # Errors
/// If neither iteration converges.
pub fn turns(matrix: &DMatrix<f64>) -> Result<(DMatrix<f64>, DMatrix<f64>), NotConverged> {
    let size = matrix.nrows();
    let steps = STEPS * size;
    let is_of = |vectors: &DMatrix<f64>, blocks: &DMatrix<f64>| {
        let product = vectors * blocks * vectors.transpose();
        (product - matrix).amax() <= TOLERANCE.sqrt()
    };
    if let Some(schur) = Schur::try_new(matrix.clone(), ROUNDING, steps) {
        let (vectors, blocks) = schur.unpack();
        if is_of(&vectors, &blocks) {
            return Ok((vectors, blocks));
        }
    }
    let normal = DVector::from_fn(size, |at, _| 1.0 + (at as f64).sin()).normalize();
    let mirror = DMatrix::identity(size, size) - &normal * normal.transpose() * 2.0;
    let mirrored = Schur::try_new(&mirror * matrix * &mirror, ROUNDING, steps);
    let (vectors, blocks) = mirrored.ok_or(NotConverged)?.unpack();
    let vectors = mirror * vectors;
    if is_of(&vectors, &blocks) {
        Ok((vectors, blocks))
    } else {
        Err(NotConverged)
    }
}
