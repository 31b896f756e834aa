//! A thin product with its overall mean removed, so that variances do not lose digits.
//!
//! With l̄, r̄ the mean rows of L and R, and L̃ = L − l̄, R̃ = R − r̄,
//!
//! A_ij = mean + L̃_i·R̃_j + v_i + u_j,  v_i = L̃_i·r̄,  u_j = R̃_j·l̄,
//!
//! where the columns of L̃ and R̃ and the vectors v and u all sum to zero. The three parts are therefore orthogonal,
//! and the total sum of squares is the sum of theirs. Nothing cancels, even for a head whose scores are a large
//! constant plus a weak pattern.
//!
//! Factors whose largest deviation is far from 1 are first multiplied by a power of two, because single precision
//! cannot hold the squares of such numbers. This rounds nothing; ordinary factors keep their scale.

use super::{
    AttentionMask,
    blocks::cut,
    gram::gram,
    low_rank::{LowRank, column_means, dot, largest, unit_of},
    matrix_product::{product, product_into},
};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};
use std::cell::OnceCell;

/// Rows of the product formed at once when its cells are summed.
const STRIP: usize = 128;

/// Rows handled at once when only the cells j ≤ i count.
const CAUSAL_BLOCK: usize = 64;

/// Maximum number of rows whose Gram matrix is formed in single precision; longer matrices sum several in double
/// precision.
const GRAM_ROWS: usize = 1024;

/// Numbers of a factor count as equal if they differ by at most this many roundings of single precision.
const ROUNDINGS: f64 = 4.0;

/// A = mean + unit·(L̃·R̃ᵀ + v·1ᵀ + 1·uᵀ), where the unit is a power of two, 1 for ordinary factors.
#[derive(Debug, Clone)]
pub struct CentredMatrix {
    /// The matrix A.
    product: LowRank,
    left: Array2<f32>,
    right: Option<Array2<f32>>,
    /// v, by query position.
    pub(crate) by_query: Vec<f64>,
    /// u, by key position.
    pub(crate) by_key: Vec<f64>,
    mean: f64,
    unit: f64,
    /// ‖L̃·R̃ᵀ‖², computed on first use.
    product_squares: OnceCell<f64>,
}

impl CentredMatrix {
    /// Removes the mean from a thin product.
    #[must_use]
    pub fn new(a: &LowRank) -> Self {
        let equal = if a.is_symmetric() {
            Equal::InColumns
        } else {
            Equal::InProducts
        };
        let left = CentredFactor::new(a.left(), equal);
        let right = (!a.is_symmetric()).then(|| CentredFactor::new(a.right(), equal));
        let other = right.as_ref().unwrap_or(&left);
        let by_query = against(&left.rows, &other.mean);
        let by_key = match &right {
            Some(right) => against(&right.rows, &left.mean),
            None => by_query.clone(),
        };
        let unit = left.unit * other.unit;
        Self {
            product: a.clone(),
            mean: unit * left.mean.dot(&other.mean) + a.shift(),
            left: left.rows,
            right: right.map(|right| right.rows),
            by_query,
            by_key,
            unit,
            product_squares: OnceCell::new(),
        }
    }

    /// v after the mean of each row over the visible cells is removed, to which softmax is invariant. It is 0 without a
    /// mask; with a causal mask it is minus the mean of L̃·R̃ᵀ and u over the cells j ≤ i.
    pub(super) fn by_query_of_softmax(&self, cells: AttentionMask) -> Vec<f64> {
        if cells == AttentionMask::Whole {
            return vec![0.0; self.n()];
        }
        let mut sum = vec![0.0; self.left.ncols()];
        let mut of_vector = 0.0;
        let keys = self.right();
        let rows = self.left.rows().into_iter().zip(keys.rows());
        let rows = rows.zip(&self.by_key).zip(1..);
        rows.map(|(((query, key), u), visible_keys)| {
            for (sum, &key) in sum.iter_mut().zip(key) {
                *sum += f64::from(key);
            }
            of_vector += u;
            let products = query.iter().zip(&sum).map(|(&x, y)| f64::from(x) * y);
            -(products.sum::<f64>() + of_vector) / f64::from(visible_keys)
        })
        .collect()
    }

