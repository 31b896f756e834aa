//! A matrix that is to be saved whole.

use crate::analysis::WholeMatrix;

/// A file that is saved.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LargeSave {
    /// What is in it.
    pub(super) question: WholeMatrix,
    /// Its name.
    pub(super) name: String,
    /// Its media type.
    pub(super) kind: &'static str,
    /// About how many bytes it will have.
    pub(super) bytes: u64,
}
