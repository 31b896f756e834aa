//! Queries and keys of a head in the singular axes of its scores.
//!
//! `W_Q` and `W_K` enter scores only through their product, so they can be rewritten (Yamamoto & Matsuzaki 2023, eqs.
//! 13–14):
//!
//! `W_Q·W_Kᵀ` = `U_Q`·S·`U_Kᵀ`, Q = X·`U_Q`, K = X·`U_K`, and X·`W_Q·W_Kᵀ`·Xᵀ = Q·S·Kᵀ.
//!
//! The d×d product is never formed: `W_Q` = `O_Q·T_Q` and `W_K` = `O_K·T_K` by Householder reflections, then the
//! `d_k`×`d_k` matrix `T_Q·T_Kᵀ` = A·S·Bᵀ, `U_Q` = `O_Q`·A and `U_K` = `O_K`·B. Singular values are in descending
//! order. A pair of columns is determined up to a common sign: the entry of `u_Q` farthest from zero, the first among
//! equals, is positive. Pairs of equal singular values, as sine and cosine often have, are determined up to a rotation
//! in their plane. Biases and 1/√`d_k` are left out, as in the paper: a bias adds to a score a term that depends on one
//! position alone.

use super::{NoWaves, components::sign_of, matrix_product};
use decompositions::{SingularValues, orthonormal, product};
use nalgebra::DMatrix;
use ndarray::{Array2, ArrayView2};

/// Singular vectors and values of `W_Q·W_Kᵀ`.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryKeySvd {
    /// `U_Q`, [d, rank], orthonormal.
    pub query: Array2<f64>,
    /// `U_K`, [d, rank], orthonormal.
    pub key: Array2<f64>,
    /// S, in descending order, all positive.
    pub singular_values: Vec<f64>,
}

impl QueryKeySvd {
    /// Decomposes `W_Q` and `W_K`, [d, `d_k`] each, up to the rank of their product.
    ///
    /// # Errors
    /// If a weight is not finite, the product is zero, or the decomposition does not converge.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn compute(query: ArrayView2<'_, f32>, key: ArrayView2<'_, f32>) -> Result<Self, NoWaves> {
        assert_eq!(query.dim(), key.dim(), "both are [d, d_k]");
        let inputs = query.nrows();
        let ((query, query_unit), (key, key_unit)) = (wide(query)?, wide(key)?);
        let (query, of_query) = orthonormal(query);
        let (key, of_key) = orthonormal(key);
        let core = product(&of_query, &of_key.transpose());
        let SingularValues {
            left,
            values,
            right,
        } = SingularValues::compute(&core)?;
        // Two reflections, a product and the decomposition each round; numpy's `matrix_rank` allows only for the last.
        let least = values[0] * 4.0 * inputs as f64 * f64::EPSILON;
        let rank = values.iter().filter(|&&s| s > least).count();
        if rank == 0 {
            return Err(NoWaves::NoProduct);
        }
        let (of_query, of_key) = (product(&query, &left), product(&key, &right));
        let signs: Vec<f64> = (of_query.column_iter().take(rank))
            .map(|u| sign_of(u.iter().copied()))
            .collect();
        let axes = |of: &DMatrix<f64>| {
            Array2::from_shape_fn((inputs, rank), |(row, at)| signs[at] * of[(row, at)])
        };
        Ok(Self {
            query: axes(&of_query),
            key: axes(&of_key),
            singular_values: (values.iter().take(rank))
                .map(|s| s * query_unit * key_unit)
                .collect(),
        })
    }

    /// Rank of the product.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.singular_values.len()
    }

    /// Q = X·`U_Q` and K = X·`U_K` for hidden states X [n, d].
    #[must_use]
    pub fn through(&self, states: ArrayView2<'_, f32>) -> (Array2<f32>, Array2<f32>) {
        let along = |axes: &Array2<f64>| {
            matrix_product::product(states, axes.mapv(|v| v as f32).view(), 1.0)
        };
        (along(&self.query), along(&self.key))
    }
}

/// The matrix in units of its largest number, so that products do not overflow, and that unit.
fn wide(matrix: ArrayView2<'_, f32>) -> Result<(DMatrix<f64>, f64), NoWaves> {
    let mut unit = 0.0_f32;
    for (row, numbers) in matrix.rows().into_iter().enumerate() {
        for number in numbers {
            if !number.is_finite() {
                return Err(NoWaves::WeightNotFinite(row));
            }
            unit = if number.abs() > unit {
                number.abs()
            } else {
                unit
            };
        }
    }
    if unit == 0.0 {
        return Err(NoWaves::NoProduct);
    }
    let unit = f64::from(unit);
    let numbers = matrix.iter().map(|&number| f64::from(number) / unit);
    let wide = DMatrix::from_row_iterator(matrix.nrows(), matrix.ncols(), numbers);
    Ok((wide, unit))
}
