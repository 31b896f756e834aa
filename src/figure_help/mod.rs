//! Guides to the figures: the question of each figure, how to read it, what to look for, and its sources. Text only.
//!
//! Questions are phrased as by a listener; readings explain rows, columns, colours, lines and bars. Where it matters,
//! the text depends on the open model's [`PositionFamily`]. Numbers of MiniLM are those of the preset `minilm-l6`.
//! Layers and heads are counted from 1, positions from 0.

mod compare;
mod encodings;
mod heads;
mod images;
mod kernels;
mod positions;
mod training;
mod waves;

/// The guide to a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guide {
    /// The question that the figure answers, as a listener would ask it.
    pub question: &'static str,
    /// Meaning of rows, columns, colours, lines and bars.
    pub reading: &'static str,
    /// Features to look for.
    pub look_for: &'static str,
    /// Sources in papers. Empty if there are none.
    pub sources: &'static [Source],
}

/// A place in a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// The paper.
    pub paper: Paper,
    /// Numbers of its equations, figures and sections, or headings if it has no numbers.
    pub place: &'static str,
    /// Content of the place, and how the figure differs from it, if it does.
    pub says: &'static str,
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

/// Kind of the open model's positions, as far as the guides depend on it. It follows from the position kind, the tensor
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
    /// Queries and keys are rotated by angles proportional to the position: LLaMA. `PositionKind::Rotary`. It has no
    /// heads on the page.
    Rotary,
}

impl PositionFamily {
    /// All families.
    pub const ALL: [Self; 6] = [
        Self::Table,
        Self::Grid,
        Self::Computed,
        Self::Offset,
        Self::Window,
        Self::Rotary,
    ];
}

/// Returns the guide to a figure by its identifier. `None` if there is no such figure.
#[must_use]
pub fn guide(figure: &str, subject: PositionFamily) -> Option<Guide> {
    positions::guide(figure, subject)
        .or_else(|| heads::guide(figure, subject))
        .or_else(|| kernels::guide(figure, subject))
        .or_else(|| encodings::guide(figure))
        .or_else(|| compare::guide(figure))
        .or_else(|| training::guide(figure, subject))
        .or_else(|| waves::guide(figure))
        .or_else(|| images::guide(figure, subject))
}

const fn cite(paper: Paper, place: &'static str, says: &'static str) -> Source {
    Source { paper, place, says }
}
