//! The numbers on which positions inside an attention depend, as read from a file.

use ndarray::{Array2, s};
use std::ops::Range;

use super::{
    ForwardError, LinearMap, NormWeights,
    tensor_numbers::{TensorNumbers, misfit},
};
use crate::{
    encoding::{Buckets, RelativeRows},
    model::{
        AngleDivisors, AttentionPositions, DistanceMap, DistanceTerms, RotationDescription, STILL,
    },
};

/// Positions inside an attention.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PositionWeights {
    /// None.
    None,
    /// Queries and keys are rotated.
    Rotation(RotationWeights),
    /// A score by bucket of offsets is added.
    Buckets {
        /// Scores, [buckets, heads].
        table: Array2<f32>,
        /// The bucket of every offset.
        buckets: Buckets,
    },
    /// Queries, and keys in some models, are multiplied with a vector per offset that all heads share.
    Vectors {
        /// Vectors, [2n − 1, `d_k`].
        table: Array2<f32>,
        /// Whether keys are multiplied with them too.
        meets_keys: bool,
    },
    /// Queries and keys are multiplied with keys and queries made from embeddings of distances.
    Distances(DistanceWeights),
}

/// Rotation of queries and keys.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RotationWeights {
    pub(super) description: RotationDescription,
    /// Divisors of the angles for every text, or for short and long ones.
    short: Option<Vec<f32>>,
    long: Option<Vec<f32>>,
}

/// Embeddings of distances with their maps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DistanceWeights {
    /// Embeddings, after their norm: one row per distance or bucket.
    pub(super) table: Array2<f32>,
    /// The row of every offset.
    pub(super) rows: RelativeRows,
    /// Map to the keys that queries of words meet.
    pub(super) key: Option<DistanceMapWeights>,
    /// Map to the queries that keys of words meet.
    pub(super) query: Option<DistanceMapWeights>,
}

/// Map of distance embeddings.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DistanceMapWeights {
    /// A map of their own.
    Own(LinearMap),
    /// The map that words pass through.
    Shared,
}

impl PositionWeights {
    /// Takes the numbers of described positions out of those that were read.
    pub(super) fn take(
        numbers: &mut TensorNumbers,
        positions: &AttentionPositions,
        heads: usize,
    ) -> Result<Self, ForwardError> {
        Ok(match positions {
            AttentionPositions::None => Self::None,
            AttentionPositions::Rotation(rotation) => {
                let tensors = match &rotation.tensors.divisors {
                    None => [None, None],
                    Some(AngleDivisors::Always(tensor)) => [Some(tensor); 2],
                    Some(AngleDivisors::ByLength { short, long, .. }) => {
                        [short.as_ref(), long.as_ref()]
                    }
                };
                let divisors = |name: Option<&String>| numbers.optional_vector(name.map(|n| &**n));
                let [short, long] = tensors.map(divisors);
                Self::Rotation(RotationWeights {
                    description: rotation.clone(),
                    short: short?,
                    long: long?,
                })
            }
            AttentionPositions::Buckets {
                tensor,
                max_distance,
                bidirectional,
            } => {
                let table = numbers.table(tensor)?;
                let (count, farthest) = (table.nrows(), *max_distance as usize);
                let buckets = Buckets::new(count, farthest, *bidirectional);
                let buckets = buckets.ok_or_else(|| misfit(tensor))?;
                Self::Buckets { table, buckets }
            }
            AttentionPositions::Vectors { tensor, meets_keys } => Self::Vectors {
                table: numbers.table(tensor)?,
                meets_keys: *meets_keys,
            },
            AttentionPositions::Distances(terms) => {
                Self::Distances(DistanceWeights::take(numbers, terms, heads)?)
            }
        })
    }
}

impl PositionWeights {
    /// Positions of one head alone. `columns` are those of its queries among all, `key_columns` those of its keys.
    pub(super) fn select_head(
        &self,
        head: usize,
        columns: Range<usize>,
        key_columns: Range<usize>,
    ) -> Self {
        match self {
            Self::Buckets { table, buckets } => Self::Buckets {
                table: table.slice(s![.., head..head + 1]).to_owned(),
                buckets: *buckets,
            },
            Self::Distances(distances) => {
                let select = |map: &DistanceMapWeights, columns: Range<usize>| match map {
                    DistanceMapWeights::Own(map) => {
                        DistanceMapWeights::Own(map.select_outputs(columns))
                    }
                    DistanceMapWeights::Shared => DistanceMapWeights::Shared,
                };
                let (key, query) = (distances.key.as_ref(), distances.query.as_ref());
                Self::Distances(DistanceWeights {
                    table: distances.table.clone(),
                    rows: distances.rows,
                    key: key.map(|map| select(map, key_columns)),
                    query: query.map(|map| select(map, columns)),
                })
            }
            Self::None | Self::Rotation(_) | Self::Vectors { .. } => self.clone(),
        }
    }
}

impl DistanceWeights {
    fn take(
        numbers: &mut TensorNumbers,
        terms: &DistanceTerms,
        heads: usize,
    ) -> Result<Self, ForwardError> {
        let table = numbers.table(&terms.table)?;
        let span = table.nrows() / 2;
        let rows = match terms.max_distance {
            Some(farthest) => RelativeRows::new(farthest as usize, Some(span)),
            None => RelativeRows::new(span, None),
        };
        let norm = numbers.optional_norm(terms.norm.as_ref())?;
        let mut map = |map: &DistanceMap| -> Result<_, ForwardError> {
            Ok(match map {
                DistanceMap::Shared => DistanceMapWeights::Shared,
                DistanceMap::Own(map) => DistanceMapWeights::Own(numbers.take_map(map, heads)?),
            })
        };
        let key = terms.key.as_ref().map(&mut map).transpose()?;
        let query = terms.query.as_ref().map(&mut map).transpose()?;
        Ok(Self {
            table: NormWeights::apply_optional(norm.as_ref(), table.view()),
            rows: rows.ok_or_else(|| misfit(&terms.table))?,
            key,
            query,
        })
    }
}

impl RotationWeights {
    /// Angles of the pairs for a text of `length` tokens, in radians for each position.
    pub(super) fn frequencies(&self, length: usize) -> Vec<f64> {
        let tensors = &self.description.tensors;
        let mut frequencies = tensors.angles.frequencies(length);
        let is_long = match &tensors.divisors {
            Some(AngleDivisors::ByLength { trained_length, .. }) => length as f64 > *trained_length,
            _ => false,
        };
        let divisors = if is_long { &self.long } else { &self.short };
        for (frequency, divisor) in frequencies.iter_mut().zip(divisors.iter().flatten()) {
            *frequency /= f64::from(*divisor);
        }
        frequencies
    }

    /// Angles of the pairs in training, of which divisors only stop some.
    pub(super) fn trained_frequencies(&self) -> Vec<f64> {
        let mut frequencies = self.description.tensors.angles.trained_frequencies();
        for (frequency, divisor) in frequencies.iter_mut().zip(self.short.iter().flatten()) {
            if *divisor >= STILL {
                *frequency = 0.0;
            }
        }
        frequencies
    }
}

/// Index of the key head that a head's queries meet.
pub(super) fn key_head(head: usize, heads: usize, key_heads: usize) -> usize {
    head * key_heads / heads.max(1)
}
