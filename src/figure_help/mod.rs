//! What each figure asks, how it is read, what to look for in it, and where the papers have it: text alone.
//!
//! Questions are those of a listener; readings say what a row, a column, a colour, a line or a bar is. Words follow what
//! is open where it matters, by its [`PositionFamily`]. Numbers of MiniLM are those of the preset `minilm-l6`; layers and heads
//! are counted from 1, positions from 0.

mod compare;
mod encodings;
mod heads;
mod images;
mod kernels;
mod positions;
mod training;
mod waves;

/// What a figure asks, how it is read, what to look for, and where the papers have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guide {
    /// What the figure answers, as a listener would ask it.
    pub question: &'static str,
    /// What its rows, columns, colours, lines and bars are.
    pub reading: &'static str,
    /// What to look for in it.
    pub look_for: &'static str,
    /// Where the papers have it; empty where they do not.
    pub sources: &'static [Source],
}

/// A place in a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Which paper.
    pub paper: Paper,
    /// Its equations, figures and sections by their numbers; by headings where it numbers nothing.
    pub place: &'static str,
    /// What is there, and what differs here if anything does.
    pub says: &'static str,
}

/// What the page stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Paper {
    /// The paper on translation-invariant self-attention.
    Tisa,
    /// The paper on waves in learned tables and in queries and keys.
    SinusoidLikeWaves,
    /// Slides on attention and convolution. Equations have the numbers of the slides, figures those of the paper that the
    /// slides are about.
    SelfAttentionAndConvolution,
    /// A post on learned tables, which numbers nothing.
    LearnedEmbeddings,
    /// A post on the inner products of sinusoidal tables, which numbers nothing.
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

    /// Where its authors keep it or its code, as far as it says so itself.
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

/// What kind of positions is open, as far as words depend on it. A model's summary decides, by its kind of positions,
/// its tensor and its grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PositionFamily {
    /// A stored table of positions in a text, one row each: BERT, GPT-2, Whisper. `PositionKind::Table` with a
    /// tensor and no grid; also what is meant while nothing is open.
    Table,
    /// A stored table of the patches of an image: ViT. `PositionKind::Table` with a grid.
    Grid,
    /// A table that the page computes, sinusoidal or random: `PositionKind::Table` without a tensor. It has no heads.
    Computed,
    /// A score by offset on a line, with no vector for a position: T5, MPNet, `DeBERTa` with the mean word, TISA.
    /// `PositionKind::Line`.
    Offset,
    /// A score by (Δy, Δx) in a window of an image: Swin, `BEiT`. `PositionKind::Window`.
    Window,
    /// Queries and keys are turned by angles that grow with the position: LLaMA. `PositionKind::Rotary`;
    /// it has no heads on the page.
    Rotary,
}

impl PositionFamily {
    /// Every subject.
    pub const ALL: [Self; 6] = [
        Self::Table,
        Self::Grid,
        Self::Computed,
        Self::Offset,
        Self::Window,
        Self::Rotary,
    ];
}

/// The guide to a figure by its identifier; `None` where there is no such figure.
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
