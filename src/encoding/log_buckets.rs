//! DeBERTa's relative positions: which row of the table of relative embeddings an offset takes
//! (He et al. 2021; in buckets since version 2).
//!
//! With δ(i, j) clamped to the table, a score is (eq. 4)
//!
//! A_ij = Q_i·K_j + Q_i·K^r_δ(i,j) + K_j·Q^r_δ(j,i),
//!
//! the second term content to position (c2p), the third position to content (p2c). δ runs against k: in the
//! released code it grows with i − j. There the third term takes the row of δ(i, j) too, not δ(j, i): its
//! index is negated once and the matrix transposed once. The rows here are those of the code, with which the
//! weights were trained.

use super::description::{Encoding, MAX_BUCKETED};
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "log-buckets",
    about: "A learned vector for each bucket of offsets, met by queries and keys.",
};

/// How offsets find their rows in a table of 2·span relative embeddings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelativeRows {
    span: usize,
    buckets: Option<usize>,
    max_distance: usize,
}

impl Default for RelativeRows {
    /// Version 3: 256 buckets a direction, up to 512.
    fn default() -> Self {
        Self {
            span: 256,
            buckets: Some(256),
            max_distance: 512,
        }
    }
}

impl RelativeRows {
    /// Offsets up to `max_distance`, one row each (version 1), or in `buckets` a direction of which the nearer
    /// half hold one distance each and the others grow like a logarithm (versions 2 and 3).
    ///
    /// `None` for what cannot be divided so: no distance at all, fewer than two buckets, a greatest distance that
    /// half of them reach one by one, or more than 2²⁴ of either.
    #[must_use]
    pub fn new(max_distance: usize, buckets: Option<usize>) -> Option<Self> {
        let divides = match buckets {
            None => max_distance > 0,
            Some(buckets) => buckets > 1 && max_distance > buckets / 2 + 1,
        };
        let span = buckets.unwrap_or(max_distance);
        let counted = span.max(max_distance) <= MAX_BUCKETED;
        (divides && counted).then_some(Self {
            span,
            buckets,
            max_distance,
        })
    }

    /// Rows of a direction; the table has twice as many.
    #[must_use]
    pub fn span(&self) -> usize {
        self.span
    }

    /// Buckets of a direction, where far offsets share them.
    #[must_use]
    pub fn buckets(&self) -> Option<usize> {
        self.buckets
    }

    /// The greatest distance that is told from those beyond.
    #[must_use]
    pub fn max_distance(&self) -> usize {
        self.max_distance
    }

    /// The row whose key a query meets at the offset k = j − i.
    #[must_use]
    pub fn c2p_row(&self, k: i64) -> usize {
        let distance = match self.buckets {
            Some(buckets) => self.bucket(k.unsigned_abs() as usize, buckets / 2),
            None => k.unsigned_abs() as usize,
        };
        if k > 0 {
            self.span.saturating_sub(distance)
        } else {
            self.span.saturating_add(distance).min(2 * self.span - 1)
        }
    }

    /// The row whose query a key meets at the offset k = j − i: that of [`Self::c2p_row`].
    #[must_use]
    pub fn p2c_row(&self, k: i64) -> usize {
        self.c2p_row(k)
    }

    /// The bucket of a distance, where distances below `near` have one each.
    fn bucket(&self, distance: usize, near: usize) -> usize {
        if distance <= near {
            return distance;
        }
        // Each step in single precision, as the library takes it: its logarithms decide where buckets end.
        let log = |ratio: f32| f64::from(ratio).ln() as f32;
        let reach = ((self.max_distance - 1) as f64 / near as f64) as f32;
        let step = log(distance as f32 / near as f32) / log(reach) * (near - 1) as f32;
        near.saturating_add(step.ceil() as usize)
    }
}
