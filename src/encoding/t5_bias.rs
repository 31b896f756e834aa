//! T5's relative positions: one learned score for each of a few buckets of offsets (Raffel et al. 2020,
//! section 2.1). MPNet has the same in both directions, with 32 buckets up to 128.
//!
//! Half of the buckets of a direction hold one distance each; the other half grow like a logarithm up to
//! the greatest distance, and the last holds whatever is farther away. Where a bucket ends is decided by
//! how the models' own library rounds, not by the formula alone; the numbers here are rounded as there.

use super::description::{Encoding, MAX_BUCKETED};
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "t5-bias",
    about: "A learned score for each bucket of offsets; buckets widen with distance.",
};

/// Which offsets share a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buckets {
    count: usize,
    max_distance: usize,
    bidirectional: bool,
}

impl Default for Buckets {
    /// T5's encoder: 32 buckets for both directions, up to 128.
    fn default() -> Self {
        Self {
            count: 32,
            max_distance: 128,
            bidirectional: true,
        }
    }
}

impl Buckets {
    /// `count` buckets, half of them for each direction where both are seen (T5's encoder), up to
    /// `max_distance`. `None` for what the logarithm cannot divide: fewer than two buckets a direction, or
    /// a greatest distance that half of them reach one by one; nor for more than 2²⁴ of either.
    #[must_use]
    pub fn new(count: usize, max_distance: usize, bidirectional: bool) -> Option<Self> {
        let buckets = Self {
            count,
            max_distance,
            bidirectional,
        };
        let near = buckets.near();
        let counted = count.max(max_distance) <= MAX_BUCKETED;
        (counted && near > 0 && max_distance > near).then_some(buckets)
    }

    /// How many buckets there are, the rows of the table of scores.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The distance up to which buckets widen; farther offsets share the last one.
    #[must_use]
    pub fn max_distance(&self) -> usize {
        self.max_distance
    }

    /// Whether keys ahead have buckets of their own.
    #[must_use]
    pub fn is_bidirectional(&self) -> bool {
        self.bidirectional
    }

    /// Buckets of a direction.
    #[must_use]
    pub fn of_direction(&self) -> usize {
        self.count / if self.bidirectional { 2 } else { 1 }
    }

    /// Buckets of one distance each, and so the first distance that is not alone.
    fn near(&self) -> usize {
        self.of_direction() / 2
    }

    /// The bucket of the offset k = j − i, in 0 … count − 1.
    ///
    /// Where one direction is seen, keys ahead share the bucket of k = 0; attention hides them.
    #[must_use]
    pub fn bucket(&self, k: i64) -> usize {
        let (of_direction, near) = (self.of_direction(), self.near());
        let (first, distance) = match (self.bidirectional, k > 0) {
            (true, true) => (of_direction, k.unsigned_abs() as usize),
            (false, true) => (0, 0),
            (_, false) => (0, k.unsigned_abs() as usize),
        };
        if distance < near {
            return first + distance;
        }
        // Each step in single precision, as the library takes it.
        let ratio = distance as f32 / near as f32;
        let log = f64::from(ratio).ln() as f32;
        let reach = (self.max_distance as f64 / near as f64).ln() as f32;
        let step = log / reach * (of_direction - near) as f32;
        first + near.saturating_add(step as usize).min(of_direction - 1)
    }

    /// f(k) for k = −(n−1) … n−1 from the scores of the buckets, one head's column of the table.
    ///
    /// # Panics
    /// When there are fewer scores than buckets.
    #[must_use]
    pub fn profile(&self, scores: &[f32], n: usize) -> Vec<f64> {
        let n = n as i64;
        (1 - n..n).map(|k| scores[self.bucket(k)].into()).collect()
    }
}
