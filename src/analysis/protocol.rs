//! What can be asked and answered: the words between the page and its worker.

use super::{HeadDetail, HeadSummary, MatrixFormat, PositionSummary, ToeplitzRace};
use crate::{
    checkpoint::TensorInfo,
    encoding::{Kernels, Random, Sinusoidal},
    math::{Cells, Tile, Window},
    model::{Choice, HeadsSource, Note, ScoreMode},
};
use serde::{Deserialize, Serialize};

/// An open model; the page numbers them.
pub type ModelId = u32;

/// How two positions are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum Similarity {
    /// P = E·Eᵀ.
    #[default]
    InnerProduct,
    /// Every row scaled to length one first.
    Cosine,
}

/// Which part of a matrix is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum Part {
    /// The matrix.
    #[default]
    Whole,
    /// Its diagonal means.
    Toeplitz,
    /// What they leave.
    Residual,
}

/// A head of a model, layer and head counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HeadId {
    /// The model.
    pub model: ModelId,
    /// Paper's equations or the model's own computation.
    pub mode: ScoreMode,
    /// Layer from 0.
    pub layer: usize,
    /// Head from 0.
    pub head: usize,
}

/// A matrix whose values can be had in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum MatrixId {
    /// The position table E.
    Table(ModelId),
    /// P or the cosine matrix.
    Positions(ModelId, Similarity, Part),
    /// A head's positional scores.
    Head(HeadId, Cells),
    /// `F_P` of kernels.
    Kernels(Kernels, usize),
    /// softmax of `F_P`, alone or added to a head's scores.
    Attention(Kernels, usize, Cells, Option<HeadId>),
}

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Origin {
    /// A file handed over with the request, and the text of a config.json beside it.
    File {
        /// The file's name, shown as text.
        name: String,
        /// config.json, if there was one.
        config: Option<String>,
    },
    /// A computed table.
    Sinusoidal(Sinusoidal),
    /// A computed table.
    Random(Random),
}

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Open a model under a number.
    Open(ModelId, Origin, Choice),
    /// Look at an open file, or one of unknown family, with other choices; what was open under its
    /// number stays until this succeeds.
    Choose(ModelId, Choice),
    /// Close it.
    Close(ModelId),
    /// Scores, profile and first picture of the table.
    Positions(ModelId, Similarity),
    /// Standard deviation along each diagonal.
    Spread(ModelId, Similarity),
    /// A window of P.
    PositionTile(ModelId, Similarity, Part, Window),
    /// The table itself.
    Table(ModelId),
    /// Every head, layer by layer.
    Heads(ModelId, ScoreMode),
    /// One head.
    Head(HeadId),
    /// A window of a head's scores.
    HeadTile(HeadId, Window),
    /// Attention of kernels added to a head (eq. 4a), too long to compute within a frame.
    MixedAttention(HeadId, Kernels, usize, Cells),
    /// A matrix in full, as a file.
    Matrix(MatrixId, MatrixFormat, Window),
    /// Toeplitz R² by the closed form against forming the matrix: the project's own benchmark.
    Race {
        /// Positions.
        rows: usize,
        /// Width.
        width: usize,
    },
}

/// What is known of a model once it is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelSummary {
    /// Name of the file or preset.
    pub name: String,
    /// Family, or how the table is computed.
    pub family: String,
    /// The tensor the positions come from.
    pub tensor: String,
    /// Number of positions n.
    pub rows: usize,
    /// Width d.
    pub width: usize,
    /// Layers whose heads can be shown.
    pub layers: usize,
    /// Heads a layer, and how that is known.
    pub heads: Option<(u32, HeadsSource)>,
    /// Head counts that would divide the width.
    pub possible_heads: Vec<u32>,
    /// Corrections that were made.
    pub notes: Vec<Note>,
    /// Names a position table in a link: a hash of its numbers.
    pub hash: u64,
}

/// Part of an answer. A request is followed by any number of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// Bytes read so far of the model's file.
    Read {
        /// Bytes read.
        read: u64,
        /// Size of the file.
        size: u64,
    },
    /// The model is open.
    Opened(ModelSummary),
    /// No family is known; these tensors could be the position table.
    Choose(Vec<TensorInfo>),
    /// To [`Request::Positions`].
    Positions(PositionSummary),
    /// To [`Request::Spread`].
    Spread(Vec<f64>),
    /// To every request for a picture.
    Tile(Tile),
    /// To [`Request::Heads`], a layer at a time.
    Layer(Vec<HeadSummary>),
    /// To [`Request::Head`].
    Head(HeadDetail),
    /// A piece of a file; pieces follow one another.
    File(Vec<u8>),
    /// To [`Request::Race`].
    Race(ToeplitzRace),
    /// Nothing more will come.
    Done,
    /// It could not be done: a sentence for a person.
    Failed(String),
}
