//! Names of the tensors that hold a model's positions, with one variant per kind of positions.

use super::{LinearTensors, PatchRotation, RotaryTensors};

/// Storage of a model's positions.
#[derive(Clone, Debug, PartialEq)]
pub enum PositionTensors {
    /// A table with one row per position.
    Table {
        /// Name of the tensor.
        tensor: String,
        /// Leading rows that are not positions.
        leading_rows: Leading,
    },
    /// Scores by offset: one row per bucket, one column per head.
    Buckets {
        /// One tensor for all layers, or one per layer.
        tensors: Vec<String>,
        /// Distance up to which buckets widen; farther offsets share the last one.
        max_distance: u32,
        /// Whether keys after the query have their own buckets.
        bidirectional: bool,
    },
    /// Scores by offset in an image.
    Window {
        /// One tensor for all layers, or one per layer.
        tensors: Vec<String>,
        /// Whether three rows for the class token follow (`BEiT`).
        has_class: bool,
        /// Arrangement of the scores in a tensor.
        layout: WindowLayout,
    },
    /// Relative embeddings, multiplied with queries and keys.
    Distances(Distances),
    /// A vector per offset, multiplied with queries, and in some models with keys (Shaw et al. 2018).
    Vectors(OffsetVectors),
    /// Waves of the offset, projected to keys and multiplied with queries (Transformer-XL, `XLNet`).
    Waves(OffsetWaves),
    /// Gaussian kernels of the offset, added to the scores.
    Kernels {
        /// Three tensors per layer.
        layers: Vec<KernelTensors>,
    },
    /// Gaussians of (Δy, Δx), with a centre and a width per head (attention-cnn).
    Gaussians {
        /// Two tensors per layer.
        layers: Vec<GaussianTensors>,
    },
    /// The sum of a score for Δy and one for Δx (attention-cnn).
    Axes {
        /// Four tensors per layer.
        layers: Vec<AxisTensors>,
    },
    /// Queries and keys are rotated by angles that grow with the position; nothing is learned.
    Rotary(RotaryTensors),
    /// Queries and keys of patches are rotated by angles that grow with row and column.
    RotaryPatches(PatchRotation),
}

impl PositionTensors {
    /// Names of the tensors, without maps of relative keys and queries; empty for rotary angles.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::Table { tensor, .. } => vec![tensor.clone()],
            Self::Buckets { tensors, .. } | Self::Window { tensors, .. } => tensors.clone(),
            Self::Distances(distances) => vec![distances.tensor.clone()],
            Self::Vectors(vectors) => vectors.tensors.clone(),
            Self::Waves(waves) => waves
                .layers
                .iter()
                .map(|layer| layer.map.weight.clone())
                .collect(),
            Self::Kernels { layers } => {
                let names = |layer: &KernelTensors| {
                    [&layer.offsets, &layer.amplitudes, &layer.sharpness].map(String::clone)
                };
                layers.iter().flat_map(names).collect()
            }
            Self::Gaussians { layers } => {
                let names =
                    |layer: &GaussianTensors| [&layer.centres, &layer.spreads].map(String::clone);
                layers.iter().flat_map(names).collect()
            }
            Self::Axes { layers } => {
                let names = |layer: &AxisTensors| {
                    let keys = [&layer.across_keys, &layer.down_keys];
                    [&layer.across, &layer.down]
                        .into_iter()
                        .chain(keys)
                        .cloned()
                        .collect::<Vec<_>>()
                };
                layers.iter().flat_map(names).collect()
            }
            Self::Rotary(_) => Vec::new(),
            Self::RotaryPatches(rotation) => rotation.names(),
        }
    }
}

/// Arrangement of the scores of a window in a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowLayout {
    /// A row for every offset, query minus key, and a column for every head (Swin): [(2h − 1)(2w − 1), heads].
    OffsetRows,
    /// A matrix of offsets, key minus query, for every head (`MaxViT`): [heads, 2h − 1, 2w − 1].
    HeadMatrices,
    /// A row for every head and a column for every pair of distances (|Δy|, |Δx|) in a square window (`LeViT`): [heads, w²].
    Distances,
}

