//! Cross-covariances of the redefined queries and keys of a head, by offset.
//!
//! Yamamoto & Matsuzaki 2023: with q and k the columns of Q and K (see [`super::QueryKeySvd`]),
//!
//! * eq. 19: xcov(t) = Σ_i q_i·k_{i+t} over the positions that both have, t = key − query;
//! * eq. 20: xcorr(t) = (xcov(t) − mean of xcov over the offsets shown) / (‖q‖·‖k‖);
//! * eqs. 21–23: Σ_j s_j·xcov_j(t) is the sum of the diagonal at offset t of Q·S·Kᵀ, the head's scores without biases
//!   and 1/√`d_k`.
//!
//! Sums run over fewer positions as |t| grows, as in the paper: they are sums, not means. Transforms are long enough to
//! hold both columns, so nothing wraps around.

use super::{NoWaves, Profile, fourier::Fourier};
use ndarray::{ArrayView1, ArrayView2};
use rustfft::num_complex::Complex;

/// Plan of the transforms for columns of n positions; reuse it for every head.
pub struct CrossCovariances {
    n: usize,
    length: usize,
    fourier: Fourier,
}

/// Cross-covariances of a head.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossCovariance {
    /// xcov of each leading column, with its ‖q‖·‖k‖.
    pub leading_columns: Vec<(Profile, f64)>,
    /// Σ_j s_j·xcov_j over all columns.
    pub weighted_sum: Profile,
}

impl std::fmt::Debug for CrossCovariances {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CrossCovariances")
            .field("n", &self.n)
            .finish_non_exhaustive()
    }
}

impl CrossCovariances {
    /// Plans for n positions.
    #[must_use]
    pub fn new(n: usize) -> Self {
        let length = (2 * n).next_power_of_two();
        Self {
            n,
            length,
            fourier: Fourier::new(length),
        }
    }

    /// Computes the cross-covariances of Q and K [n, r]. The first `leading` columns are also returned one by one.
    ///
    /// # Errors
    /// If a row of either is not finite.
    ///
    /// # Panics
    /// If the shapes differ from each other or from the plan.
    pub fn compute(
        &self,
        query: ArrayView2<'_, f32>,
        key: ArrayView2<'_, f32>,
        singular_values: &[f64],
        leading: usize,
    ) -> Result<CrossCovariance, NoWaves> {
        let shape = (self.n, singular_values.len());
        assert_eq!(
            (query.dim(), key.dim()),
            (shape, shape),
            "planned for another shape"
        );
        let broken = |m: ArrayView2<'_, f32>| {
            let mut rows = m.rows().into_iter();
            rows.position(|row| row.iter().any(|v| !v.is_finite()))
        };
        if let Some(row) = broken(query).or(broken(key)) {
            return Err(NoWaves::NotFinite(row));
        }
        let mut weighted = vec![Complex::default(); self.fourier.frequencies()];
        let mut first = Vec::new();
        let columns = query.columns().into_iter().zip(key.columns());
        for (at, ((q, k), s)) in columns.zip(singular_values).enumerate() {
            let (q, k) = (numbers(q), numbers(k));
            let [of_query, of_key] = self.fourier.pair(&q, &k);
            let product: Vec<_> = of_query
                .iter()
                .zip(&of_key)
                .map(|(q, k)| q.conj() * k)
                .collect();
            for (sum, x) in weighted.iter_mut().zip(&product) {
                *sum += x * *s;
            }
            if at < leading {
                let norm = |column: &[f64]| column.iter().map(|v| v * v).sum::<f64>().sqrt();
                first.push((self.by_offset(&product), norm(&q) * norm(&k)));
            }
        }
        Ok(CrossCovariance {
            leading_columns: first,
            weighted_sum: self.by_offset(&weighted),
        })
    }

    /// Inverse transform of a real sequence, by offset. The forward transform of the mirrored spectrum is the inverse.
    fn by_offset(&self, spectrum: &[Complex<f64>]) -> Profile {
        let mut line = vec![Complex::default(); self.length];
        for (f, &x) in spectrum.iter().enumerate() {
            line[f] = x.conj();
            line[(self.length - f) % self.length] = x;
        }
        self.fourier.complex(&mut line);
        Profile::from_fn(self.n, |t| {
            line[t.rem_euclid(self.length as i64) as usize].re / self.length as f64
        })
    }
}

impl CrossCovariance {
    /// xcorr of a leading column at offsets −reach … reach; `None` if there is no such column or if its query or key
    /// side is zero.
    #[must_use]
    pub fn correlation(&self, column: usize, reach: usize) -> Option<Profile> {
        let (xcov, norm) = self.leading_columns.get(column)?;
        if *norm == 0.0 {
            return None;
        }
        let reach = (reach + 1).min(xcov.n());
        let near = Profile::from_fn(reach, |t| xcov.at(t).unwrap_or_default());
        let mean = near.values().iter().sum::<f64>() / near.values().len() as f64;
        Some(Profile::from_fn(reach, |t| {
            (near.at(t).unwrap_or_default() - mean) / norm
        }))
    }
}

fn numbers(column: ArrayView1<'_, f32>) -> Vec<f64> {
    column.iter().map(|&value| f64::from(value)).collect()
}
