//! Self-attention with relative position representations (Shaw et al. 2018, section 3.2): a learned vector for each
//! offset up to a reach K; all farther offsets share the last one.
//!
//! A score gains q_i·a_clip(k, −K, K)/√d (eq. 4), so for any head and query it is constant beyond ±K.

use super::{Random, description::Encoding};
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "shaw",
    about: "A learned vector for each offset up to a reach, multiplied by queries; farther offsets share the last vector.",
};

/// Offsets clipped to a maximum distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shaw {
    /// Maximum distance K; 16 in the paper's base model.
    pub reach: usize,
}

impl Default for Shaw {
    fn default() -> Self {
        Self { reach: 16 }
    }
}

impl Shaw {
    /// Number of rows of the table: one for each offset −K … K.
    #[must_use]
    pub fn rows(&self) -> usize {
        2 * self.reach + 1
    }

    /// The row of an offset, clip(k, −K, K) + K.
    #[must_use]
    pub fn row(&self, k: i64) -> usize {
        let reach = self.reach as i64;
        (k.clamp(-reach, reach) + reach) as usize
    }

    /// q·a_r/√d for every row r before training: query and vectors hold `width` independent standard normal numbers.
    #[must_use]
    pub fn untrained_scores(&self, width: usize, seed: u64) -> Vec<f64> {
        let rows = self.rows() + 1;
        let table = Random { rows, width, seed }.table();
        let query = table.row(rows - 1);
        // Rows of the random table have length 1. Scaling both to length √d and dividing by √d multiplies the product
        // by √d.
        let scale = (width as f64).sqrt();
        let product = |row: usize| {
            let products = table.row(row).into_iter().zip(query);
            products
                .map(|(a, q)| f64::from(*a) * f64::from(*q))
                .sum::<f64>()
        };
        (0..rows - 1).map(|row| scale * product(row)).collect()
    }

    /// f(k) for k = −(n−1) … n−1 from the score of each row.
    ///
    /// # Panics
    /// If there are fewer scores than rows.
    #[must_use]
    pub fn profile(&self, scores: &[f64], n: usize) -> Vec<f64> {
        let n = n as i64;
        (1 - n..n).map(|k| scores[self.row(k)]).collect()
    }
}
