//! A thin product with its overall mean taken out, so that variances lose no digits.
//!
//! With l̄, r̄ the mean rows of L and R, and L̃ = L − l̄, R̃ = R − r̄,
//!
//! A_ij = mean + L̃_i·R̃_j + v_i + u_j,  v_i = L̃_i·r̄,  u_j = R̃_j·l̄,
//!
//! where the columns of L̃ and R̃ and the vectors v and u all sum to zero. So the three parts are
//! orthogonal, and the total sum of squares is a sum of squares: nothing cancels, even for a head whose
//! scores are a large constant with a faint pattern on top.

use super::low_rank::{LowRank, column_means, dot};
use ndarray::{Array1, Array2, ArrayView2, s};

/// Columns of a Gram matrix computed at once. Small enough to skip most of the mirrored half, large
/// enough for the matrix product to run at full speed.
const GRAM_BLOCK: usize = 128;

/// Rows handled at once when only the cells j ≤ i count.
const CAUSAL_BLOCK: usize = 32;

/// A = mean + L̃·R̃ᵀ + v·1ᵀ + 1·uᵀ.
#[derive(Debug, Clone)]
pub struct Centred {
    left: Array2<f32>,
    right: Option<Array2<f32>>,
    /// v, by query.
    pub(crate) by_query: Vec<f64>,
    /// u, by key.
    pub(crate) by_key: Vec<f64>,
    mean: f64,
}

impl Centred {
    /// Takes the mean out of a thin product.
    #[must_use]
    pub fn new(a: &LowRank) -> Self {
        let (left_mean, left) = centre(a.left());
        let (right_mean, right) = if a.is_symmetric() {
            (left_mean.clone(), None)
        } else {
            let (mean, right) = centre(a.right());
            (mean, Some(right))
        };
        let by_query = against(&left, &right_mean);
        let by_key = match &right {
            Some(right) => against(right, &left_mean),
            None => by_query.clone(),
        };
        Self {
            mean: left_mean.dot(&right_mean) + a.shift(),
            left,
            right,
            by_query,
            by_key,
        }
    }

    /// Number of positions.
    #[must_use]
    pub fn n(&self) -> usize {
        self.left.nrows()
    }

    /// The mean of all cells.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    pub(crate) fn left(&self) -> ArrayView2<'_, f32> {
        self.left.view()
    }

    pub(crate) fn right(&self) -> ArrayView2<'_, f32> {
        self.right.as_ref().unwrap_or(&self.left).view()
    }

    /// One cell minus the mean of all cells.
    #[must_use]
    pub fn cell(&self, i: usize, j: usize) -> f64 {
        dot(self.left.row(i), self.right().row(j)) + self.by_query[i] + self.by_key[j]
    }

    /// Σ (A − mean)² over all cells, from ⟨LᵀL, RᵀR⟩: n·r², not n²·r.
    #[must_use]
    pub fn total_squares(&self) -> f64 {
        let n = self.n() as f64;
        let squares = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
        self.product_squares() + n * (squares(&self.by_query) + squares(&self.by_key))
    }

    /// ‖L̃·R̃ᵀ‖², from a strip of the Gram matrices at a time: its columns from the diagonal on, because the
    /// others are their mirror image.
    fn product_squares(&self) -> f64 {
        let r = self.left.ncols();
        let mut total = 0.0;
        for a in (0..r).step_by(GRAM_BLOCK) {
            let end = (a + GRAM_BLOCK).min(r);
            let strip = |m: &Array2<f32>| m.slice(s![.., a..end]).t().dot(&m.slice(s![.., a..]));
            let left = strip(&self.left);
            let right = self.right.as_ref().map(strip);
            let right = right.as_ref().unwrap_or(&left);
            for (x, y) in left.rows().into_iter().zip(right.rows()) {
                for (column, (&x, &y)) in x.iter().zip(y).enumerate() {
                    let product = f64::from(x) * f64::from(y);
                    total += if a + column < end {
                        product
                    } else {
                        2.0 * product
                    };
                }
            }
        }
        total
    }

    /// Σ (A − mean) and Σ (A − mean)² over the cells j ≤ i.
    ///
    /// Row i needs L'_iᵀ·(Σ_{j≤i} R'_j·R'_jᵀ)·L'_i with the two vectors as extra columns of L' and R'.
    /// The inner sum grows by blocks of rows, so the cost is n·r².
    #[must_use]
    pub fn causal_squares(&self) -> f64 {
        let n = self.n();
        let left = with_columns(self.left(), &self.by_query, &vec![1.0; n]);
        let right = with_columns(self.right(), &vec![1.0; n], &self.by_key);
        let mut gram = Array2::<f64>::zeros((left.ncols(), left.ncols()));
        let mut total = 0.0;
        for start in (0..n).step_by(CAUSAL_BLOCK) {
            let rows = s![start..(start + CAUSAL_BLOCK).min(n), ..];
            let (queries, keys) = (left.slice(rows), right.slice(rows));
            total += (&queries.dot(&gram) * &queries).sum();
            for (i, row) in queries.dot(&keys.t()).rows().into_iter().enumerate() {
                total += row.iter().take(i + 1).map(|v| v * v).sum::<f64>();
            }
            gram += &keys.t().dot(&keys);
        }
        total
    }
}

fn centre(matrix: ArrayView2<'_, f32>) -> (Array1<f64>, Array2<f32>) {
    let mean = column_means(matrix);
    let mut centred = matrix.as_standard_layout().into_owned();
    let (columns, means) = (matrix.ncols().max(1), mean.to_vec());
    if let Some(cells) = centred.as_slice_mut() {
        for row in cells.chunks_exact_mut(columns) {
            for (value, mean) in row.iter_mut().zip(&means) {
                *value = (f64::from(*value) - mean) as f32;
            }
        }
    }
    (mean, centred)
}

/// Every row times a vector. Eight sums run side by side: one alone would wait for itself.
fn against(matrix: &Array2<f32>, vector: &Array1<f64>) -> Vec<f64> {
    const LANES: usize = 8;
    let vector = vector.to_vec();
    let whole = vector.len() - vector.len() % LANES;
    let dot = |row: &[f32]| {
        let mut sums = [0.0; LANES];
        for (x, y) in row.chunks_exact(LANES).zip(vector.chunks_exact(LANES)) {
            for lane in 0..LANES {
                sums[lane] += f64::from(x[lane]) * y[lane];
            }
        }
        let rest = row[whole..].iter().zip(&vector[whole..]);
        sums.iter().sum::<f64>() + rest.map(|(&x, y)| f64::from(x) * y).sum::<f64>()
    };
    let width = vector.len().max(1);
    match matrix.as_slice() {
        Some(cells) if !vector.is_empty() => cells.chunks_exact(width).map(dot).collect(),
        // Centred matrices are stored row by row; without columns there is nothing to add.
        _ => vec![0.0; matrix.nrows()],
    }
}

fn with_columns(matrix: ArrayView2<'_, f32>, first: &[f64], second: &[f64]) -> Array2<f64> {
    let (n, r) = matrix.dim();
    Array2::from_shape_fn((n, r + 2), |(i, c)| match c {
        c if c < r => f64::from(matrix[[i, c]]),
        c if c == r => first[i],
        _ => second[i],
    })
}
