//! The notation of the page: each symbol or word with its definition, its formula and its place in the papers.

use crate::figure_spec::formulas::{self, Formula};

/// A symbol or a word of the notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotationEntry {
    /// The symbol. Empty for a word.
    pub symbol: Formula,
    /// Name of the symbol, or the word.
    pub name: &'static str,
    /// Definition in short sentences.
    pub definition: &'static str,
    /// Defining formula. Empty if the definition has none.
    pub formula: Formula,
    /// Place in a paper, with its number of section or equation. Empty for a term that all share.
    pub source: &'static str,
}

/// The entries, each after those that it uses.
pub const NOTATION: &[NotationEntry] = &[
    NotationEntry {
        symbol: formulas::POSITION_PAIR,
        name: "query and key",
        definition: "Two positions, counted from 0. The query i attends to the key j. In every matrix, queries are rows and keys are columns.",
        formula: formulas::NONE,
        source: "",
    },
    NotationEntry {
        symbol: formulas::OFFSET_SYMBOL,
        name: "offset",
        definition: "The distance from the query to the key. A negative offset looks back; k = 0 is the main diagonal.",
        formula: formulas::OFFSET,
        source: "",
    },
    NotationEntry {
        symbol: formulas::TABLE,
        name: "position embeddings",
        definition: "A table with a row of d numbers for each of n positions. The model adds row i to the word at position i.",
        formula: formulas::NONE,
        source: "Vaswani et al. 2017, section 3.5",
    },
    NotationEntry {
        symbol: formulas::SIMILARITY_SYMBOL,
        name: "similarity of positions",
        definition: "The inner products of all pairs of rows of E.",
        formula: formulas::INNER_PRODUCT,
        source: "TISA paper, section 3",
    },
    NotationEntry {
        symbol: formulas::NONE,
        name: "Toeplitz",
        definition: "A matrix is Toeplitz if each of its diagonals has one value. The value then depends on the offset alone.",
        formula: formulas::TOEPLITZ,
        source: "TISA paper, section 3",
    },
    NotationEntry {
        symbol: formulas::PROFILE_SYMBOL,
        name: "profile",
        definition: "The mean of each diagonal of a matrix A: the Toeplitz matrix that is nearest to A.",
        formula: formulas::DIAGONAL_MEAN,
        source: "TISA paper, eq. 7",
    },
    NotationEntry {
        symbol: formulas::R2_SYMBOL,
        name: "Toeplitz R²",
        definition: "The share of a matrix’s variance that the offset explains, from 0 to 1. The large number leaves k = 0 out, because there every row meets itself.",
        formula: formulas::R2,
        source: "TISA paper, eq. 6–8",
    },
    NotationEntry {
        symbol: formulas::COMPUTED_SCORES,
        name: "scores",
        definition: "One number for each query and key. Softmax turns the scores of a query into its attention: weights that sum to 1.",
        formula: formulas::HEAD_COMPUTED,
        source: "TISA paper, eq. 1",
    },
    NotationEntry {
        symbol: formulas::HEAD_SCORES,
        name: "positional scores",
        definition: "The scores of a head that positions cause. The mean word x̄ stands in for every word.",
        formula: formulas::HEAD_PAPER,
        source: "TISA paper, eq. 9–12",
    },
    NotationEntry {
        symbol: formulas::SCORES_OF_KERNELS,
        name: "kernel scores",
        definition: "A Toeplitz matrix that TISA adds to the scores, beside the position embeddings or in their place. Its profile is a sum of kernels with amplitude a, sharpness b and centre c.",
        formula: formulas::KERNELS,
        source: "TISA paper, eq. 4 and 5",
    },
    NotationEntry {
        symbol: formulas::NONE,
        name: "causal",
        definition: "A causal model, such as GPT-2, attends to earlier keys and to the query itself. Offsets above 0 do not occur.",
        formula: formulas::CAUSAL,
        source: "",
    },
    NotationEntry {
        symbol: formulas::GRID_OFFSET,
        name: "offset in an image",
        definition: "The steps from the query’s patch or pixel to the key’s: Δy down and Δx to the right.",
        formula: formulas::NONE,
        source: "",
    },
];
