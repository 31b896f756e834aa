//! The index of a checkpoint in shards, `model.safetensors.index.json` or `pytorch_model.bin.index.json`.
//!
//! It maps each tensor to its file. The tensors' shapes and positions are in the shards.

use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::error::{CheckpointError, Name};

/// Maximum size of an index in bytes.
const LONGEST: usize = 64 << 20;
/// Maximum number of files of one checkpoint.
const MOST_FILES: usize = 10_000;

/// Maps tensors to files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShardIndex {
    /// Names of the files, sorted.
    pub files: Vec<String>,
    /// Every tensor and the index of its file in `files`, sorted by name.
    pub tensors: Vec<(String, u32)>,
}

#[derive(Deserialize)]
struct IndexFile {
    weight_map: BTreeMap<String, String>,
}

impl ShardIndex {
    /// Parses an index. It is untrusted: file names are accepted, paths are not.
    ///
    /// # Errors
    /// If the text is not an index, names too many files, or names one that is not a plain file name.
    pub fn parse(text: &str) -> Result<Self, CheckpointError> {
        let refuse = |reason: &dyn fmt::Display| CheckpointError::IndexMalformed {
            reason: reason.to_string(),
        };
        if text.len() > LONGEST {
            return Err(refuse(&format_args!("it is {} MiB long", text.len() >> 20)));
        }
        let file: IndexFile =
            serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|e| refuse(&e))?;
        let index = Self::new(&file.weight_map);
        if index.files.is_empty() {
            return Err(refuse(&"it lists no tensors"));
        }
        if index.files.len() > MOST_FILES {
            return Err(refuse(&format_args!(
                "it names {} files",
                index.files.len()
            )));
        }
        if let Some(file) = index.files.iter().find(|file| !is_plain(file)) {
            return Err(CheckpointError::ShardName {
                shard: file.clone(),
            });
        }
        // An index may name itself or a configuration. Neither holds tensors.
        let is_json = |file: &&String| file.to_ascii_lowercase().ends_with(".json");
        if let Some(file) = index.files.iter().find(is_json) {
            return Err(refuse(&format_args!(
                "it lists tensors in {}, which is not a file of tensors",
                Name(file)
            )));
        }
        Ok(index)
    }

    /// Builds an index from a map of tensor names to file names.
    pub(super) fn new(weight_map: &BTreeMap<String, String>) -> Self {
        let files: BTreeSet<&String> = weight_map.values().collect();
        let numbers: BTreeMap<&String, u32> = files.iter().copied().zip(0..).collect();
        let tensors = weight_map
            .iter()
            .map(|(tensor, file)| (tensor.clone(), numbers[file]))
            .collect();
        Self {
            files: files.into_iter().cloned().collect(),
            tensors,
        }
    }
}

/// Whether a name is that of a file beside the index, and not a path or a URL.
fn is_plain(name: &str) -> bool {
    let strange = |c: char| c.is_control() || "/\\:?#%*\"<>|".contains(c);
    !name.is_empty() && !name.starts_with('.') && name.len() <= 255 && !name.contains(strange)
}