    /// The matrix A.
    pub(super) fn product(&self) -> &LowRank {
        &self.product
    }

    /// Number of positions.
    #[must_use]
    pub fn n(&self) -> usize {
        self.left.nrows()
    }

    /// Mean of all cells.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Factor from sums over [`Self::left`], [`Self::right`] and the two vectors to sums over A.
    pub(crate) fn unit(&self) -> f64 {
        self.unit
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
        let product = dot(self.left.row(i), self.right().row(j));
        self.unit * (product + self.by_query[i] + self.by_key[j])
    }

    /// Σ (A − mean)² over all cells, from ⟨LᵀL, RᵀR⟩: O(n·r²), not O(n²·r).
    #[must_use]
    pub fn total_squares(&self) -> f64 {
        self.total_squares_with(&self.by_query)
    }

    /// Like [`Self::total_squares`], with another v that sums to 0.
    pub(super) fn total_squares_with(&self, by_query: &[f64]) -> f64 {
        let n = self.n() as f64;
        let squares = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
        let vectors = n * (squares(by_query) + squares(&self.by_key));
        self.unit * self.unit * (self.product_squares() + vectors)
    }

    /// Whether the matrix has fewer cells than the Gram matrices of its factors. Sums of squares use the smaller of the
    /// two, so nothing larger than the factors is formed.
    fn is_wide(&self) -> bool {
        self.left.ncols() > self.n()
    }

    /// ‖L̃·R̃ᵀ‖² = ⟨L̃ᵀ·L̃, R̃ᵀ·R̃⟩, computed once.
    fn product_squares(&self) -> f64 {
        *self.product_squares.get_or_init(|| {
            if self.is_wide() {
                return self.squares_of_cells();
            }
            let left = gram_of_columns(self.left());
            let right = self.right.as_ref();
            let right = right.map(|right| gram_of_columns(right.view()));
            let pairs = left.iter().zip(right.as_ref().unwrap_or(&left));
            pairs.map(|(x, y)| x * y).sum()
        })
    }

    /// ‖L̃·R̃ᵀ‖² from its cells: all at once for a symmetric product, else a strip of rows at a time.
    fn squares_of_cells(&self) -> f64 {
        let Some(right) = &self.right else {
            return squares(&gram(self.left()));
        };
        let strips = cut(&(0..self.n()), STRIP).into_iter();
        strips
            .map(|rows| squares(&product(self.left.slice(s![rows, ..]), right.t(), 1.0)))
            .sum()
    }

    /// Σ (A − mean)² over the cells j ≤ i.
    ///
    /// Row i needs L'_iᵀ·(Σ_{j≤i} R'_j·R'_jᵀ)·L'_i, with the two vectors as extra columns of L' and R'. The inner sum
    /// grows by blocks of rows, so the cost is O(n·r²). If that exceeds the cost of the cells, the cells are formed
    /// instead.
    #[must_use]
    pub fn causal_squares(&self) -> f64 {
        self.causal_squares_with(&self.by_query)
    }

    /// Like [`Self::causal_squares`], with another v.
    pub(super) fn causal_squares_with(&self, by_query: &[f64]) -> f64 {
        let one = vec![1.0; self.n()];
        let queries = with_columns(self.left(), [by_query, &one]);
        let keys = with_columns(self.right(), [&one, &self.by_key]);
        let width = queries.ncols();
        let by_cells = self.n() < 4 * width;
        let mut before = vec![0.0; if by_cells { 0 } else { width * width }];
        let mut total = 0.0;
        for rows in cut(&(0..self.n()), CAUSAL_BLOCK) {
            let query = queries.slice(s![rows.clone(), ..]);
            let key = keys.slice(s![rows.clone(), ..]);
            if by_cells {
                let earlier = keys.slice(s![..rows.start, ..]);
                total += squares(&product(query, earlier.t(), 1.0));
            } else {
                let gram = ArrayView2::from_shape((width, width), &before);
                let gram = gram.expect("as many numbers as cells");
                let through = product(query, gram, 1.0);
                let pairs = through.iter().zip(query);
                total += pairs
                    .map(|(&x, &y)| f64::from(x) * f64::from(y))
                    .sum::<f64>();
                product_into(&mut before, width, key.t(), key, 1.0, 1.0);
            }
            for (i, row) in product(query, key.t(), 1.0).rows().into_iter().enumerate() {
                total += squares(row.iter().take(i + 1));
            }
        }
        self.unit * self.unit * total
    }
}

