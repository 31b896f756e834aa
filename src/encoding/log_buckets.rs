//! DeBERTa's relative positions: the row of the table of relative embeddings for each offset (He et al. 2021; bucketed
//! since version 2).
//!
//! With δ(i, j) clamped to the table, a score is (eq. 4)
//!
//! A_ij = Q_i·K_j + Q_i·K^r_δ(i,j) + K_j·Q^r_δ(j,i),
//!
//! where the second term is content to position (c2p) and the third is position to content (p2c). δ runs opposite to k:
//! in the released code it grows with i − j. The released code also takes the row of δ(i, j), not δ(j, i), for the
//! third term: its index is negated once and the matrix transposed once. The rows here follow the released code, which
//! trained the weights.

use super::description::{Encoding, MAX_BUCKETED};
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "log-buckets",
    about: "A learned vector for each bucket of offsets, multiplied by queries and keys.",
};

/// Maps offsets to rows of a table of 2·span relative embeddings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelativeRows {
    span: usize,
    buckets: Option<usize>,
    max_distance: usize,
}

impl Default for RelativeRows {
    /// Version 3: 256 buckets per direction, up to distance 512.
    fn default() -> Self {
        Self {
            span: 256,
            buckets: Some(256),
            max_distance: 512,
        }
    }
}

impl RelativeRows {
    /// Without `buckets`, each offset up to `max_distance` has its own row (version 1). With `buckets` per direction,
    /// the nearer half hold one distance each and the others grow logarithmically (versions 2 and 3).
    ///
    /// `None` if `max_distance` is 0, if there are fewer than two buckets, if `max_distance` is at most `buckets`/2 +
    /// 1, or if either number exceeds 2²⁴.
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

    /// Rows per direction; the table has twice as many.
    #[must_use]
    pub fn span(&self) -> usize {
        self.span
    }

    /// Buckets per direction, if distant offsets share rows.
    #[must_use]
    pub fn buckets(&self) -> Option<usize> {
        self.buckets
    }

    /// Offsets at or beyond this distance share the outermost row of their direction.
    #[must_use]
    pub fn max_distance(&self) -> usize {
        self.max_distance
    }

    /// Row of the relative key for a query at the offset k = j − i.
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

    /// Row of the relative query for a key at the offset k = j − i; the same as [`Self::c2p_row`].
    #[must_use]
    pub fn p2c_row(&self, k: i64) -> usize {
        self.c2p_row(k)
    }

    /// The bucket of a distance. Distances up to `near` have one bucket each.
    fn bucket(&self, distance: usize, near: usize) -> usize {
        if distance <= near {
            return distance;
        }
        // Single precision at each step, as in the models' library: it decides where buckets end.
        let log = |ratio: f32| f64::from(ratio).ln() as f32;
        let reach = ((self.max_distance - 1) as f64 / near as f64) as f32;
        let step = log(distance as f32 / near as f32) / log(reach) * (near - 1) as f32;
        near.saturating_add(step.ceil() as usize)
    }
}
