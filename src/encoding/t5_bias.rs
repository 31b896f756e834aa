//! T5's relative positions: one learned score per bucket of offsets (Raffel et al. 2020, section 2.1). MPNet uses the
//! same in both directions, with 32 buckets up to distance 128.
//!
//! Half of the buckets of a direction hold one distance each. The other half grow logarithmically up to the greatest
//! distance, and the last holds all farther distances. The limits of buckets depend on the rounding of the models' own
//! library as well as on the formula; this module rounds as that library does.

use super::description::{Encoding, MAX_BUCKETED};
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "t5-bias",
    about: "A learned score for each bucket of offsets; buckets widen with distance.",
};

/// Maps offsets to the bucket whose score they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buckets {
    count: usize,
    max_distance: usize,
    bidirectional: bool,
}

impl Default for Buckets {
    /// T5's encoder: 32 buckets for both directions, up to distance 128.
    fn default() -> Self {
        Self {
            count: 32,
            max_distance: 128,
            bidirectional: true,
        }
    }
}

impl Buckets {
    /// `count` buckets up to `max_distance`; half of them for each direction if `bidirectional` (T5's encoder). `None`
    /// if a direction has fewer than two buckets, if `max_distance` is at most half the buckets of a direction, or if
    /// either number exceeds 2²⁴.
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

    /// Number of buckets, equal to the rows of the table of scores.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The distance up to which buckets widen; farther offsets share the last one.
    #[must_use]
    pub fn max_distance(&self) -> usize {
        self.max_distance
    }

    /// Whether keys ahead have their own buckets.
    #[must_use]
    pub fn is_bidirectional(&self) -> bool {
        self.bidirectional
    }

    /// Number of buckets per direction.
    #[must_use]
    pub fn buckets_of_direction(&self) -> usize {
        self.count / if self.bidirectional { 2 } else { 1 }
    }

    /// Number of buckets that hold one distance each.
    fn near(&self) -> usize {
        self.buckets_of_direction() / 2
    }

    /// The bucket of the offset k = j − i, in 0 … count − 1.
    ///
    /// With one direction, keys ahead share the bucket of k = 0; attention masks them.
    #[must_use]
    pub fn bucket(&self, k: i64) -> usize {
        let (of_direction, near) = (self.buckets_of_direction(), self.near());
        let (first, distance) = match (self.bidirectional, k > 0) {
            (true, true) => (of_direction, k.unsigned_abs() as usize),
            (false, true) => (0, 0),
            (_, false) => (0, k.unsigned_abs() as usize),
        };
        if distance < near {
            return first + distance;
        }
        // Single precision at each step, as in the models' library.
        let ratio = distance as f32 / near as f32;
        let log = f64::from(ratio).ln() as f32;
        let reach = (self.max_distance as f64 / near as f64).ln() as f32;
        let step = log / reach * (of_direction - near) as f32;
        first + near.saturating_add(step as usize).min(of_direction - 1)
    }

    /// f(k) for k = −(n−1) … n−1 from the scores of the buckets (one head's column of the table).
    ///
    /// # Panics
    /// If there are fewer scores than buckets.
    #[must_use]
    pub fn profile(&self, scores: &[f32], n: usize) -> Vec<f64> {
        let n = n as i64;
        (1 - n..n).map(|k| scores[self.bucket(k)].into()).collect()
    }
}
