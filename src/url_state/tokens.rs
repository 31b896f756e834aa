//! The tokens that are shuffled in the encodings view.

use super::{
    codec::{OneOf, ShortText, Whole},
    section::fields,
};
use crate::analysis::permutation::Added;
use std::ops::RangeInclusive;

/// The most characters of a text of tokens.
pub const LONGEST_TEXT: usize = 200;
/// What an order is made from; 0 leaves tokens as they are.
pub const SHUFFLES: RangeInclusive<u64> = 0..=1_000_000;

/// Tokens, their order, and how positions come in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokensSection {
    /// The tokens as they were typed.
    pub text: String,
    /// What their order is made from.
    pub shuffle: u64,
    /// How positions come in.
    pub added: Added,
}

impl Default for TokensSection {
    fn default() -> Self {
        Self {
            text: "the dog bit the old man".to_owned(),
            shuffle: 1,
            added: Added::Nothing,
        }
    }
}

fields! { TokensSection {
    "tokens" => text: ShortText(LONGEST_TEXT);
    "shuffle" => shuffle: Whole(SHUFFLES);
    "token-positions" => added: OneOf(&[
        (Added::Nothing, "none"),
        (Added::Sinusoids, "sinusoidal"),
        (Added::Kernels, "tisa"),
    ]);
}}
