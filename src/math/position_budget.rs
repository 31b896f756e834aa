//! Parts of position, content and both in the variance of a rotary head's scores.
//!
//! The score of query word a and key word b at offset k is s = scale·q_aᵀ·R_k·k_b. With a, b and k independent, and R̄
//! the mean of `R_k` over the offsets, its variance is
//!
//! ```text
//! position = Var_k f(k)                    f(k) = scale·μ_qᵀ·R_k·μ_k
//! content  = V(R̄)
//! both     = mean_k V(R_k) − V(R̄)
//! V(R)     = scale²·(tr(C_q·R·C_k·Rᵀ) + μ_qᵀ·R·C_k·Rᵀ·μ_q + μ_kᵀ·Rᵀ·C_q·R·μ_k)
//! ```
//!
//! with means μ and covariances C over words. Queries and keys without a mean and with C = W·Wᵀ are those of isotropic
//! states.

use ndarray::{Array1, Array2, ArrayView1, Axis};

/// Mean and covariance of a head's queries or keys over words.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorMoments {
    /// Mean, [d].
    pub mean: Array1<f64>,
    /// Covariance, [d, d].
    pub covariance: Array2<f64>,
}

/// Rotation of a head's keys against its queries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyRotation {
    /// Columns of each pair.
    pub columns: Vec<(usize, usize)>,
    /// Angle of each pair in radians for each position.
    pub frequencies: Vec<f64>,
    /// Factor of the products of rotated columns.
    pub pair_factor: f64,
    /// Factor of the scores.
    pub scale: f64,
}

/// Variance of a head's scores by its cause.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PositionBudget {
    /// Variance of the mean score of an offset.
    pub position: f64,
    /// Variance of a pair of words at the mean rotation.
    pub content: f64,
    /// The rest: words matter more at some offsets than at others.
    pub both: f64,
}

/// Cosine and sine of the rotation of each pair, times its factor.
type Blocks = Vec<(f64, f64)>;

impl KeyRotation {
    /// The rotation by an offset.
    fn blocks(&self, k: i64) -> Blocks {
        let block = |theta: &f64| {
            let (sin, cos) = (k as f64 * theta).sin_cos();
            (self.pair_factor * cos, self.pair_factor * sin)
        };
        self.frequencies.iter().map(block).collect()
    }

    /// Rotates a vector. The angle of a key is positive, as in q_i·R_{j−i}·k_j.
    fn rotate(&self, blocks: &Blocks, vector: &mut [f64]) {
        for (&(re, im), &(cos, sin)) in self.columns.iter().zip(blocks) {
            let (a, b) = (vector[re], vector[im]);
            (vector[re], vector[im]) = (a * cos - b * sin, a * sin + b * cos);
        }
    }

    /// R·C·Rᵀ.
    fn rotate_both(&self, blocks: &Blocks, matrix: &Array2<f64>) -> Array2<f64> {
        let mut once = matrix.as_standard_layout().into_owned();
        for _ in 0..2 {
            for mut row in once.rows_mut() {
                self.rotate(blocks, row.as_slice_mut().expect("rows are contiguous"));
            }
            once = once.reversed_axes().as_standard_layout().into_owned();
        }
        once
    }
}

impl VectorMoments {
    /// Mean and covariance from sums over `count` words: of the vectors, and of their outer products.
    ///
    /// # Panics
    /// If the sums differ in width.
    #[must_use]
    pub fn from_sums(sum: &Array1<f64>, products: &Array2<f64>, count: f64) -> Self {
        let mean = sum / count;
        let outer = outer(mean.view());
        Self {
            covariance: products / count - outer,
            mean,
        }
    }

    /// Moments of W·x for isotropic x: no mean, and the covariance G = W·Wᵀ.
    #[must_use]
    pub fn isotropic(gram: Array2<f64>) -> Self {
        Self {
            mean: Array1::zeros(gram.nrows()),
            covariance: gram,
        }
    }
}

impl PositionBudget {
    /// The budget of a head over offsets that are equally frequent.
    ///
    /// # Panics
    /// If there are no offsets, or if queries, keys and pairs do not have one width.
    #[must_use]
    pub fn compute(
        query: &VectorMoments,
        key: &VectorMoments,
        rotation: &KeyRotation,
        offsets: impl IntoIterator<Item = i64>,
    ) -> Self {
        let second_moment = &query.covariance + &outer(query.mean.view());
        let variance = |blocks: &Blocks| {
            let keys = rotation.rotate_both(blocks, &key.covariance);
            let mut mean = key.mean.to_vec();
            rotation.rotate(blocks, &mut mean);
            let mean = ArrayView1::from(&mean);
            (&second_moment * &keys).sum() + mean.dot(&query.covariance.dot(&mean))
        };
        let score = |blocks: &Blocks| {
            let mut mean = key.mean.to_vec();
            rotation.rotate(blocks, &mut mean);
            query.mean.dot(&ArrayView1::from(&mean))
        };
        let mut mean_blocks: Blocks = vec![(0.0, 0.0); rotation.frequencies.len()];
        let (mut count, mut variances) = (0.0, 0.0);
        let mut scores = Vec::new();
        for k in offsets {
            let blocks = rotation.blocks(k);
            for (sum, block) in mean_blocks.iter_mut().zip(&blocks) {
                *sum = (sum.0 + block.0, sum.1 + block.1);
            }
            variances += variance(&blocks);
            scores.push(score(&blocks));
            count += 1.0;
        }
        assert!(count > 0.0, "at least one offset");
        for sum in &mut mean_blocks {
            *sum = (sum.0 / count, sum.1 / count);
        }
        let scores = Array1::from(scores);
        let square = rotation.scale * rotation.scale;
        let content = square * variance(&mean_blocks);
        Self {
            position: square * scores.var_axis(Axis(0), 0.0).into_scalar(),
            content,
            // Rounding can make a part that is nothing negative.
            both: (square * variances / count - content).max(0.0),
        }
    }

    /// Variance of the scores.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.position + self.content + self.both
    }

    /// Position, content and both as shares of the variance; `None` if nothing varies.
    #[must_use]
    pub fn shares(&self) -> Option<[f64; 3]> {
        let total = self.total();
        let parts = [self.position, self.content, self.both];
        (total > 0.0 && total.is_finite()).then(|| parts.map(|part| part / total))
    }
}

fn outer(vector: ArrayView1<'_, f64>) -> Array2<f64> {
    Array2::from_shape_fn((vector.len(), vector.len()), |(a, b)| vector[a] * vector[b])
}
