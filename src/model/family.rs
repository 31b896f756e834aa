//! The trait of model families, and the result of detection.

use super::{DetectionInput, SourceDescription};

/// A kind of model, recognised by the names of its tensors: where its positions are stored, and how it processes them
/// before the attention.
///
/// Implementations only describe; they read no tensors.
pub trait Family: Sync {
    /// Name on the page.
    fn name(&self) -> &'static str;

    /// One sentence for a menu.
    fn about(&self) -> &'static str;

    /// The position sources of a checkpoint; `None` if it is not of this family.
    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection>;
}

/// Result of detection: the family's description of a checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Detection {
    /// Why the checkpoint counts as this family, as a sentence; without sources, what the model does instead.
    pub reason: String,
    /// Position sources, the default one first; empty if the checkpoint stores no positions.
    pub sources: Vec<SourceDescription>,
}

impl Detection {
    /// A recognised model that stores no positions; `sentences` say what it does instead.
    #[must_use]
    pub fn nothing(sentences: &str) -> Self {
        Self {
            reason: sentences.to_owned(),
            sources: Vec::new(),
        }
    }

    /// A model recognised by the names of its tensors; `None` without sources.
    #[must_use]
    pub fn by_names(family: &str, sources: Vec<SourceDescription>) -> Option<Self> {
        let reason = format!("Tensor names match {family}.");
        (!sources.is_empty()).then_some(Self { reason, sources })
    }
}
