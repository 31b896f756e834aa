//! Attention with linear biases (Press et al. 2022, Train Short, Test Long, section 3): a head subtracts m·|k| from its
//! scores, with a fixed slope m.
//!
//! Of H heads, H a power of two, head h = 1 … H has m_h = 2^(−8h/H). For other H the paper's released code takes the
//! slopes of the next lower power of two, then every other slope of the next higher power, from the first. The paper's
//! models look back only (k ≤ 0); here the same slope also applies to keys ahead.

use super::description::Encoding;
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "alibi",
    about: "Scores fall in proportion to distance, at a different rate in each head; nothing learned.",
};

/// One head of a layer with ALiBi.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alibi {
    /// Number of heads H of the layer.
    pub heads: usize,
    /// Index of the head, from 0.
    pub head: usize,
}

impl Default for Alibi {
    fn default() -> Self {
        Self { heads: 8, head: 3 }
    }
}

impl Alibi {
    /// Slope m of the head; of the last head if `head` is out of range.
    #[must_use]
    pub fn slope(&self) -> f64 {
        let slopes = slopes(self.heads);
        let last = slopes.len().saturating_sub(1);
        slopes.get(self.head.min(last)).copied().unwrap_or(0.0)
    }

    /// The bias −m·|k| for k = −(n−1) … n−1.
    #[must_use]
    pub fn profile(&self, n: usize) -> Vec<f64> {
        let (slope, n) = (self.slope(), n as i64);
        (1 - n..n)
            .map(|k| -slope * k.unsigned_abs() as f64)
            .collect()
    }
}

/// The slopes of H heads, head by head.
#[must_use]
pub fn slopes(heads: usize) -> Vec<f64> {
    let of_power = |heads: usize| (1..=heads).map(move |h| (-8.0 * h as f64 / heads as f64).exp2());
    if heads == 0 {
        return Vec::new();
    }
    let power = 1 << heads.ilog2();
    let rest = of_power(2 * power).step_by(2).take(heads - power);
    of_power(power).chain(rest).collect()
}
