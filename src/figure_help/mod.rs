//! Help of the figures: the question of each figure, how to read it, what to look for, and its sources. The texts are in
//! `www/figure_help`, one file a figure; [`parse`] reads them.
//!
//! Questions are phrased as by a listener; readings explain rows, columns, colours, lines and bars. Where it matters,
//! the text depends on the open model's [`PositionFamily`]. Numbers of MiniLM are those of the preset `minilm-l6`.
//! Layers and heads are counted from 1, positions from 0.

mod parser;

pub use parser::{HelpError, parse};

/// The help of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guide<'a> {
    /// The question that the figure answers, as a listener would ask it.
    pub question: &'a str,
    /// Meaning of rows, columns, colours, lines and bars.
    pub reading: &'a str,
    /// Features to look for.
    pub look_for: &'a str,
    /// Sources in papers. Empty if there are none.
    pub sources: Vec<Source<'a>>,
}

/// A place in a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source<'a> {
    /// The paper.
    pub paper: Paper,
    /// Numbers of its equations, figures and sections, or headings if it has no numbers.
    pub place: &'a str,
    /// Content of the place, and how the figure differs from it, if it does.
    pub says: &'a str,
}

/// The sources of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Paper {
    /// The paper on translation-invariant self-attention.
    Tisa,
    /// The paper on waves in learned tables and in queries and keys.
    SinusoidLikeWaves,
    /// Slides on attention and convolution. Equation numbers are those of the slides; figure numbers are those of the
    /// paper that the slides are about.
    SelfAttentionAndConvolution,
    /// A post on learned tables, without numbered equations or figures.
    LearnedEmbeddings,
    /// A post on the inner products of sinusoidal tables, without numbered equations or figures.
    SinusoidalDotProducts,
}

impl Paper {
    /// All papers, with their names in the help.
    const NAMES: [(Self, &'static str); 5] = [
        (Self::Tisa, "tisa"),
        (Self::SinusoidLikeWaves, "waves"),
        (Self::SelfAttentionAndConvolution, "convolution"),
        (Self::LearnedEmbeddings, "learned"),
        (Self::SinusoidalDotProducts, "dot-products"),
    ];

    /// Finds a paper by its name in the help.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let mut named = Self::NAMES.into_iter();
        named
            .find(|(_, other)| *other == name)
            .map(|(paper, _)| paper)
    }

    /// Authors, year and title.
    #[must_use]
    pub const fn citation(self) -> &'static str {
        match self {
            Self::Tisa => {
                "Wennberg & Henter 2021, The Case for Translation-Invariant Self-Attention in Transformer-Based Language Models"
            }
            Self::SinusoidLikeWaves => {
                "Yamamoto & Matsuzaki 2023, Absolute Position Embedding Learns Sinusoid-like Waves for Attention Based on Relative Position"
            }
            Self::SelfAttentionAndConvolution => {
                "Lau 2021, slides on Cordonnier, Loukas & Jaggi 2020, On the Relationship between Self-Attention and Convolutional Layers"
            }
            Self::LearnedEmbeddings => {
                "Halvdansson 2025, What do learned positional embeddings look like?"
            }
            Self::SinusoidalDotProducts => {
                "nirmata.dev 2026, Dot Products & Translation Invariance in Sinusoidal Positional Encodings"
            }
        }
    }

    /// Address of the paper or its code, if the source states one.
    #[must_use]
    pub const fn address(self) -> Option<&'static str> {
        match self {
            Self::Tisa => Some("https://github.com/ulmewennberg/tisa"),
            Self::SinusoidalDotProducts => Some("https://nirmata.dev"),
            Self::SinusoidLikeWaves
            | Self::SelfAttentionAndConvolution
            | Self::LearnedEmbeddings => None,
        }
    }
}

/// Kind of the open model's positions, as far as the help depends on it. It follows from the position kind, the tensor
/// and the grid in the model's summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PositionFamily {
    /// A stored table of positions in a text, one row each: BERT, GPT-2, Whisper. `PositionKind::Table` with a tensor
    /// and no grid. Also used while no model is open.
    Table,
    /// A stored table of the patches of an image: ViT. `PositionKind::Table` with a grid.
    Grid,
    /// A table that the page computes, sinusoidal or random: `PositionKind::Table` without a tensor. It has no heads.
    Computed,
    /// A score by offset on a line, without vectors for positions: T5, MPNet, `DeBERTa` with the mean word, TISA.
    /// `PositionKind::Line`.
    Offset,
    /// A score by (Δy, Δx) in a window of an image: Swin, `BEiT`. `PositionKind::Window`.
    Window,
    /// Queries and keys are rotated by angles proportional to the position: LLaMA. `PositionKind::Rotary`.
    Rotary,
    /// Queries and keys of patches are rotated by angles of row and column: `DINOv3`. `PositionKind::Patches`.
    Patches,
}

impl PositionFamily {
    /// All families.
    pub const ALL: [Self; 7] = [
        Self::Table,
        Self::Grid,
        Self::Computed,
        Self::Offset,
        Self::Window,
        Self::Rotary,
        Self::Patches,
    ];

    /// Name of the family in the headings of the help.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Grid => "grid",
            Self::Computed => "computed",
            Self::Offset => "offset",
            Self::Window => "window",
            Self::Rotary => "rotary",
            Self::Patches => "patches",
        }
    }

    /// Finds a family by its name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }
}
