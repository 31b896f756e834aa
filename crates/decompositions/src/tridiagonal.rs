//! A symmetric matrix as Q·T·Qᵀ with T tridiagonal, by Householder's reflections (Golub & Van Loan, *Matrix
//! Computations*, section 8.3.1).
//!
//! By hand, because nalgebra's runs four times over what is left of the matrix at each step and writes Q out, of which
//! a few products are wanted. Here each step is one run: the last reflection's update of a column, and the column's share
//! of the product that the next reflection needs. The components of 512 × 768 numbers take 75 ms in a browser, not 125.

use nalgebra::{DMatrix, DVector};

/// T, and the reflections whose product is Q.
pub(crate) struct Reduced {
    /// The diagonal of T.
    pub(crate) diagonal: Vec<f64>,
    /// The diagonal beside it, one number shorter.
    pub(crate) beside: Vec<f64>,
    /// The unit vector across each reflection, on the rows after its own; zero where nothing is reflected.
    axes: Vec<Vec<f64>>,
}

/// A ↦ A − v·pᵀ − p·vᵀ, which a reflection across v does on both sides.
struct Update {
    v: Vec<f64>,
    p: Vec<f64>,
}

impl Reduced {
    /// That of a symmetric matrix of ordinary numbers, of which the part below the diagonal is read.
    pub(crate) fn of(mut matrix: DMatrix<f64>) -> Self {
        let size = matrix.nrows();
        let mut found = Self {
            diagonal: Vec::with_capacity(size),
            beside: Vec::with_capacity(size),
            axes: Vec::with_capacity(size),
        };
        let mut left = matrix.as_mut_slice();
        let mut update = Update {
            v: vec![0.0; size],
            p: vec![0.0; size],
        };
        for at in 0..size {
            // From here on: the columns that are left, and of each the rows from the diagonal on.
            let (column, others) = left.split_at_mut(size);
            let (own, v, p) = (&mut column[at..], &update.v, &update.p);
            for (row, place) in own.iter_mut().enumerate() {
                *place -= v[row] * p[0] + p[row] * v[0];
            }
            found.diagonal.push(own[0]);
            if at + 1 == size {
                break;
            }
            let (axis, length) = across(&own[1..]);
            found.beside.push(length);
            let mut product = vec![0.0; axis.len()];
            for (j, column) in others.chunks_exact_mut(size).enumerate() {
                let below = &mut column[at + 1 + j..];
                let rows = (&update.v[1 + j..], &update.p[1 + j..], &axis[j..]);
                add_column(below, rows, &mut product[j..]);
            }
            let along: f64 = axis.iter().zip(&product).map(|(a, b)| a * b).sum();
            for (p, a) in product.iter_mut().zip(&axis) {
                *p = 2.0 * (*p - along * a);
            }
            update = Update {
                v: axis.clone(),
                p: product,
            };
            found.axes.push(axis);
            left = others;
        }
        found
    }

    /// Q·V for vectors as columns, in place.
    pub(crate) fn turn(&self, vectors: &mut DMatrix<f64>) {
        for mut vector in vectors.column_iter_mut() {
            for (at, axis) in self.axes.iter().enumerate().rev() {
                let mut rows = vector.rows_range_mut(at + 1..);
                let axis = DVector::from_column_slice(axis);
                let along = axis.dot(&rows);
                rows.axpy(-2.0 * along, &axis, 1.0);
            }
        }
    }
}

/// The unit vector across which a column is reflected onto its first row, and what it becomes there.
fn across(column: &[f64]) -> (Vec<f64>, f64) {
    let norm = |numbers: &[f64]| numbers.iter().map(|x| x * x).sum::<f64>().sqrt();
    let onto = norm(column).copysign(column[0]);
    let mut axis = column.to_vec();
    // The sign is that of the first number, so that nothing cancels.
    axis[0] += onto;
    let length = norm(&axis);
    if length > 0.0 {
        axis.iter_mut().for_each(|x| *x /= length);
    }
    (axis, -onto)
}

/// Numbers of a column taken at once: sums of so many run side by side, or each would wait for the last.
const AT_ONCE: usize = 4;

/// Updates a column from its diagonal on, and adds to A·x what it and the row that mirrors it hold. Rows begin at the
/// diagonal's.
fn add_column(column: &mut [f64], (v, p, x): (&[f64], &[f64], &[f64]), product: &mut [f64]) {
    let (v0, p0, x0) = (v[0], p[0], x[0]);
    let update = |a: &mut f64, v: f64, p: f64| {
        *a -= v * p0 + p * v0;
        *a
    };
    let (own, column) = column.split_first_mut().expect("a column has a diagonal");
    let own = update(own, v0, p0) * x0;
    let (chunks, rest) = column.as_chunks_mut::<AT_ONCE>();
    let ((vs, v), (ps, p), (xs, x)) = (
        v[1..].as_chunks::<AT_ONCE>(),
        p[1..].as_chunks::<AT_ONCE>(),
        x[1..].as_chunks::<AT_ONCE>(),
    );
    let (sum, below) = product.split_first_mut().expect("a column has a diagonal");
    let (ys, y) = below.as_chunks_mut::<AT_ONCE>();
    let mut dots = [0.0; AT_ONCE];
    for ((((a, v), p), x), y) in chunks.iter_mut().zip(vs).zip(ps).zip(xs).zip(ys) {
        for at in 0..AT_ONCE {
            let a = update(&mut a[at], v[at], p[at]);
            y[at] += a * x0;
            dots[at] += a * x[at];
        }
    }
    let mut dot: f64 = dots.iter().sum();
    for ((((a, v), p), x), y) in rest.iter_mut().zip(v).zip(p).zip(x).zip(y) {
        let a = update(a, *v, *p);
        *y += a * x0;
        dot += a * x;
    }
    *sum += own + dot;
}
