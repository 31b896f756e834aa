//! The space in which positions vary, and the rotation in it that moves every position by some tokens.
//!
//! Yamamoto & Matsuzaki 2023, Theorem 1 and eqs. 24–31: where positions are waves, a shift by Δ tokens turns the phase of
//! the wave with frequency f by θ = 2πf·Δ/n (eq. 27), which is a rotation of its sine and cosine (eq. 6). Learned waves
//! are neither exact nor separate, so the rotation is found from the positions themselves. With the centred rows X =
//! U·Σ·Vᵀ [n, d], the leading columns of V span the space of the waves and C = X·V are the coordinates of the positions.
//! R minimises Σ |`c_{p−Δ}` − `c_p`·R|² over all orthogonal R: with Σ `c_pᵀ·c_{p−Δ}` = A·S·Bᵀ, R = A·Bᵀ (Schönemann 1966,
//! the orthogonal Procrustes problem). Directions outside the space stay as they are, so that T = I + V·(R − I)·Vᵀ is
//! orthogonal as well.
//!
//! `W_K`' = T·`W_K` gives the key at position p the value of the key at p − Δ, plus a vector that is the same for all keys
//! and that softmax ignores. A head with these keys attends Δ tokens further ahead.

use super::{NoWaves, matrix_product};
use decompositions::{SingularValues, gram, leading_eigenvectors, product};
use nalgebra::DMatrix;
use ndarray::{Array2, ArrayView2};

/// Share of the variance of the positions that the space of the waves holds.
pub const WAVE_VARIANCE: f64 = 0.95;

/// Maximum number of directions of the space.
pub const MOST_DIRECTIONS: usize = 128;

/// The space in which positions vary most.
#[derive(Debug, Clone)]
pub struct WaveSpan {
    /// V, [d, r], orthonormal.
    basis: DMatrix<f64>,
    /// C, [n, r].
    along: DMatrix<f64>,
    /// Share of the variance that the space holds.
    pub share: f64,
}

/// The rotation of the space that moves positions by some tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct WaveShift {
    /// R, [r, r], orthogonal.
    pub rotation: DMatrix<f64>,
    /// Root of the sum of squares that remains, relative to that of the positions that are met.
    pub error: f64,
}

impl WaveSpan {
    /// Finds the space in which the rows of a matrix [n, d] vary: as few directions as hold [`WAVE_VARIANCE`] of the
    /// variance, at most [`MOST_DIRECTIONS`].
    ///
    /// # Errors
    /// If there are fewer than two rows, a value is not finite, nothing varies, or a decomposition does not converge.
    pub fn compute(states: ArrayView2<'_, f32>) -> Result<Self, NoWaves> {
        let (n, d) = states.dim();
        if n < 2 {
            return Err(NoWaves::TooFewPositions(n));
        }
        let broken = (states.rows().into_iter()).position(|row| row.iter().any(|v| !v.is_finite()));
        if let Some(row) = broken {
            return Err(NoWaves::NotFinite(row));
        }
        let mut x = wide(states);
        for mut column in x.column_iter_mut() {
            let mean = column.mean();
            column.add_scalar_mut(-mean);
        }
        let total = x.norm_squared();
        if total <= f64::MIN_POSITIVE {
            return Err(NoWaves::Constant);
        }
        let is_wide = d > n;
        let squared = if is_wide {
            gram(&x.transpose())
        } else {
            gram(&x)
        };
        let (variances, directions) = leading_eigenvectors(squared, MOST_DIRECTIONS.min(n.min(d)))?;
        let mut sum = 0.0;
        let enough = variances.iter().position(|variance| {
            sum += variance.max(0.0);
            sum >= WAVE_VARIANCE * total
        });
        let rank = enough.map_or(directions.ncols(), |at| (at + 1).min(directions.ncols()));
        let directions = directions.columns(0, rank).into_owned();
        let basis = if is_wide {
            let mut basis = product(&x.transpose(), &directions);
            for mut column in basis.column_iter_mut() {
                let length = column.norm();
                column /= length.max(f64::MIN_POSITIVE);
            }
            basis
        } else {
            directions
        };
        let along = product(&x, &basis);
        Ok(Self {
            share: (along.norm_squared() / total).min(1.0),
            basis,
            along,
        })
    }

    /// Number of directions r.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.basis.ncols()
    }

    /// The rotation that gives each position the coordinates of the position `shift` tokens before it.
    ///
    /// # Errors
    /// If no pair of positions is that far apart, or the decomposition does not converge.
    pub fn shift(&self, shift: i64) -> Result<WaveShift, NoWaves> {
        let (n, rank) = (self.along.nrows(), self.rank());
        let distance = shift.unsigned_abs() as usize;
        if distance >= n {
            return Err(NoWaves::TooFewPositions(n));
        }
        if distance == 0 {
            return Ok(WaveShift {
                rotation: DMatrix::identity(rank, rank),
                error: 0.0,
            });
        }
        let (early, late) = (
            self.along.rows(0, n - distance).into_owned(),
            self.along.rows(distance, n - distance).into_owned(),
        );
        let (from, to) = if shift > 0 {
            (late, early)
        } else {
            (early, late)
        };
        let SingularValues { left, right, .. } =
            SingularValues::compute(&product(&from.transpose(), &to))?;
        let rotation = product(&left, &right.transpose());
        let rest = &to - product(&from, &rotation);
        Ok(WaveShift {
            error: rest.norm() / to.norm().max(f64::MIN_POSITIVE),
            rotation,
        })
    }

    /// T·W for a weight W [d, k].
    ///
    /// # Panics
    /// If the weight has another number of rows than the space has dimensions around it.
    #[must_use]
    pub fn turn(&self, weight: ArrayView2<'_, f32>, shift: &WaveShift) -> Array2<f32> {
        let weight = wide(weight);
        let mut change = shift.rotation.clone();
        for at in 0..self.rank() {
            change[(at, at)] -= 1.0;
        }
        let inside = product(&self.basis.transpose(), &weight);
        let turned = weight + product(&self.basis, &product(&change, &inside));
        Array2::from_shape_fn((turned.nrows(), turned.ncols()), |place| {
            turned[place] as f32
        })
    }

    /// Share of the variance of scores along rows that keys from this space make, for queries [n, k] and `W_K` [d, k]: the
    /// part of the scores that rotations of the space move. Positions are those of `states`, from which the space is.
    #[must_use]
    pub fn share_of_scores(
        &self,
        states: ArrayView2<'_, f32>,
        query: ArrayView2<'_, f32>,
        key: ArrayView2<'_, f32>,
    ) -> f64 {
        let inside = product(&self.along, &product(&self.basis.transpose(), &wide(key)));
        let mut keys = wide(matrix_product::product(states, key, 1.0).view());
        for mut column in keys.column_iter_mut() {
            let mean = column.mean();
            column.add_scalar_mut(-mean);
        }
        // ‖Q·Kᵀ‖² = tr(QᵀQ·KᵀK), and keys inside and outside are uncorrelated along positions.
        let queries = gram(&wide(query));
        let size = |keys: &DMatrix<f64>| queries.dot(&gram(keys));
        (size(&inside) / size(&keys)).clamp(0.0, 1.0)
    }
}

fn wide(m: ArrayView2<'_, f32>) -> DMatrix<f64> {
    DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| f64::from(m[[i, j]]))
}
