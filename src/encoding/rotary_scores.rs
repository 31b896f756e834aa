//! Scores by offset of a head that rotates its queries and keys (Su et al. 2021), for one query and one key at all
//! positions.
//!
//! Write the two columns of pair m as one complex number: `q_m` and `k_m`. At offset k = j − i the score is
//!
//! ```text
//! f(k) = Σ_m Re(c_m·e^(−iθ_m k)) + constant      c_m = scale·q_m·conj(k_m)
//! ```
//!
//! where the constant is the product of the columns that are not rotated.

use crate::math::{KeyRotation, Toeplitz, wave_sums};

/// Scores by offset of one head.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RotaryScores {
    /// `θ_m` in radians for each position, one per pair.
    pub frequencies: Vec<f64>,
    /// Real and imaginary part of `c_m`, one per pair.
    pub coefficients: Vec<(f64, f64)>,
    /// Score of the columns that are not rotated.
    pub constant: f64,
}

impl RotaryScores {
    /// Scores of a query and a key at all positions.
    ///
    /// # Panics
    /// If the query and the key differ in width, or a pair is outside of them.
    #[must_use]
    pub fn new((query, key): (&[f64], &[f64]), rotation: &KeyRotation) -> Self {
        let factor = rotation.scale * rotation.pair_factor;
        let (coefficients, rest) = pair_products((query, key), &rotation.columns);
        let scaled = coefficients
            .iter()
            .map(|(re, im)| (factor * re, factor * im));
        Self {
            frequencies: rotation.frequencies.clone(),
            coefficients: scaled.collect(),
            constant: rotation.scale * rest,
        }
    }

    /// The scores of n positions.
    #[must_use]
    pub fn scores(&self, n: usize) -> Toeplitz {
        let waves = |part: fn(&(f64, f64)) -> f64| {
            let amplitudes: Vec<f64> = self.coefficients.iter().map(part).collect();
            wave_sums(&self.frequencies, &amplitudes, n)
        };
        let (even, odd) = (waves(|c| c.0), waves(|c| c.1));
        Toeplitz::from_fn(n, |k| {
            let at = k.unsigned_abs() as usize;
            let sine = if k < 0 { -odd[at].1 } else { odd[at].1 };
            self.constant + even[at].0 + sine
        })
    }

    /// Mean of the scores of several heads of a layer, which have the same frequencies.
    #[must_use]
    pub fn mean(heads: &[Self]) -> Self {
        let share = 1.0 / heads.len().max(1) as f64;
        let mut mean = heads.first().cloned().unwrap_or_default();
        let of_all = |value: &dyn Fn(&Self) -> f64| share * heads.iter().map(value).sum::<f64>();
        mean.constant = of_all(&|head| head.constant);
        for (m, coefficient) in mean.coefficients.iter_mut().enumerate() {
            *coefficient = (
                of_all(&|head| head.coefficients[m].0),
                of_all(&|head| head.coefficients[m].1),
            );
        }
        mean
    }

    /// Count of stored numbers.
    #[must_use]
    pub fn numbers(&self) -> usize {
        self.frequencies.len() + 2 * self.coefficients.len() + 1
    }
}

/// `q_m·conj(k_m)` of every pair of columns, as real and imaginary part, and the product of all other columns.
///
/// # Panics
/// If the query and the key differ in width, or a pair is outside of them.
pub(super) fn pair_products(
    (query, key): (&[f64], &[f64]),
    columns: &[(usize, usize)],
) -> (Vec<(f64, f64)>, f64) {
    assert_eq!(query.len(), key.len(), "a query as wide as the key");
    let mut is_paired = vec![false; query.len()];
    let mut products = Vec::with_capacity(columns.len());
    for &(re, im) in columns {
        (is_paired[re], is_paired[im]) = (true, true);
        products.push((
            query[re] * key[re] + query[im] * key[im],
            query[im] * key[re] - query[re] * key[im],
        ));
    }
    let others = (0..query.len()).filter(|column| !is_paired[*column]);
    let rest = others.map(|column| query[column] * key[column]).sum();
    (products, rest)
}
