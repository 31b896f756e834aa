//! The list of a file's tensors, which the parser of every format returns.

use std::collections::BTreeMap;

use super::{error::CheckpointError, tensor::TensorInfo};

/// A file's tensors and metadata.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Index {
    /// The tensors, sorted by name; no two have the same name.
    pub tensors: Vec<TensorInfo>,
    /// Metadata that the writer stored in the file.
    pub metadata: BTreeMap<String, String>,
    /// Decompressed contents of the file. A tensor position at or beyond the file's size is an offset into these.
    pub(super) unpacked_bytes: Vec<u8>,
}

impl Index {
    /// Sorts tensors by name and rejects duplicate names.
    pub(super) fn new(
        mut tensors: Vec<TensorInfo>,
        unpacked_bytes: Vec<u8>,
    ) -> Result<Self, CheckpointError> {
        tensors.sort_by(|a, b| a.name.cmp(&b.name));
        match tensors.array_windows().find(|[a, b]| a.name == b.name) {
            Some([a, _]) => Err(CheckpointError::DuplicateName {
                tensor: a.name.clone(),
            }),
            None => Ok(Self {
                tensors,
                metadata: BTreeMap::new(),
                unpacked_bytes,
            }),
        }
    }
}
