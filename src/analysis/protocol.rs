//! What can be asked and answered: the words between the page and its worker.

use super::{
    AttentionMap, Brief, DiagonalsOf, Effect, FitOptions, HeadDetail, HeadSummary, KernelFit,
    MatrixFormat, PositionSummary, ToeplitzRace,
};
use crate::{
    checkpoint::TensorInfo,
    encoding::{Kernels, Random, Sinusoidal},
    math::{Cells, Grid, Similarity, Tile, Window},
    model::{Choice, HeadsSource, Note, PositionKind, ScoreMode},
};
use serde::{Deserialize, Serialize};

/// An open model; the page numbers them.
pub type ModelId = u32;

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
    /// P or the cosine matrix; for relative positions the mean over the heads of the first layer.
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
    /// Files that [`Request::Gather`] found to belong together, by their number.
    Found(u32),
    /// What a person named: an address, or a model of the Hugging Face Hub.
    Web {
        /// What was typed or pasted.
        named: String,
        /// Whether it may be read whole where the server sends no parts.
        whole: bool,
    },
    /// A computed table.
    Sinusoidal(Sinusoidal),
    /// A computed table.
    Random(Random),
}

/// A question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Sort the files handed over with the request into models; those that open ones lack go to them.
    Gather,
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
    /// Inner products of all pairs at some distances.
    Diagonals(DiagonalsOf, Vec<usize>),
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
    /// Attention of a head of the first layer four ways, with kernels, among so many positions; with these
    /// rows of the word embeddings, or the mean word everywhere.
    FirstLayer(HeadId, Kernels, usize, Cells, Vec<u32>),
    /// A head's own attention among so many positions, no numbers where its table has no row.
    HeadAttention(HeadId, usize, Cells),
    /// Kernels fitted to a head: as many as the options say, or as its offsets can decide, first; then 1, 2, …
    /// up to as many as they can decide.
    FitHead(HeadId, FitOptions),
    /// Kernels fitted to every head of a layer or, without one, of a model.
    FitHeads(ModelId, ScoreMode, Option<usize>, FitOptions),
    /// A model in short, to stand beside others.
    Brief(ModelId, Similarity),
    /// What each correction that can be switched does to R².
    Effects(ModelId),
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
    /// Where else the model keeps positions, and what is open: ids in links and titles.
    pub sources: Vec<(String, String)>,
    /// Which of these is open; empty for a computed table.
    pub source: String,
    /// The tensor the positions come from.
    pub tensor: String,
    /// What the positions are.
    pub kind: PositionKind,
    /// Number of positions n.
    pub rows: usize,
    /// Width d; 0 where positions have none.
    pub width: usize,
    /// Rows and columns of the image whose patches the positions are.
    pub grid: Option<Grid>,
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
    /// Files of the checkpoint that are not at hand: what needs them asks for them.
    pub missing: Vec<String>,
}

/// What became of files that were handed over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gathering {
    /// Models found: a number for [`Origin::Found`], and a name.
    pub found: Vec<(u32, String)>,
    /// Open models that took a file they lacked.
    pub joined: Vec<ModelId>,
    /// What should be said of the rest.
    pub said: Vec<String>,
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
    /// No family is known, or its positions are of no kind that is shown, which the sentence says. These
    /// tensors could be the position table, or queries and keys.
    Choose(Vec<TensorInfo>, String),
    /// To [`Request::Gather`].
    Gathered(Gathering),
    /// The server sends no parts of files: may it be read whole? With its size where that is known.
    AskWhole(Option<u64>),
    /// What should be known since more of the model was read.
    Note(Note),
    /// To [`Request::Brief`].
    Brief(Brief),
    /// To [`Request::Effects`].
    Effects(Vec<Effect>),
    /// To [`Request::Positions`].
    Positions(PositionSummary),
    /// To [`Request::Spread`].
    Spread(Vec<f64>),
    /// To [`Request::Diagonals`]: the inner products E_i·E_{i+d} by i, for each distance d.
    Diagonals(Vec<Vec<f64>>),
    /// To every request for a picture.
    Tile(Tile),
    /// To [`Request::Heads`], a layer at a time.
    Layer(Vec<HeadSummary>),
    /// To [`Request::Head`].
    Head(HeadDetail),
    /// To [`Request::FirstLayer`], see [`super::FIRST_LAYER_WAYS`].
    FirstLayer(Vec<AttentionMap>),
    /// To [`Request::FitHead`] and [`Request::FitHeads`], a fit at a time.
    Fit(KernelFit),
    /// A head among others that cannot be fitted: layer, head, and why.
    Unfitted(usize, usize, String),
    /// A piece of a file; pieces follow one another.
    File(Vec<u8>),
    /// To [`Request::Race`].
    Race(ToeplitzRace),
    /// Nothing more will come.
    Done,
    /// It could not be done: a sentence for a person.
    Failed(String),
}
