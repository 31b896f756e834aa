//! The tensors that hold a model's positions, as a description: one kind for each way to keep them.

use super::LinearTensors;

/// Where positions are.
#[derive(Clone, Debug, PartialEq)]
pub enum PositionTensors {
    /// A table with one row a position.
    Table {
        /// The tensor.
        tensor: String,
        /// Leading rows that stand for no position.
        leading: Leading,
    },
    /// Numbers added to the scores, by how far a key lies from its query: a row a bucket, a column a head.
    Buckets {
        /// One tensor for all layers, or one a layer.
        tensors: Vec<String>,
        /// Number of the largest distance that has a bucket of its own kind.
        max_distance: u32,
        /// Whether keys after the query have buckets.
        bidirectional: bool,
    },
    /// Numbers added to the scores, by how far a key lies from its query in an image.
    Window {
        /// One tensor for all layers, or one a layer.
        tensors: Vec<String>,
        /// Whether three rows for the class token follow (`BEiT`).
        has_class: bool,
    },
    /// Embeddings of how far a key lies from its query, which meet queries and keys.
    Distances(Distances),
    /// A vector for each offset, which queries meet, and keys as well in some models (Shaw et al. 2018).
    Vectors(OffsetVectors),
    /// Gaussian kernels of how far a key lies from its query, added to the scores.
    Kernels {
        /// Three tensors a layer.
        layers: Vec<KernelTensors>,
    },
    /// Gaussians of (Δy, Δx), a centre and a width each head (attention-cnn).
    Gaussians {
        /// Two tensors a layer.
        layers: Vec<GaussianTensors>,
    },
    /// A score for Δy and one for Δx, added (attention-cnn).
    Axes {
        /// Four tensors a layer.
        layers: Vec<AxisTensors>,
    },
    /// Queries and keys are turned by angles that grow with the position; nothing is learned.
    Rotary {
        /// Columns of a head that are turned.
        width: u32,
        /// Base of the angles.
        base: f64,
        /// A tensor of numbers that the angles are divided by, one a pair of columns.
        divisors: Option<String>,
    },
}

/// Which leading rows of a table stand for no position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leading {
    /// None do.
    None,
    /// So many, because of that.
    Offset {
        /// How many.
        rows: u64,
        /// Why, as a sentence.
        reason: String,
    },
    /// Those of tokens that are no patches of the image.
    Tokens(TokenRows),
}

/// Rows of a table of patches that belong to tokens instead: which tokens there are, and how many patches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenRows {
    /// Rows and columns of the patches, where the configuration says.
    pub patches: Option<(u32, u32)>,
    /// Tensors of the tokens of class and distillation, whose rows come first.
    pub first: Vec<String>,
    /// Tensors of registers. In some models they have rows behind the first, in others none.
    pub registers: Vec<String>,
    /// Tensors of tokens whose rows come last (detection).
    pub last: Vec<String>,
    /// The fewest leading rows that belong to tokens.
    pub least: u64,
    /// The most of them where no tensor says how many tokens there are.
    pub most: u64,
}

/// Kernels of a layer (TISA), each tensor [S, H]: a row a kernel, a column a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelTensors {
    /// Where kernels stand, by query minus key minus one.
    pub offsets: String,
    /// How high they are.
    pub amplitudes: String,
    /// How narrow they are.
    pub sharpness: String,
}

/// Gaussian heads of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GaussianTensors {
    /// Where each head looks, key minus query: [H, 2], rows of the image first.
    pub centres: String,
    /// How narrow each head is: roots of its inverse covariance, [H], or [H, 2, 2].
    pub spreads: String,
}

/// Embeddings of row and column offsets of a layer, and what heads make of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisTensors {
    /// Embeddings of Δx: [2m − 1, d].
    pub across: String,
    /// What heads make of them: [H, d].
    pub across_keys: String,
    /// Embeddings of Δy: [2m − 1, d].
    pub down: String,
    /// What heads make of them: [H, d].
    pub down_keys: String,
}

/// Vectors of offsets, shared by the heads of a layer (BERT with relative keys).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffsetVectors {
    /// One tensor a layer, [2n − 1, `d_k`]: row i − j + n − 1 belongs to query i and key j.
    pub tensors: Vec<String>,
    /// Whether keys meet them, too.
    pub meets_keys: bool,
}

/// Embeddings of distances (`DeBERTa`).
#[derive(Clone, Debug, PartialEq)]
pub struct Distances {
    /// The table: a row a distance or bucket.
    pub tensor: String,
    /// Stem of a `LayerNorm` that the table passes.
    pub norm: Option<String>,
    /// The largest distance that has a bucket, where far distances share one; `None` where every distance has
    /// its own row.
    pub max_distance: Option<u32>,
    /// What the table becomes for content to position: keys, a layer each.
    pub keys: Vec<LinearTensors>,
    /// What the table becomes for position to content: queries, a layer each.
    pub queries: Vec<LinearTensors>,
}
