//! Link section of the tokens that are shuffled in the encodings view.

use super::{
    codec::{OneOf, ShortText, Whole},
    section::fields,
};
use crate::analysis::permutation::AddedPositions;
use std::ops::RangeInclusive;

/// The most characters of the typed tokens.
pub const LONGEST_TEXT: usize = 200;
/// Range of the seed of the order. 0 keeps the tokens as typed.
pub const SHUFFLES: RangeInclusive<u64> = 0..=1_000_000;

/// Tokens, their order, and which position information is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokensSection {
    /// The tokens as typed.
    pub text: String,
    /// The seed of their order.
    pub shuffle: u64,
    /// Which position information is added.
    pub added_positions: AddedPositions,
}

impl Default for TokensSection {
    fn default() -> Self {
        Self {
            text: "the dog bit the old man".to_owned(),
            shuffle: 1,
            added_positions: AddedPositions::Nothing,
        }
    }
}

fields! { TokensSection {
    "tokens" => text: ShortText(LONGEST_TEXT);
    "shuffle" => shuffle: Whole(SHUFFLES);
    "token-positions" => added_positions: OneOf(&[
        (AddedPositions::Nothing, "none"),
        (AddedPositions::Sinusoids, "sinusoidal"),
        (AddedPositions::Kernels, "tisa"),
    ]);
}}
