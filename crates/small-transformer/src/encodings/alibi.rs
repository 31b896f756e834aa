//! Attention with linear biases: a head subtracts m·|k| from its scores (Press et al. 2022). Of H heads, a power of two,
//! head h = 1 … H has m = 2^(−8h/H); other H take the slopes of the next lower power, then every other slope of the
//! next higher, as the paper's code does. The slope is the same ahead and behind.

use super::{MOST_LENGTHS, PositionalEncoding};
use crate::{Real, TransformerShape};

/// The slopes of a layer's heads; all layers have the same.
#[derive(Clone, Debug)]
pub(super) struct LinearBiases {
    slopes: Vec<f64>,
    n: usize,
}

impl LinearBiases {
    pub(super) fn new(shape: &TransformerShape) -> Self {
        let heads = shape.heads;
        let of_power =
            |heads: usize| (1..=heads).map(move |h| (-8.0 * h as f64 / heads as f64).exp2());
        let power = 1 << heads.checked_ilog2().unwrap_or(0);
        let rest = of_power(2 * power)
            .step_by(2)
            .take(heads.saturating_sub(power));
        Self {
            slopes: of_power(power).chain(rest).collect(),
            n: shape.n,
        }
    }
}

impl<T: Real> PositionalEncoding<T> for LinearBiases {
    fn add_to_profile(
        &self,
        _weights: &[T],
        _layer: usize,
        head: usize,
        profile: &mut [T],
    ) -> bool {
        let centre = profile.len() / 2;
        for (at, f) in profile.iter_mut().enumerate() {
            *f += T::from_f64(-self.slopes[head] * at.abs_diff(centre) as f64);
        }
        true
    }

    fn longest(&self) -> usize {
        MOST_LENGTHS * self.n
    }
}
