//! The specification of each figure: its subject, its caption and formula, its labels in saved pictures, and the choices
//! in its file names.
//!
//! A specification is data. It contains no functions, since views refer to it and would load their code with the view.
//! Texts that depend on the link or the model are variants of [`AxisLabel`] and [`LabelNote`];
//! [`FigureLabels`](crate::export::FigureLabels) writes them.

pub mod compare;
pub mod encodings;
mod formula_pieces;
pub mod formulas;
pub mod heads;
pub mod images;
pub mod kernels;
pub mod positions;
pub mod text;
pub mod training;
pub mod waves;

use crate::{
    figure::FormulaTerm,
    figure_help::{Guide, HelpError, PositionFamily, parse},
    url_state::{FigureGroup, FigureId, Link},
};
use formulas::Formula;

pub use formula_pieces::FormulaPiece;

/// Text in place of a figure while no model is open.
pub const NOTHING_OPEN: &str = "Nothing is open yet.";

/// The specification of a figure.
#[derive(Debug, Clone, Copy)]
pub struct FigureSpec {
    /// Identifier, heading and views.
    pub id: FigureId,
    /// The subject of the figure.
    pub scope: LabelScope,
    /// Sentence above the figure, unless the view forms one from the answer.
    pub caption: &'static str,
    /// Formula after the caption, unless the view chooses one.
    pub formula: Formula,
    /// The term of formulas that the whole picture stands for: it shows the term alone, or its softmax.
    pub term: Option<FormulaTerm>,
    /// The group of figures that stand for the terms of the formula, if a view folds it.
    pub term_figures: Option<FigureGroup>,
    /// Text in place of the figure if there is no question.
    pub empty: &'static str,
    /// Name of the vertical axis in saved pictures.
    pub vertical: AxisLabel,
    /// Name of the horizontal axis in saved pictures.
    pub horizontal: AxisLabel,
    /// Whether saved pictures keep the caption. It names the checkpoint, or the scaling of values.
    pub keeps_caption: bool,
    /// Notes below saved pictures: the meaning of colours, numbers and shades.
    pub notes: &'static [LabelNote],
    /// The choices on the page that change the figure, for file names.
    pub choices: &'static [FileChoice],
    /// Content of the CSV and NPY files.
    pub numbers: FileNumbers,
}

impl FigureSpec {
    /// A specification without caption, formula and labels, of a figure that names its own subject.
    #[must_use]
    pub const fn new(id: FigureId) -> Self {
        Self {
            id,
            scope: LabelScope::Itself,
            caption: "",
            formula: formulas::NONE,
            term: None,
            term_figures: None,
            empty: NOTHING_OPEN,
            vertical: AxisLabel::None,
            horizontal: AxisLabel::None,
            keeps_caption: false,
            notes: &[],
            choices: &[],
            numbers: FileNumbers::Table,
        }
    }

    /// Returns the specification of a figure. `None` if its view lists none, which a test rules out.
    #[must_use]
    pub fn find(id: FigureId) -> Option<&'static Self> {
        specs().find(|spec| spec.id == id)
    }

    /// Whether the figure depends on the scores of the heads of the open model.
    #[must_use]
    pub fn shows_head_scores(&self) -> bool {
        let is_of_model = matches!(self.scope, LabelScope::Model | LabelScope::Head);
        is_of_model && self.choices.contains(&FileChoice::Mode)
    }

    /// Returns the help for a kind of positions.
    ///
    /// # Errors
    ///
    /// If the help is not in the format, which a test rules out.
    pub fn guide(&self, family: PositionFamily) -> Result<Guide<'static>, HelpError> {
        parse(self.id.help(), family)
    }
}

/// The subject of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelScope {
    /// The open model. In the compare view, the caller names the model.
    Model,
    /// The open head.
    Head,
    /// The head of the first layer with the same number as the open head.
    FirstLayer,
    /// The kernels on the sliders.
    Kernels,
    /// The sinusoidal table of the encodings view.
    Sinusoid,
    /// The sinusoidal table of the encodings view, or the open model if the link chooses its table.
    SinusoidOrModel,
    /// Named by the figure itself: schemes, several models, a training run.
    Itself,
}

impl LabelScope {
    /// Returns the subject under a link.
    #[must_use]
    pub fn in_link(self, link: &Link) -> Self {
        match self {
            Self::SinusoidOrModel if link.encodings.choice.open_lines => Self::Model,
            Self::SinusoidOrModel => Self::Sinusoid,
            scope => scope,
        }
    }

    /// Returns whether the subject is the open model or a part of it.
    #[must_use]
    pub fn is_of_model(self) -> bool {
        matches!(self, Self::Model | Self::Head | Self::FirstLayer)
    }
}

/// The name of an axis in saved pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisLabel {
    /// There is no axis, or the figure names it.
    None,
    /// A constant name.
    Text(&'static str),
    /// A constant name while heads are in the order of the layers, otherwise none.
    InRows(&'static str),
    /// Query i of scores by offset, position i of other matrices.
    PositionOrQuery,
    /// The mean of the chosen similarity, or the mean score.
    PositionMean,
    /// The score of schemes: scaled if they are drawn together, otherwise each on a scale of its own.
    SchemeScore,
    /// The score or the inner product of two rows.
    RowProduct,
}

/// A note below a saved picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelNote {
    /// A constant text.
    Text(&'static str),
    /// Meaning of colours in a matrix of positions: the similarity, and the part of the matrix.
    PositionColours,
    /// Meaning of colours: the mean of the chosen similarity, or the mean score.
    PositionMean,
    /// The way in which the head's scores are computed, between two texts.
    HeadScore {
        before: &'static str,
        after: &'static str,
    },
    /// The scores that attention is computed from.
    ScoreStates,
    /// The states that queries and keys are computed from.
    WaveStates,
    /// The number under each head: R², or the peak offset if heads are sorted by it.
    HeadNumbers,
    /// Keys after the query do not count, if the link chooses that.
    Causal,
    /// The kernels on the sliders, as entries of the legend.
    KernelLegend,
    /// The kernels on the sliders that are not muted, in words.
    KernelsInWords,
    /// Meaning of colours in maps of patches.
    PatchColours,
    /// How schemes are scaled, if they are drawn together.
    SchemeScale,
    /// The rows of the table, or query and key, that a line is about.
    RowProduct,
}

/// A choice on the page that changes a figure, and thus the names of its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileChoice {
    /// A field of the link, by its key.
    Key(&'static str),
    /// All fields of the tokens that are shuffled.
    Tokens,
    /// All fields of the image demonstration.
    Images,
    /// The layer of scores by offset; the similarity and the grid of other positions.
    Patches,
    /// Whether scores are those of the paper's formula or of the model. Without effect on scores by offset.
    Mode,
    /// The cells of heads and kernels that count.
    Cells,
    /// The kernels on the sliders.
    Kernels,
}

/// Content of the CSV and NPY files of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileNumbers {
    /// All cells of a matrix, or of the window that is shown. The worker writes them, since the picture may show block
    /// means.
    Matrix,
    /// The table behind the figure.
    Table,
}

/// Returns the specifications of all figures, in the order of [`FigureId::ALL`].
pub fn specs() -> impl Iterator<Item = &'static FigureSpec> {
    let views = [
        positions::ALL,
        heads::ALL,
        text::ALL,
        kernels::ALL,
        encodings::ALL,
        waves::ALL,
        images::ALL,
        compare::ALL,
        training::ALL,
    ];
    views.into_iter().flatten().copied()
}