/// AᵀA. Sums over many rows are in double precision.
fn gram_of_columns(matrix: ArrayView2<'_, f32>) -> Array2<f64> {
    let mut sum = Array2::zeros((matrix.ncols(), matrix.ncols()));
    for rows in matrix.axis_chunks_iter(Axis(0), GRAM_ROWS) {
        sum.zip_mut_with(&gram(rows.t()), |sum, &cell| *sum += f64::from(cell));
    }
    sum
}

/// Sum of squares.
fn squares<'a>(numbers: impl IntoIterator<Item = &'a f32>) -> f64 {
    let numbers = numbers.into_iter();
    numbers.map(|&v| f64::from(v) * f64::from(v)).sum()
}

/// A factor without its mean row, in units of a power of two.
struct CentredFactor {
    rows: Array2<f32>,
    mean: Array1<f64>,
    unit: f64,
}

/// Criterion by which the rows of a factor count as equal: all numbers differ from their column's mean by rounding
/// alone.
#[derive(Clone, Copy)]
enum Equal {
    /// Relative to the mean of the column, for a stored table.
    InColumns,
    /// Relative to the largest number, for queries and keys, which are sums of products.
    InProducts,
}

impl Equal {
    /// Whether the rows of a matrix with these column means count as equal.
    fn holds(self, matrix: ArrayView2<'_, f32>, means: &[f64]) -> bool {
        let rounding = ROUNDINGS * f64::from(f32::EPSILON);
        let sizes: Vec<f64> = match self {
            Self::InColumns => means.iter().map(|mean| mean.abs()).collect(),
            Self::InProducts => vec![largest(matrix).into(); means.len()],
        };
        let is_mean = |row: ArrayView1<'_, f32>| {
            let numbers = row.into_iter().zip(means.iter().zip(&sizes));
            numbers
                .into_iter()
                .all(|(&v, (mean, size))| (f64::from(v) - mean).abs() <= rounding * size)
        };
        matrix.rows().into_iter().all(is_mean)
    }
}

impl CentredFactor {
    fn new(matrix: ArrayView2<'_, f32>, equal: Equal) -> Self {
        let mean = column_means(matrix);
        let mut rows = matrix.as_standard_layout().into_owned();
        let columns = matrix.ncols().max(1);
        // The means are no larger than the numbers they are taken of, and both enter products.
        let unit = unit_of(largest(rows.view()).into());
        let means = mean.to_vec();
        if equal.holds(matrix, &means) {
            rows.fill(0.0);
        } else if let Some(cells) = rows.as_slice_mut() {
            let per_unit = unit.recip();
            for row in cells.chunks_exact_mut(columns) {
                for (value, mean) in row.iter_mut().zip(&means) {
                    *value = ((f64::from(*value) - mean) * per_unit) as f32;
                }
            }
        }
        Self {
            mean: mean / unit,
            rows,
            unit,
        }
    }
}

/// Product of every row with a vector. Eight independent sums avoid waiting for the latency of one.
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
        // Centred matrices are row-major; without columns every product is 0.
        _ => vec![0.0; matrix.nrows()],
    }
}

/// The matrix with two columns appended.
fn with_columns(matrix: ArrayView2<'_, f32>, extra: [&[f64]; 2]) -> Array2<f32> {
    let (rows, columns) = matrix.dim();
    let mut wide = Array2::zeros((rows, columns + 2));
    wide.slice_mut(s![.., ..columns]).assign(&matrix);
    for (mut column, numbers) in wide.columns_mut().into_iter().skip(columns).zip(extra) {
        for (place, &number) in column.iter_mut().zip(numbers) {
            *place = number as f32;
        }
    }
    wide
}
