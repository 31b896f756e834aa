//! Sizes of a model that matter before a text is run.

use super::{PredictionKind, TextTokens};
use crate::math::AttentionMask;
use serde::{Deserialize, Serialize};

/// Sizes of a model that can be run over texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextSupport {
    /// Number of layers that a text passes. Those that share their weights count each time.
    pub layers: usize,
    /// Number of heads of a layer.
    pub heads: usize,
    /// Largest number of tokens of a text: the positions of the model, or as many as the memory for states holds.
    pub longest_text: usize,
    /// Whether the limit is the memory for states, instead of the model's positions.
    pub is_limited_by_memory: bool,
    /// Number of words in the model's word table.
    pub vocabulary: usize,
    /// Bytes of the weights of all layers, of which shared ones count once.
    pub layer_bytes: u64,
    /// Whether the weights are on a server, so that a run fetches them.
    pub is_remote: bool,
    /// Meaning of the model's predictions; `None` without a prediction head.
    pub predictions: Option<PredictionKind>,
    /// Mask of the attention.
    pub mask: AttentionMask,
    /// How the layers see a text.
    pub shift: TextShift,
}

/// Tokens that the layers of a model see of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextShift {
    /// The text itself.
    #[default]
    Whole,
    /// The text without its last token, behind the word with an id. Decoders with an encoder see it so.
    BehindWord(u32),
    /// The text with its last token in front.
    LastFirst,
}

impl TextShift {
    /// Returns the tokens that the layers see. The token in front is a special one.
    #[must_use]
    pub fn apply(self, text: &TextTokens) -> TextTokens {
        let Some((last, before)) = text.ids.split_last() else {
            return TextTokens::default();
        };
        let first = match self {
            Self::Whole => return text.clone(),
            Self::BehindWord(id) => id,
            Self::LastFirst => *last,
        };
        let is_special = text.is_special.iter().copied();
        TextTokens {
            ids: std::iter::once(first)
                .chain(before.iter().copied())
                .collect(),
            is_special: std::iter::once(true)
                .chain(is_special)
                .take(text.len())
                .collect(),
        }
    }
}
