//! What it takes to describe a family of models.

use super::{Config, Note};
use crate::checkpoint::TensorInfo;

/// One kind of model, told apart by the names of its tensors: where it keeps its positions and what it
/// does with them before the first attention.
///
/// Implementations describe and decide; they read nothing.
pub trait Family: Sync {
    /// Its name on the page.
    fn name(&self) -> &'static str;

    /// One sentence for a menu.
    fn about(&self) -> &'static str;

    /// Where its tensors are.
    fn names(&self) -> &'static Names;

    /// Stems of its layers' query and key tensors, in order; `query.weight` and so on are appended.
    /// Layers that share weights are listed once.
    fn layers(&self, clues: &Clues<'_>) -> Vec<String>;

    /// Whether a checkpoint that has this family's table is of this family; the sentence says why.
    fn recognises(&self, clues: &Clues<'_>) -> Option<String>;

    /// Leading rows of the table that stand for no position.
    fn dropped(&self, _clues: &Clues<'_>) -> Option<Dropped> {
        None
    }

    /// What else should be known of this checkpoint.
    fn remarks(&self, _clues: &Clues<'_>) -> Vec<Note> {
        Vec::new()
    }
}

/// Names of a family's tensors, without the prefix that a checkpoint may put before all of them. Where
/// several are listed the first that exists is taken.
#[derive(Debug)]
pub struct Names {
    /// The position table.
    pub table: &'static str,
    /// The word embeddings.
    pub words: &'static str,
    /// Their mean, which a preset carries instead.
    pub mean_word: &'static str,
    /// The token type embeddings.
    pub token_type: Option<&'static str>,
    /// Stems of the `LayerNorm` that the first attention's input passes; `.weight` or `.gamma` is appended.
    pub layer_norm: &'static [&'static str],
    /// Stem of the projection from the embeddings' width to the layers'.
    pub projection: Option<&'static str>,
    /// End of a layer's query weight and bias.
    pub query: [&'static str; 2],
    /// End of a layer's key weight and bias.
    pub key: [&'static str; 2],
}

/// Rows dropped from the head of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// How many.
    pub rows: u64,
    /// Why.
    pub reason: String,
}

/// What is known of a checkpoint when its family is decided.
#[derive(Debug)]
pub struct Clues<'a> {
    pub(super) tensors: &'a [TensorInfo],
    pub(super) prefix: &'a str,
    pub(super) config: Option<&'a Config>,
    pub(super) rows: u64,
    /// The first of the leading rows that is all zeros.
    pub(super) zero_row: Option<u64>,
}

impl<'a> Clues<'a> {
    /// The tensor of that name under the checkpoint's prefix.
    pub fn tensor(&self, name: &str) -> Option<&'a TensorInfo> {
        let name = format!("{}{name}", self.prefix);
        let index = self
            .tensors
            .binary_search_by(|tensor| tensor.name.cmp(&name));
        index.ok().and_then(|index| self.tensors.get(index))
    }

    /// Whether the checkpoint has that tensor under its prefix.
    pub fn has(&self, name: &str) -> bool {
        self.tensor(name).is_some()
    }

    /// What stands before every name, such as `bert.`.
    pub fn prefix(&self) -> &str {
        self.prefix
    }

    /// The configuration, where there is one.
    pub fn config(&self) -> Option<&'a Config> {
        self.config
    }

    /// The configuration's `model_type`.
    pub fn model_type(&self) -> Option<&'a str> {
        self.config.and_then(|config| config.model_type.as_deref())
    }

    /// Rows of the table as it is stored.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The first of the table's first nine rows that is exactly zero: a padding row that was never trained.
    pub fn zero_row(&self) -> Option<u64> {
        self.zero_row
    }

    /// Whether any tensor anywhere belongs to an attention.
    pub fn has_attention(&self) -> bool {
        self.tensors
            .iter()
            .any(|tensor| tensor.name.contains("attention") || tensor.name.contains("attn"))
    }
}
