//! Decompositions of dense matrices that hold: those of nalgebra, looked over before anyone relies on them.
//!
//! Its singular value decomposition (0.34) leaves the product wrong now and then where the rank is not full, and its
//! Schur decomposition can stand still. Attention heads have weights of any rank and rotations of any symmetry, so what
//! comes out is multiplied together again, and where that does not give what went in, a slower way is taken.
//!
//! A crate of its own because the browser needs it compiled for speed: what is generic is compiled where it is used.

mod leading;
mod tridiagonal;

pub use leading::leading;

use nalgebra::{DMatrix, DVector, SVD, Schur, SymmetricEigen};
use std::fmt;

/// Steps that an iteration may take for each row: it needs about two.
const STEPS: usize = 60;

/// How far a product may be from what was decomposed, in units of its largest number and for each row.
const ALLOWED: f64 = 1e-13;

/// Below this a number of a matrix of length one is rounding.
const ROUNDING: f64 = 1e-14;

/// Sweeps of Jacobi's rotations; about eight are enough.
const SWEEPS: usize = 60;

/// An iteration did not come to an end, or came to a wrong one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotConverged;

impl fmt::Display for NotConverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("The decomposition of a matrix did not converge.")
    }
}

impl std::error::Error for NotConverged {}

/// A matrix of at least as many rows as columns as O·T, O orthonormal and T triangular; with fewer rows O is square.
/// By Householder's reflections, so that O is orthonormal whatever the rank is.
#[must_use]
pub fn orthonormal(matrix: DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let qr = matrix.qr();
    (qr.q(), qr.unpack_r())
}

/// A·B.
#[must_use]
pub fn product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    a * b
}

/// Columns of a block of [`gram`]: enough for the fast kernel, few enough that little is computed twice.
const GRAM_BLOCK: usize = 128;

/// Aᵀ·A. It is symmetric, so the blocks above its diagonal are computed and those below are theirs, mirrored.
#[must_use]
pub fn gram(a: &DMatrix<f64>) -> DMatrix<f64> {
    let size = a.ncols();
    // The other way of writing a block does not pass through the fast kernel.
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

/// The eigenvalues of a symmetric matrix, falling, and its eigenvectors as columns in that order.
///
/// # Errors
/// When the iteration does not end.
pub fn symmetric(matrix: DMatrix<f64>) -> Result<(Vec<f64>, DMatrix<f64>), NotConverged> {
    let size = matrix.nrows();
    let eigen = SymmetricEigen::try_new(matrix, f64::EPSILON, STEPS * size).ok_or(NotConverged)?;
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let values = order.iter().map(|&at| eigen.eigenvalues[at]).collect();
    Ok((values, eigen.eigenvectors.select_columns(&order)))
}

/// A square matrix as U·S·Vᵀ.
#[derive(Debug, Clone)]
pub struct SingularValues {
    /// U, orthogonal.
    pub left: DMatrix<f64>,
    /// The diagonal of S, falling.
    pub values: DVector<f64>,
    /// V, orthogonal.
    pub right: DMatrix<f64>,
}

impl SingularValues {
    /// That of a square matrix.
    ///
    /// # Errors
    /// When no iteration ends.
    pub fn of(matrix: &DMatrix<f64>) -> Result<Self, NotConverged> {
        let size = matrix.nrows();
        let eps = 5.0 * f64::EPSILON;
        let found = SVD::try_new(matrix.clone(), true, true, eps, STEPS * size);
        if let Some(SVD {
            u: Some(left),
            v_t: Some(right),
            singular_values,
        }) = found
        {
            let found = Self {
                left,
                right: right.transpose(),
                values: singular_values,
            };
            if found.is_of(matrix) {
                return Ok(found);
            }
        }
        let found = one_sided_jacobi(matrix);
        if found.is_of(matrix) {
            Ok(found)
        } else {
            Err(NotConverged)
        }
    }

    fn is_of(&self, matrix: &DMatrix<f64>) -> bool {
        let size = matrix.nrows();
        let allowed = ALLOWED * size as f64;
        let unit = |m: &DMatrix<f64>| (gram(m) - DMatrix::identity(size, size)).amax() <= allowed;
        let product = &self.left * DMatrix::from_diagonal(&self.values) * self.right.transpose();
        (product - matrix).amax() <= allowed * matrix.amax()
            && unit(&self.left)
            && unit(&self.right)
    }
}

/// Turns pairs of columns until all are orthogonal (Hestenes 1958): their lengths are the singular values.
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

/// A direction at right angles to orthonormal ones that are fewer than their numbers: the axis that is farthest from
/// them, made orthogonal.
fn beside(columns: &DMatrix<f64>) -> DVector<f64> {
    let size = columns.nrows();
    let share = |axis: &usize| columns.row(*axis).norm_squared();
    let axis = (0..size)
        .min_by(|a, b| share(a).total_cmp(&share(b)))
        .unwrap_or_default();
    let mut direction = DVector::zeros(size);
    direction[axis] = 1.0;
    // Twice, which is enough.
    for _ in 0..2 {
        let along = columns.tr_mul(&direction);
        direction -= columns * along;
    }
    direction.normalize()
}

/// An orthogonal matrix as Z·B·Zᵀ: blocks on the diagonal of B, a turn each, and nothing else.
///
/// The shifts of the iteration can stand still on matrices of much symmetry, such as a cyclic one. Seen in a mirror
/// that stands askew the same matrix has none.
///
/// # Errors
/// When neither iteration ends.
pub fn turns(matrix: &DMatrix<f64>) -> Result<(DMatrix<f64>, DMatrix<f64>), NotConverged> {
    let size = matrix.nrows();
    let steps = STEPS * size;
    let is_of = |vectors: &DMatrix<f64>, blocks: &DMatrix<f64>| {
        let product = vectors * blocks * vectors.transpose();
        (product - matrix).amax() <= ALLOWED.sqrt()
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
