//! Tokens of a text, as a forward pass and the statistics of its attention need them.

use serde::{Deserialize, Serialize};

/// Tokens of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextTokens {
    /// Row of the word table of each token.
    pub ids: Vec<u32>,
    /// Whether each token is a special one, such as `[CLS]` or `</s>`. As long as `ids`.
    pub is_special: Vec<bool>,
}

impl TextTokens {
    /// Tokens of which none is special.
    #[must_use]
    pub fn plain(ids: Vec<u32>) -> Self {
        Self {
            is_special: vec![false; ids.len()],
            ids,
        }
    }

    /// Number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no tokens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Indices of the tokens over which the mean query and key of a head are taken: all but the first one and special
    /// ones. Attention sinks are there: their states are far larger than those of other tokens (Xiao et al., Efficient
    /// Streaming Language Models with Attention Sinks), so that one of them would move a mean over a short text.
    #[must_use]
    pub fn of_means(&self) -> Vec<usize> {
        let is_special = |index: usize| self.is_special.get(index) == Some(&true);
        (1..self.len())
            .filter(|index| !is_special(*index))
            .collect()
    }

    /// Whether the token at an index separates texts: a special token other than the first token of the text.
    #[must_use]
    pub fn is_separator(&self, index: usize) -> bool {
        index > 0 && self.is_special.get(index) == Some(&true)
    }
}
