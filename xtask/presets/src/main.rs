//! Makes the files of presets in `www/presets/`, with their manifest and licences. `cargo xtask preset` runs it.
//!
//! A preset contains only the tensors that the page reads, under the names that a family of the page knows: the position
//! table, the mean word embedding (instead of the word embeddings, which are half of the file), the layers that the first
//! attention's input passes through, and every layer's queries and keys. The weights of queries and keys are rounded to
//! F16; everything else stays F32. Its metadata states its origin and contains the model's configuration. A file of the
//! position table alone is F16.
//!
//! The output is deterministic.

mod extract;
mod fairseq;
mod manifest;
mod source;

use std::fs;
use std::process::ExitCode;

use xtask::preset::{Extract, PRESETS, Preset};
use xtask::preset_file::file_of;
use xtask::{Result, root};

use source::Source;

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    match make(&names) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A file of a preset.
struct PresetFile {
    name: String,
    bytes: Vec<u8>,
}

/// Makes the presets of these names, or all.
fn make(names: &[String]) -> Result {
    let is_known = |name: &&String| PRESETS.iter().any(|preset| preset.id == **name);
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        let known: Vec<_> = PRESETS.iter().map(|preset| preset.id).collect();
        return Err(format!("no preset {name}; there are {}", known.join(", ")).into());
    }
    let is_wanted = |preset: &&Preset| names.is_empty() || names.iter().any(|n| n == preset.id);
    PRESETS.iter().filter(is_wanted).try_for_each(make_one)
}

fn make_one(preset: &Preset) -> Result {
    let source = Source::open(preset)?;
    let file_with = |name: String, tensors| -> Result<PresetFile> {
        let bytes = file_of(preset, &source.bytes, &source.config, tensors)?;
        Ok(PresetFile { name, bytes })
    };
    let tensors = match preset.extract {
        Extract::Table => vec![extract::table(&source)?],
        Extract::Heads | Extract::HeadsAndTable => extract::heads(&source)?,
    };
    let file = file_with(format!("{}.safetensors", preset.id), &tensors)?;
    let positions = match preset.extract {
        Extract::HeadsAndTable => Some(file_with(
            format!("{}-positions.safetensors", preset.id),
            &[extract::table(&source)?],
        )?),
        _ => None,
    };
    let folder = root().join("www/presets");
    fs::create_dir_all(&folder)?;
    for file in std::iter::once(&file).chain(&positions) {
        fs::write(folder.join(&file.name), &file.bytes)?;
        println!(
            "{}: {} bytes, of a checkpoint of {}",
            file.name,
            file.bytes.len(),
            source.bytes.len()
        );
    }
    let licence = match preset.licence_text {
        Some(path) => {
            let name = format!("{}-LICENSE.txt", preset.wheel.name);
            fs::copy(preset.wheel.folder()?.join(path), folder.join(&name))?;
            Some(name)
        }
        None => None,
    };
    let properties = extract::properties(&source)?;
    let entry = manifest::entry(preset, &file, positions.as_ref(), licence, &properties);
    manifest::list(&folder.join("manifest.json"), entry)
}
