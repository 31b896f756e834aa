//! A matrix that is to be saved whole.

use super::request::Saves;
use crate::analysis::WholeMatrix;

/// A file that is saved.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) struct LargeSave {
    /// What is in it.
    pub(in crate::app) question: WholeMatrix,
    /// Its name.
    pub(in crate::app) name: String,
    /// Its media type.
    pub(in crate::app) kind: &'static str,
    /// About how many bytes it will have.
    pub(in crate::app) bytes: u64,
    /// Says beside its figure that it is being saved.
    pub(in crate::app) saves: Saves,
}
