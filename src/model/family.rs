//! What it takes to describe a family of models, and what one finds in a checkpoint.

use super::{DetectionInput, SourceDescription};

/// One kind of model, told apart by the names of its tensors: where it keeps its positions and what it
/// does with them before the attention.
///
/// Implementations describe and decide; they read nothing.
pub trait Family: Sync {
    /// Its name on the page.
    fn name(&self) -> &'static str;

    /// One sentence for a menu.
    fn about(&self) -> &'static str;

    /// The places where a checkpoint keeps positions, if it is of this family.
    fn find(&self, clues: &DetectionInput<'_>) -> Option<Found>;
}

/// A checkpoint recognised.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Why it is taken to be of this family, as a sentence. Where it keeps no positions: what it does instead.
    pub reason: String,
    /// Where it keeps positions, the usual place first; none where nothing of them is stored.
    pub sources: Vec<SourceDescription>,
}

impl Found {
    /// Recognised, but it stores no positions: the sentences say what it does instead.
    #[must_use]
    pub fn nothing(sentences: &str) -> Self {
        Self {
            reason: sentences.to_owned(),
            sources: Vec::new(),
        }
    }

    /// Recognised by its names.
    #[must_use]
    pub fn by_names(family: &str, sources: Vec<SourceDescription>) -> Option<Self> {
        let reason = format!("The tensors bear {family}’s names.");
        (!sources.is_empty()).then_some(Self { reason, sources })
    }
}
