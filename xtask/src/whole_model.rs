//! The whole of a preset's model, with its tokenizer, as files of the site.
//!
//! The view of texts runs the model, for which the preset's extract is not enough. The files are made from the full
//! checkpoint when the site is built, since 45 MB are too many for the repository. Without the checkpoint the site is
//! built without them.
//!
//! | file | content |
//! |---|---|
//! | `model.safetensors` | embeddings and layers in F16, in the order of their names: the tensors of a layer are one range of bytes, and so is each row of the word embeddings |
//! | `config.json`, `tokenizer.json`, `tokenizer_config.json`, `special_tokens_map.json` | as published |
//! | `manifest.json` | size and SHA-256 hash of each file, by name |

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::json;

use crate::minilm::{MiniLm, minilm};
use crate::preset::MINILM;
use crate::preset_file::{file_of, half, sha256};
use crate::{Result, cache};

/// Folder of the site that the files are in.
pub const FOLDER: &str = "presets/minilm-l6";

/// Beginnings of the names of tensors that a run over a text reads. The rest pools the states of a sentence.
const TENSORS: [&str; 2] = ["embeddings.", "encoder."];

/// Tensors that are no weights.
const INDICES: &str = "embeddings.position_ids";

/// Whether a file of the site, by its address, is one of these.
#[must_use]
pub fn owns(file: &str) -> bool {
    file.strip_prefix(FOLDER)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// Writes the files into the site. Without the full checkpoint says so, and writes nothing.
///
/// # Errors
/// If the checkpoint is damaged, or the files cannot be written.
pub fn write(dist: &Path) -> Result {
    let Some(source) = minilm() else {
        println!("the page is built without the whole model");
        return Ok(());
    };
    let folder = dist.join(FOLDER);
    fs::create_dir_all(&folder)?;
    let mut manifest = BTreeMap::new();
    for (name, bytes) in files(&source)? {
        let facts = json!({ "bytes": bytes.len(), "sha256": sha256(&bytes) });
        manifest.insert(name, facts);
        fs::write(folder.join(name), bytes)?;
    }
    let manifest = serde_json::to_string_pretty(&manifest)?;
    Ok(fs::write(folder.join("manifest.json"), manifest + "\n")?)
}

/// The files by name.
fn files(source: &MiniLm) -> Result<Vec<(&'static str, Vec<u8>)>> {
    Ok(vec![
        ("model.safetensors", weights(source)?),
        ("config.json", fs::read(&source.config)?),
        ("tokenizer.json", fs::read(&source.tokenizer)?),
        ("tokenizer_config.json", fs::read(&source.tokenizer_config)?),
        ("special_tokens_map.json", fs::read(&source.special_tokens)?),
    ])
}

/// The weights in F16. Making them takes a second, so they are kept beside other files of this machine.
fn weights(source: &MiniLm) -> Result<Vec<u8>> {
    let checkpoint = fs::read(&source.model)?;
    let stored = cache().join(format!("whole-{}.safetensors", &sha256(&checkpoint)[..16]));
    if let Ok(bytes) = fs::read(&stored) {
        return Ok(bytes);
    }
    let config = fs::read_to_string(&source.config)?;
    let bytes = rounded(&checkpoint, &config)?;
    fs::write(stored, &bytes)?;
    Ok(bytes)
}

/// The embeddings and layers of a checkpoint, rounded to F16.
fn rounded(checkpoint: &[u8], config: &str) -> Result<Vec<u8>> {
    let source = SafeTensors::deserialize(checkpoint)?;
    let is_read = |name: &&str| {
        name != &INDICES && TENSORS.iter().any(|beginning| name.starts_with(beginning))
    };
    let mut tensors = Vec::new();
    for name in source.names().into_iter().filter(|name| is_read(name)) {
        let tensor = source.tensor(name)?;
        let bytes = half(&numbers(name, &tensor)?);
        tensors.push((name.to_owned(), Dtype::F16, tensor.shape().to_vec(), bytes));
    }
    // The writer keeps the order of tensors of one type by their names.
    tensors.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    file_of(&MINILM, checkpoint, config, &tensors)
}

/// Numbers of a tensor, which is F32.
fn numbers(name: &str, tensor: &TensorView<'_>) -> Result<Vec<f32>> {
    if tensor.dtype() != Dtype::F32 {
        return Err(format!(
            "{name} is {:?}, and a preset is made of F32",
            tensor.dtype()
        )
        .into());
    }
    Ok(tensor
        .data()
        .as_chunks()
        .0
        .iter()
        .map(|number| f32::from_le_bytes(*number))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tensors_of_a_layer_are_one_range() -> Result {
        let zeros = [0_u8; 16];
        let view = || TensorView::new(Dtype::F32, vec![2, 2], &zeros);
        let names = [
            "encoder.layer.1.output.dense.weight",
            "embeddings.word_embeddings.weight",
            "encoder.layer.0.output.dense.bias",
            "pooler.dense.weight",
            "encoder.layer.1.output.dense.bias",
            "encoder.layer.0.output.dense.weight",
        ];
        let tensors = names
            .iter()
            .map(|name| Ok((*name, view()?)))
            .collect::<Result<Vec<_>>>()?;
        let checkpoint = safetensors::serialize(tensors, None)?;
        let bytes = rounded(&checkpoint, "{}")?;
        let (_, header) = SafeTensors::read_metadata(&bytes)?;
        let mut places: Vec<_> = header
            .tensors()
            .into_iter()
            .map(|(name, info)| (info.data_offsets, name))
            .collect();
        places.sort();
        let order: Vec<&str> = places.iter().map(|(_, name)| name.as_str()).collect();
        let mut sorted = names.to_vec();
        sorted.retain(|name| !name.starts_with("pooler"));
        sorted.sort_unstable();
        assert_eq!(order, sorted);
        assert_eq!(places[0].0, (0, 8));
        Ok(())
    }

    #[test]
    fn the_folder_owns_its_files_alone() {
        assert!(owns("presets/minilm-l6/model.safetensors"));
        assert!(!owns("presets/minilm-l6.safetensors"));
        assert!(!owns("presets/minilm-l6-positions.safetensors"));
    }
}
