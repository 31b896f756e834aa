//! Description of a whole model, from words to the scores of the next or a masked word: names of tensors, and how they
//! are applied, without numbers.

use super::{BlockDescription, LinearTensors, NormDescription, PredictionHead, ReplacedWordHead};

/// A transformer: its embedding, its blocks, and what follows them.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelDescription {
    /// States that enter the first block.
    pub embedding: EmbeddingDescription,
    /// Blocks. Those that are applied several times are listed once.
    pub blocks: Vec<BlockDescription>,
    /// Index of the block of every pass, in order.
    pub passes: Vec<usize>,
    /// Norm after the last block.
    pub final_norm: Option<NormDescription>,
    /// Map after the last norm, to the width of the words.
    pub final_map: Option<LinearTensors>,
    /// Prediction of words, if the file holds what it needs.
    pub head: Option<PredictionHead>,
    /// Detection of replaced words, if the file holds what it needs.
    pub detector: Option<ReplacedWordHead>,
    /// The encoder to whose states a decoder attends.
    pub encoder: Option<Box<Self>>,
    /// Id of the word with which the text of such a decoder begins; `None` if it is the last word of the text.
    pub start_word: Option<u32>,
}

/// States that enter the first block: map(norm(content + positions + type)). Every part is optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmbeddingDescription {
    /// Embedding of words or patches; `None` if the file does not hold it.
    pub content: Option<EmbeddingContent>,
    /// Name of the table of positions.
    pub positions: Option<String>,
    /// Row of the table for the first position, or for the first token before the patches of an image.
    pub first_position: u64,
    /// Name of the table of token types, [types, width].
    pub token_types: Option<String>,
    /// Norm of the sum.
    pub norm: Option<NormDescription>,
    /// Map from the width of the sum to that of the blocks.
    pub map: Option<LinearTensors>,
}

/// Embedding to which positions are added.
#[derive(Clone, Debug, PartialEq)]
pub enum EmbeddingContent {
    /// Rows of a table.
    Words {
        /// Name of the table, [vocabulary, width].
        tensor: String,
        /// Whether words are multiplied by the root of their width.
        is_scaled: bool,
        /// Map from the width of the words to that of the positions.
        map: Option<LinearTensors>,
    },
    /// Patches of an image.
    Patches {
        /// Name of the kernel, [width, channels, height, width of a patch].
        weight: String,
        /// Name of the bias.
        bias: Option<String>,
        /// Names of the tokens before the patches, each with one or several rows.
        tokens: Vec<String>,
    },
}

impl ModelDescription {
    /// A model that applies every block once, without norm or head at its end.
    #[must_use]
    pub fn new(embedding: EmbeddingDescription, blocks: Vec<BlockDescription>) -> Self {
        Self {
            embedding,
            passes: (0..blocks.len()).collect(),
            blocks,
            final_norm: None,
            final_map: None,
            head: None,
            detector: None,
            encoder: None,
            start_word: None,
        }
    }
}

impl EmbeddingDescription {
    /// Rows of a word table.
    #[must_use]
    pub fn from_words(tensor: Option<String>) -> Self {
        Self {
            content: tensor.map(|tensor| EmbeddingContent::Words {
                tensor,
                is_scaled: false,
                map: None,
            }),
            ..Self::default()
        }
    }

    /// Name of the word table.
    #[must_use]
    pub fn words(&self) -> Option<&str> {
        match &self.content {
            Some(EmbeddingContent::Words { tensor, .. }) => Some(tensor),
            _ => None,
        }
    }
}
