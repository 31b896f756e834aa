//! Parts of a head's scores by what the query and the key contribute: content or position.

use serde::{Deserialize, Serialize};

/// A part of the scores (TISA paper, eqs. 2 and 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ScorePart {
    /// Query and key by their words.
    ContentContent,
    /// Query by its word, key by its position.
    ContentPosition,
    /// Query by its position, key by its word.
    PositionContent,
    /// Query and key by their positions; a relative scheme's bias.
    PositionPosition,
    /// Products with vectors that all tokens share: biases, token types, the shift of a `LayerNorm`.
    Rest,
}

impl ScorePart {
    /// All parts, in the order in which they are listed.
    pub const ALL: [Self; 5] = [
        Self::ContentContent,
        Self::ContentPosition,
        Self::PositionContent,
        Self::PositionPosition,
        Self::Rest,
    ];
}

/// Share of a part in the scores of a head.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PartShare {
    /// Layer from 0.
    pub layer: usize,
    /// Head from 0.
    pub head: usize,
    /// The part.
    pub part: ScorePart,
    /// ⟨part, S⟩/⟨S, S⟩ with the mean of every row removed from both. The shares of all parts sum to 1, and one of them
    /// may be negative.
    pub share: f64,
    /// Toeplitz R² of the part; NaN if nothing varies.
    pub r2: f64,
}
