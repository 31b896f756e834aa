//! The list of presets with their sizes, hashes, sources and licences: `www/presets/manifest.json`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use xtask::Result;
use xtask::preset::{Extract, PRESETS, Preset};
use xtask::preset_file::sha256;

use crate::PresetFile;
use crate::extract::PresetProperties;

/// The entry of a preset.
pub(crate) fn entry(
    preset: &Preset,
    file: &PresetFile,
    positions: Option<&PresetFile>,
    licence_file: Option<String>,
    properties: &PresetProperties,
) -> Value {
    let mut entry = json!({
        "id": preset.id,
        "title": preset.title,
        "file": file.name,
        "bytes": file.bytes.len(),
        "sha256": sha256(&file.bytes),
        "source": preset.source,
        "package": format!("{} {}", preset.wheel.name, preset.wheel.version),
        "licence": preset.licence,
        "rows": properties.rows,
        "width": properties.width,
    });
    if preset.extract != Extract::Table {
        entry["layers"] = json!(properties.layers);
        entry["heads"] = json!(properties.heads);
    }
    if let Some(name) = licence_file {
        entry["licence_file"] = json!(name);
    }
    if let Some(positions) = positions {
        entry["positions"] = json!({
            "file": positions.name,
            "bytes": positions.bytes.len(),
            "sha256": sha256(&positions.bytes),
            "dtype": "F16",
        });
    }
    entry
}

/// Adds an entry to the manifest, or replaces the entry with the same id. Entries are in the order of the presets.
pub(crate) fn list(manifest: &Path, entry: Value) -> Result {
    let mut entries: Vec<Value> = match fs::read(manifest) {
        Ok(text) => serde_json::from_slice(&text)?,
        Err(_) => Vec::new(),
    };
    entries.retain(|other| other["id"] != entry["id"]);
    entries.push(entry);
    entries.sort_by_key(|entry| PRESETS.iter().position(|preset| entry["id"] == preset.id));
    fs::write(manifest, serde_json::to_string_pretty(&entries)? + "\n")?;
    Ok(())
}
