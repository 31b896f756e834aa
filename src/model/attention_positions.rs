//! Positions inside the attention of a block.

use super::{LinearTensors, NormDescription, RotaryTensors};

/// Part of an attention's scores that depends on positions.
#[derive(Clone, Debug, PartialEq)]
pub enum AttentionPositions {
    /// None: positions are in the states, or nowhere.
    None,
    /// Queries and keys are rotated.
    Rotation(RotationDescription),
    /// A score by bucket of offsets is added, one row per bucket and one column per head (T5).
    Buckets {
        /// Name of the table. Several blocks may share it.
        tensor: String,
        /// Distance up to which buckets widen; farther offsets share the last one.
        max_distance: u32,
        /// Whether keys after the query have their own buckets.
        bidirectional: bool,
    },
    /// Queries are multiplied with a vector per offset (Shaw et al. 2018).
    Vectors {
        /// Name of the table, [2n − 1, `d_k`]: row i − j + n − 1 is for query i and key j.
        tensor: String,
        /// Whether keys are multiplied with them too.
        meets_keys: bool,
    },
    /// Queries and keys are multiplied with keys and queries made from embeddings of distances (`DeBERTa`).
    Distances(DistanceTerms),
}

/// Rotation of queries and keys by angles i·θ_m at position i.
#[derive(Clone, Debug, PartialEq)]
pub struct RotationDescription {
    /// Angles of the first columns of every head.
    pub tensors: RotaryTensors,
    /// Columns that form a pair.
    pub pairs: RotaryPairs,
}

/// Columns that are rotated together, m = 0 … width/2 − 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotaryPairs {
    /// m and m + width/2.
    Halves,
    /// 2m and 2m + 1.
    Adjacent,
}

/// Terms of words with distances.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceTerms {
    /// Name of the embeddings, one row per distance or bucket.
    pub table: String,
    /// Norm that is applied to them.
    pub norm: Option<NormDescription>,
    /// Greatest distance with its own bucket, if distant offsets share buckets; `None` if every distance has its own
    /// row.
    pub max_distance: Option<u32>,
    /// Map to the keys that queries of words meet.
    pub key: Option<DistanceMap>,
    /// Map to the queries that keys of words meet.
    pub query: Option<DistanceMap>,
}

/// Map of distance embeddings.
#[derive(Clone, Debug, PartialEq)]
pub enum DistanceMap {
    /// A map of their own.
    Own(LinearTensors),
    /// The map that words pass through.
    Shared,
}

impl RotationDescription {
    /// Columns of pair m in a head.
    #[must_use]
    pub fn columns(&self, m: usize) -> (usize, usize) {
        match self.pairs {
            // Where only the first pairs of a head are rotated, partners are half a head apart all the same. An odd
            // number of columns is rounded up.
            RotaryPairs::Halves => {
                let angles = &self.tensors.angles;
                (m, m + (angles.exponent_width / 2).max(angles.pairs))
            }
            RotaryPairs::Adjacent => (2 * m, 2 * m + 1),
        }
    }
}

impl DistanceTerms {
    /// Number of kinds of terms, with the products of words: 1 to 3.
    #[must_use]
    pub fn kinds(&self) -> usize {
        1 + usize::from(self.key.is_some()) + usize::from(self.query.is_some())
    }
}

impl AttentionPositions {
    /// Maps that belong to positions alone.
    pub fn maps(&self) -> impl Iterator<Item = &LinearTensors> {
        let maps = match self {
            Self::Distances(terms) => [terms.key.as_ref(), terms.query.as_ref()],
            _ => [None, None],
        };
        maps.into_iter().flatten().filter_map(|map| match map {
            DistanceMap::Own(map) => Some(map),
            DistanceMap::Shared => None,
        })
    }

    /// Names of the tables, which blocks may share.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        let (tables, norm) = match self {
            Self::None => (Vec::new(), None),
            Self::Rotation(rotation) => (rotation.tensors.names(), None),
            Self::Buckets { tensor, .. } | Self::Vectors { tensor, .. } => {
                (vec![tensor.as_str()], None)
            }
            Self::Distances(terms) => (vec![terms.table.as_str()], terms.norm.as_ref()),
        };
        tables
            .into_iter()
            .chain(norm.into_iter().flat_map(NormDescription::tensors))
    }
}
