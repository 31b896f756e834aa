//! Attention with linear biases (Press et al. 2022, Train Short, Test Long, section 3): a head lowers its
//! scores in proportion to distance, −m·|k|, at a slope m that nobody learns.
//!
//! Of H heads, H a power of two, head h = 1 … H has m_h = 2^(−8h/H). For other H the paper's released code
//! takes the slopes for the next lower power of two, then every other one of those for the next higher,
//! from the first. The paper's models look back only (k ≤ 0); with keys ahead the same slope holds both ways
//! there.

use super::description::Encoding;
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "alibi",
    about: "Scores fall in proportion to distance, in each head at another rate; nothing learned.",
};

/// One head of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alibi {
    /// Heads H of a layer.
    pub heads: usize,
    /// The head, from 0.
    pub head: usize,
}

impl Default for Alibi {
    fn default() -> Self {
        Self { heads: 8, head: 3 }
    }
}

impl Alibi {
    /// Its slope m; the last head's where there are fewer.
    #[must_use]
    pub fn slope(&self) -> f64 {
        let slopes = slopes(self.heads);
        let last = slopes.len().saturating_sub(1);
        slopes.get(self.head.min(last)).copied().unwrap_or(0.0)
    }

    /// −m·|k|, k = −(n−1) … n−1.
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
