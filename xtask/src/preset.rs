//! Rebuilds a shipped preset from its full checkpoint.
//!
//! A preset contains only the tensors that the page reads, under their original names, so that it opens like any
//! checkpoint: the position table, the mean word embedding (instead of the word embeddings, which are half of the
//! file), the layers that the first attention's input passes through, and every layer's queries and keys. The weights
//! of queries and keys are rounded to F16; everything else stays F32. Its metadata states its origin and contains the
//! model's configuration.
//!
//! A second file contains only the position table, in F16. It has a tenth of the bytes, and the page shows it first.
//!
//! The output is deterministic.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use half::f16;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::Result;

/// A model that is shipped as a preset.
pub(crate) struct Preset {
    pub(crate) id: &'static str,
    title: &'static str,
    source: &'static str,
    licence: &'static str,
}

pub(crate) const PRESETS: &[Preset] = &[Preset {
    id: "minilm-l6",
    title: "MiniLM-L6",
    source: "sentence-transformers/all-MiniLM-L6-v2",
    licence: "Apache-2.0",
}];

const TABLE: &str = "embeddings.position_embeddings.weight";
/// Tensors that are copied, as F32.
const COPIED_TENSORS: [&str; 4] = [
    TABLE,
    "embeddings.token_type_embeddings.weight",
    "embeddings.LayerNorm.weight",
    "embeddings.LayerNorm.bias",
];
const WORDS: &str = "embeddings.word_embeddings.weight";
const MEAN_WORD: &str = "embeddings.word_embeddings.mean";

/// `cargo xtask preset NAME PATH`: PATH is the checkpoint's folder, or the `model.safetensors` in it beside
/// its `config.json`.
pub fn run(arguments: &[String]) -> Result {
    let [name, path] = arguments else {
        return Err("usage: cargo xtask preset NAME PATH".into());
    };
    let preset = PRESETS
        .iter()
        .find(|preset| preset.id == name)
        .ok_or_else(|| {
            let known: Vec<_> = PRESETS.iter().map(|preset| preset.id).collect();
            format!("no preset {name}; there is {}", known.join(", "))
        })?;
    let path = Path::new(path);
    let file = if path.is_dir() {
        path.join("model.safetensors")
    } else {
        path.to_owned()
    };
    let checkpoint = read(&file)?;
    let config = String::from_utf8(read(&file.with_file_name("config.json"))?)?;

    let (bytes, facts) = make(preset, &checkpoint, &config)?;
    let whole = Made {
        file: format!("{name}.safetensors"),
        bytes,
    };
    let positions = Made {
        file: format!("{name}-positions.safetensors"),
        bytes: table_alone(preset, &checkpoint, &config)?,
    };
    let folder = crate::root().join("www/presets");
    fs::create_dir_all(&folder)?;
    for made in [&whole, &positions] {
        let path = folder.join(&made.file);
        fs::write(&path, &made.bytes)?;
        println!(
            "{}: {} bytes, of a checkpoint of {}",
            path.display(),
            made.bytes.len(),
            checkpoint.len()
        );
    }
    list(
        &folder.join("manifest.json"),
        entry(preset, &whole, &positions, &facts),
    )
}

/// A file of a preset.
struct Made {
    file: String,
    bytes: Vec<u8>,
}

/// Properties of a model that the page shows before the preset is loaded.
struct Facts {
    rows: usize,
    width: usize,
    layers: usize,
    heads: u64,
}

fn make(preset: &Preset, checkpoint: &[u8], config: &str) -> Result<(Vec<u8>, Facts)> {
    let source = SafeTensors::deserialize(checkpoint)?;
    let mut tensors = Vec::new();
    for name in COPIED_TENSORS {
        let tensor = source.tensor(name)?;
        let (mut shape, mut numbers) = (tensor.shape().to_vec(), numbers(name, &tensor)?);
        // A single sentence uses only token type 0.
        if name.contains("token_type") {
            numbers.truncate(shape[1]);
            shape[0] = 1;
        }
        tensors.push((name.to_owned(), Dtype::F32, shape, single(&numbers)));
    }
    let words = source.tensor(WORDS)?;
    let mean = mean_row(&numbers(WORDS, &words)?, words.shape()[1]);
    tensors.push((
        MEAN_WORD.to_owned(),
        Dtype::F32,
        vec![mean.len()],
        single(&mean),
    ));

    let mut layers = 0;
    while source
        .tensor(&format!(
            "encoder.layer.{layers}.attention.self.query.weight"
        ))
        .is_ok()
    {
        for part in ["query", "key"] {
            let stem = format!("encoder.layer.{layers}.attention.self.{part}");
            let (weight, bias) = (format!("{stem}.weight"), format!("{stem}.bias"));
            let tensor = source.tensor(&weight)?;
            let rounded = half(&numbers(&weight, &tensor)?);
            tensors.push((weight, Dtype::F16, tensor.shape().to_vec(), rounded));
            let tensor = source.tensor(&bias)?;
            let bytes = single(&numbers(&bias, &tensor)?);
            tensors.push((bias, Dtype::F32, tensor.shape().to_vec(), bytes));
        }
        layers += 1;
    }
    if layers == 0 {
        return Err("the checkpoint has no layers under BERT's names".into());
    }

    let facts: Value = serde_json::from_str(config)?;
    let heads = facts["num_attention_heads"]
        .as_u64()
        .ok_or("the configuration names no heads")?;
    let table = source.tensor(TABLE)?;
    let facts = Facts {
        rows: table.shape()[0],
        width: table.shape()[1],
        layers,
        heads,
    };
    let bytes = file_of(preset, checkpoint, config, &tensors)?;
    Ok((bytes, facts))
}

