//! Principal components of a table, computed exactly.
//!
//! The columns of a table [n, d] are centred, X = E − mean, and X = U·Σ·Vᵀ. A component's share is σ²/Σσ², the variance
//! it explains (Yamamoto & Matsuzaki 2023, section 4.1.2 and Fig. 12). The coordinates of the positions along it are
//! u·σ, a curve along position. The smaller of XᵀX and X·Xᵀ is decomposed as a symmetric matrix, in full. This squares
//! the singular values, so shares below about 10⁻¹⁵ are rounding and appear as 0 or close to it. Columns are not scaled
//! to unit variance: this is covariance PCA, not correlation PCA.
//!
//! A component is determined up to sign: the position farthest along it, the first among equals, is on the positive
//! side. Components of equal variance, such as the two halves of a wave, are determined up to a rotation in their
//! plane.

use super::{FiniteColumns, NoWaves};
use decompositions::{gram, leading_eigenvectors, product};
use nalgebra::DMatrix;
use ndarray::{Array2, ArrayView2};

/// Principal components of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Components {
    /// Share of the variance that each component explains, in descending order.
    pub shares: Vec<f64>,
    /// Coordinates of the positions along the leading components, [n, leading].
    pub along: Array2<f64>,
    /// Number of columns that are left out because a value is not finite.
    pub left_out: usize,
}

impl Components {
    /// Computes the components of a table [n, d], and the coordinates of its positions along the first `leading`.
    ///
    /// # Errors
    /// If no column is finite, if none varies, or if the decomposition does not converge.
    pub fn compute(table: ArrayView2<'_, f32>, leading: usize) -> Result<Self, NoWaves> {
        let finite = FiniteColumns::new(table)?.subtract_means()?;
        let (n, d, left_out) = (finite.n(), finite.columns.len(), finite.left_out);
        let mut x = DMatrix::from_vec(n, d, finite.columns.concat());
        // In units of the largest number, so that squares do not overflow.
        let unit = x.amax();
        x /= unit;
        let wide = d > n;
        let squared = if wide { gram(&x.transpose()) } else { gram(&x) };
        let total = squared.trace();
        let (variances, directions) = leading_eigenvectors(squared, leading)?;
        let leading = directions.ncols();
        let coordinates = if wide {
            directions
        } else {
            product(&x, &directions)
        };
        let mut along = Array2::zeros((n, leading));
        for (at, mut column) in along.columns_mut().into_iter().enumerate() {
            let coordinates = coordinates.column(at);
            let length = if wide {
                variances[at].max(0.0).sqrt()
            } else {
                1.0
            };
            let scale = sign_of(coordinates.iter().copied()) * unit * length;
            for (place, value) in column.iter_mut().zip(coordinates.iter()) {
                *place = scale * value;
            }
        }
        Ok(Self {
            shares: variances.iter().map(|v| v.max(0.0) / total).collect(),
            along,
            left_out,
        })
    }

    /// Share that the first one, the first two, … explain together.
    #[must_use]
    pub fn cumulative(&self) -> Vec<f64> {
        let sums = self.shares.iter().scan(0.0, |sum, share| {
            *sum += share;
            Some(f64::min(*sum, 1.0))
        });
        sums.collect()
    }
}

/// −1 if the number farthest from zero (the first among equals) is negative, else 1.
pub(super) fn sign_of(numbers: impl Iterator<Item = f64>) -> f64 {
    let farthest = numbers.fold(0.0_f64, |far, v| if v.abs() > far.abs() { v } else { far });
    if farthest < 0.0 { -1.0 } else { 1.0 }
}
