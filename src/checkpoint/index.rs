//! The list of a file's tensors, which every format's parser makes.

use std::collections::BTreeMap;

use super::{error::CheckpointError, tensor::TensorInfo};

/// A file's tensors and what its writer noted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    /// The tensors, sorted by name; no two have the same name.
    pub tensors: Vec<TensorInfo>,
    /// The writer's notes.
    pub metadata: BTreeMap<String, String>,
    /// The contents of the file that were compressed. A position from the file's end on is a position in here.
    pub(super) held: Vec<u8>,
}

impl Index {
    /// Sorts tensors by name and refuses two of the same name.
    pub(super) fn of(mut tensors: Vec<TensorInfo>, held: Vec<u8>) -> Result<Self, CheckpointError> {
        tensors.sort_by(|a, b| a.name.cmp(&b.name));
        match tensors.array_windows().find(|[a, b]| a.name == b.name) {
            Some([a, _]) => Err(CheckpointError::DuplicateName {
                tensor: a.name.clone(),
            }),
            None => Ok(Self {
                tensors,
                metadata: BTreeMap::new(),
                held,
            }),
        }
    }
}