/// The position table alone, rounded to F16.
fn table_alone(preset: &Preset, checkpoint: &[u8], config: &str) -> Result<Vec<u8>> {
    let source = SafeTensors::deserialize(checkpoint)?;
    let table = source.tensor(TABLE)?;
    let rounded = half(&numbers(TABLE, &table)?);
    let table = (
        TABLE.to_owned(),
        Dtype::F16,
        table.shape().to_vec(),
        rounded,
    );
    file_of(preset, checkpoint, config, &[table])
}

/// Serialises tensors with metadata that states their origin.
pub(crate) fn file_of(
    preset: &Preset,
    checkpoint: &[u8],
    config: &str,
    tensors: &[(String, Dtype, Vec<usize>, Vec<u8>)],
) -> Result<Vec<u8>> {
    let metadata = HashMap::from([
        ("source".to_owned(), preset.source.to_owned()),
        ("licence".to_owned(), preset.licence.to_owned()),
        ("sha256 of the source".to_owned(), sha256(checkpoint)),
        ("config".to_owned(), config.to_owned()),
    ]);
    let views = tensors
        .iter()
        .map(|(name, dtype, shape, bytes)| {
            Ok((name, TensorView::new(*dtype, shape.clone(), bytes)?))
        })
        .collect::<Result<Vec<_>>>()?;
    let mut bytes = safetensors::serialize(views, Some(metadata))?;
    order_header(&mut bytes)?;
    Ok(bytes)
}

/// Numbers of a tensor, which is F32.
pub(crate) fn numbers(name: &str, tensor: &TensorView<'_>) -> Result<Vec<f32>> {
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

fn single(numbers: &[f32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

/// Numbers as the bytes of F16.
pub(crate) fn half(numbers: &[f32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| f16::from_f32(*number).to_le_bytes())
        .collect()
}

fn mean_row(numbers: &[f32], width: usize) -> Vec<f32> {
    let mut sums = vec![0.0_f64; width];
    for row in numbers.chunks_exact(width) {
        sums.iter_mut()
            .zip(row)
            .for_each(|(sum, number)| *sum += f64::from(*number));
    }
    let rows = (numbers.len() / width) as f64;
    sums.into_iter().map(|sum| (sum / rows) as f32).collect()
}

/// Sorts the header. The writer keeps metadata in a hash map, so its order differs in every run. The sorted header has
/// the same length, so nothing after it moves.
fn order_header(bytes: &mut [u8]) -> Result {
    let (length, rest) = bytes
        .split_first_chunk_mut()
        .ok_or("the writer wrote no header")?;
    let length = usize::try_from(u64::from_le_bytes(*length))?;
    let header = rest
        .get_mut(..length)
        .ok_or("the writer wrote half a header")?;
    // Objects of `serde_json` are sorted by name.
    let sorted = serde_json::to_vec(&serde_json::from_slice::<Value>(header)?)?;
    let (text, padding) = header
        .split_at_mut_checked(sorted.len())
        .ok_or("the header grew")?;
    text.copy_from_slice(&sorted);
    padding.fill(b' ');
    Ok(())
}

fn entry(preset: &Preset, whole: &Made, positions: &Made, facts: &Facts) -> Value {
    json!({
        "id": preset.id,
        "title": preset.title,
        "file": whole.file,
        "bytes": whole.bytes.len(),
        "sha256": sha256(&whole.bytes),
        "positions": {
            "file": positions.file,
            "bytes": positions.bytes.len(),
            "sha256": sha256(&positions.bytes),
            "dtype": "F16",
        },
        "source": preset.source,
        "licence": preset.licence,
        "rows": facts.rows,
        "width": facts.width,
        "layers": facts.layers,
        "heads": facts.heads,
    })
}

/// Adds an entry to the manifest, or replaces the entry with the same id.
fn list(manifest: &Path, entry: Value) -> Result {
    let mut entries: Vec<Value> = match fs::read(manifest) {
        Ok(text) => serde_json::from_slice(&text)?,
        Err(_) => Vec::new(),
    };
    match entries.iter_mut().find(|other| other["id"] == entry["id"]) {
        Some(other) => *other = entry,
        None => entries.push(entry),
    }
    fs::write(manifest, serde_json::to_string_pretty(&entries)? + "\n")?;
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// SHA-256 hash in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
