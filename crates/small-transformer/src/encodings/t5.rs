//! T5's relative positions: a learned score for each head and bucket of offsets, the same in all layers (Raffel et al.
//! 2020, section 2.1). The table is stored as MPNet stores it.
//!
//! Of 32 buckets, half are for keys ahead if the model looks both ways. Half of the buckets of a direction hold one
//! distance each; the others grow logarithmically up to distance 128.

use super::{MOST_LENGTHS, PositionalEncoding, add_table};
use crate::{
    Real, TransformerShape,
    parameters::{LearningGroup, ParameterLayout, ParameterRange},
};

/// Number of buckets.
const BUCKETS: usize = 32;

/// Distance from which on all offsets share a bucket.
const GREATEST: usize = 128;

/// A table of scores [buckets, heads].
#[derive(Clone, Debug)]
pub(super) struct BucketScores {
    table: ParameterRange,
    heads: usize,
    n: usize,
    /// Bucket of each offset −(m−1) … m−1 of the longest length m.
    buckets: Vec<usize>,
}

impl BucketScores {
    pub(super) fn new(shape: &TransformerShape, layout: &mut ParameterLayout) -> Self {
        let name = "bert.encoder.relative_attention_bias.weight";
        let longest = (MOST_LENGTHS * shape.n) as i64;
        Self {
            table: add_table(layout, name, &[BUCKETS, shape.heads], LearningGroup::Score),
            heads: shape.heads,
            n: shape.n,
            buckets: (1 - longest..longest)
                .map(|k| bucket(k, !shape.is_causal))
                .collect(),
        }
    }

    /// The bucket of each offset that a profile has.
    fn of_profile(&self, length: usize) -> &[usize] {
        let start = (self.buckets.len() - length) / 2;
        &self.buckets[start..start + length]
    }
}

/// The bucket of an offset k = j − i.
fn bucket(k: i64, is_bidirectional: bool) -> usize {
    let of_direction = if is_bidirectional {
        BUCKETS / 2
    } else {
        BUCKETS
    };
    let near = of_direction / 2;
    let first = if is_bidirectional && k > 0 {
        of_direction
    } else {
        0
    };
    let distance = if is_bidirectional || k < 0 {
        k.unsigned_abs() as usize
    } else {
        0
    };
    if distance < near {
        return first + distance;
    }
    // Single precision at each step, as in the models' library.
    let log = f64::from(distance as f32 / near as f32).ln() as f32;
    let reach = (GREATEST as f64 / near as f64).ln() as f32;
    let step = (log / reach * (of_direction - near) as f32) as usize;
    first + (near + step).min(of_direction - 1)
}

impl<T: Real> PositionalEncoding<T> for BucketScores {
    fn add_to_profile(&self, weights: &[T], _layer: usize, head: usize, profile: &mut [T]) -> bool {
        let table = self.table.of(weights);
        let buckets = self.of_profile(profile.len());
        for (f, bucket) in profile.iter_mut().zip(buckets) {
            *f += table[bucket * self.heads + head];
        }
        true
    }

    fn add_profile_gradient(
        &self,
        _weights: &[T],
        _layer: usize,
        head: usize,
        profile: &[T],
        gradients: &mut [T],
    ) {
        let table = self.table.of_mut(gradients);
        for (f, bucket) in profile.iter().zip(self.of_profile(profile.len())) {
            table[bucket * self.heads + head] += *f;
        }
    }

    fn longest(&self) -> usize {
        MOST_LENGTHS * self.n
    }
}

#[cfg(test)]
mod tests {
    use super::bucket;

    /// Buckets of T5's encoder and decoder, from its own library.
    #[test]
    fn buckets_are_those_of_the_models_own_library() {
        let encoder: Vec<usize> = [-128, -64, -16, -8, -7, -1, 0, 1, 7, 8, 16, 64, 200]
            .map(|k| bucket(k, true))
            .into();
        assert_eq!(encoder, [15, 14, 10, 8, 7, 1, 0, 17, 23, 24, 26, 30, 31]);
        let decoder: Vec<usize> = [-128, -32, -16, -15, -1, 0, 5]
            .map(|k| bucket(k, false))
            .into();
        assert_eq!(decoder, [31, 21, 16, 15, 1, 0, 0]);
    }
}