/// Leading rows of a table that are not positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leading {
    /// None.
    None,
    /// A known number of rows.
    Offset {
        /// Number of rows.
        rows: u64,
        /// The reason, as a sentence.
        reason: String,
    },
    /// Rows of tokens that are not patches of the image.
    Tokens(TokenRows),
    /// Rows at both ends that the user leaves out.
    Chosen {
        /// Number of rows at the beginning.
        first: u64,
        /// Number of rows at the end.
        last: u64,
    },
}

/// Rows of a patch table that belong to tokens: the tensors of the tokens, and the number of patches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenRows {
    /// Rows and columns of the patches, if configured.
    pub patches: Option<(u32, u32)>,
    /// Names of the tensors of class and distillation tokens, whose rows come first.
    pub first: Vec<String>,
    /// Names of the tensors of registers. In some models their rows follow the first ones, in others they have none.
    pub registers: Vec<String>,
    /// Names of the tensors of tokens whose rows come last (detection).
    pub last: Vec<String>,
    /// Minimum number of leading token rows.
    pub least: u64,
    /// Maximum number of leading token rows, if no tensor determines it.
    pub most: u64,
}

/// Kernels of a layer (TISA). Each tensor is [S, H]: one row per kernel, one column per head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelTensors {
    /// Name of the tensor of centres, in query minus key minus one.
    pub offsets: String,
    /// Name of the tensor of amplitudes.
    pub amplitudes: String,
    /// Name of the tensor of sharpnesses.
    pub sharpness: String,
}

/// Tensors of the Gaussian heads of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GaussianTensors {
    /// Centres, key minus query: [H, 2], y before x.
    pub centres: String,
    /// Roots of the inverse covariances: [H] or [H, 2, 2].
    pub spreads: String,
}

/// Tensors of the row and column offset embeddings of a layer, and of the heads' weights for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisTensors {
    /// Embeddings of Δx: [2m − 1, d].
    pub across: String,
    /// The heads' weights for Δx: [H, d].
    pub across_keys: String,
    /// Embeddings of Δy: [2m − 1, d].
    pub down: String,
    /// The heads' weights for Δy: [H, d].
    pub down_keys: String,
}

/// Offset vectors, shared by the heads of a layer (BERT with relative keys).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffsetVectors {
    /// One tensor per layer, [2n − 1, `d_k`]: row i − j + n − 1 is for query i and key j.
    pub tensors: Vec<String>,
    /// Whether keys are multiplied with them too.
    pub meets_keys: bool,
}

/// Projected waves of the offset, and the terms of the score that are shown (Dai et al., Transformer-XL, ACL 2019, section
/// 3.3): `(q_i + u)·k_j + (q_i + v)·r_{i−j}`, divided by the root of a head's width.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetWaves {
    /// One entry per layer.
    pub layers: Vec<WaveTensors>,
    /// The terms that are added.
    pub terms: Vec<WaveTerm>,
    /// Distance beyond which all offsets have the same waves, if configured.
    pub farthest: Option<u32>,
}

/// Tensors of the offsets in a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct WaveTensors {
    /// Map from waves to relative keys r.
    pub map: LinearTensors,
    /// Vectors u, added to queries that meet keys: one per head.
    pub content_bias: String,
    /// Vectors v, added to queries that meet relative keys: one per head.
    pub offset_bias: String,
}

/// A term of the score by offset, when every word is the mean word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveTerm {
    /// q·k, the same for all offsets.
    ContentContent,
    /// q·r.
    ContentOffset,
    /// u·k, the same for all offsets.
    BiasContent,
    /// v·r.
    BiasOffset,
}

/// Tensors of relative embeddings (`DeBERTa`).
#[derive(Clone, Debug, PartialEq)]
pub struct Distances {
    /// The table: one row per distance or bucket.
    pub tensor: String,
    /// Stem of a `LayerNorm` applied to the table.
    pub norm: Option<String>,
    /// Greatest distance with its own bucket, if distant offsets share buckets; `None` if every distance has its own
    /// row.
    pub max_distance: Option<u32>,
    /// Maps from the table to relative keys (content to position), one per layer.
    pub keys: Vec<LinearTensors>,
    /// Maps from the table to relative queries (position to content), one per layer.
    pub queries: Vec<LinearTensors>,
}
