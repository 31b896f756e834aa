//! The runs that ship with the page: trains them, and writes and reads their folders.

use std::fs;
use std::path::{Path, PathBuf};

use diagonal::safetensors_writer::SafetensorsWriter;
use diagonal::training::{
    RECORD_FILE, SnapshotState, TrainerRequest, TrainerResponse, TrainingRecord,
    shipped_weights_file,
};
use safetensors::SafeTensors;

use crate::trainer_probe::{ask, open, train};
use crate::{Page, Result};

/// Greatest size of a run's folder, in bytes.
const MOST_BYTES: usize = 1_000_000;

/// Decimal places of mean attention in records, by offset and in pictures, and of the energy of pairs. Figures show three
/// digits of the first, and colours of the second.
const ATTENTION_PLACES: i32 = 6;
const PICTURE_PLACES: i32 = 3;
const ENERGY_PLACES: i32 = 6;

/// Parts of the names of tensors that positions need: embeddings and kernels.
const OF_POSITIONS: [&str; 2] = ["embeddings.", "attention.self.kernel_"];
/// The same of tensors that the scores of a table, and those of rotary positions, need.
const OF_QUERIES_AND_KEYS: [&str; 2] = ["attention.self.query.", "attention.self.key."];
/// Part of the name of a table.
const TABLE: &str = "position_embeddings";
/// Entry of the configuration of a rotary run.
const ROTARY: &str = "rope_theta";

/// Folder of a shipped run in the sources.
#[must_use]
pub fn folder(recipe: &str) -> PathBuf {
    xtask::root().join("www/presets/runs").join(recipe)
}

/// A run that was trained in a browser.
pub struct TrainedRun {
    /// Its numbers.
    pub record: TrainingRecord,
    /// The file of weights of each snapshot in the record.
    pub weights: Vec<Vec<u8>>,
}

/// Trains a recipe in a page until it has done more than `steps`, with the snapshot there, or to its end, where it is
/// evaluated at several lengths.
///
/// # Errors
/// If the program fails.
pub fn train_run(page: &Page, recipe: &str, steps: Option<u32>) -> Result<TrainedRun> {
    open(page)?;
    let text = match recipe.starts_with("text.") {
        true => fs::read(xtask::root().join("www/training/alice.txt"))?,
        false => Vec::new(),
    };
    let start = TrainerRequest::Start {
        recipe: recipe.to_owned(),
    };
    let description = match ask(page, &start, &text)?.pop() {
        Some((TrainerResponse::Started(description), _)) => description,
        other => return Err(format!("{other:?}").into()),
    };
    let mut run = TrainedRun {
        record: TrainingRecord {
            description,
            losses: Vec::new(),
            lengths: Vec::new(),
            snapshots: Vec::new(),
            evaluations: Vec::new(),
        },
        weights: Vec::new(),
    };
    loop {
        let (snapshots, pulse) = train(page, &TrainerRequest::Train)?;
        for (response, file) in snapshots {
            if let (TrainerResponse::Snapshot(state), Some(file)) = (response, file) {
                run.record.snapshots.push(*state);
                run.weights.push(file);
            }
        }
        run.record.losses.extend(pulse.losses);
        if pulse.is_finished || steps.is_some_and(|steps| pulse.step > steps) {
            break;
        }
    }
    if steps.is_none()
        && let Some((TrainerResponse::Lengths(lengths), _)) =
            ask(page, &TrainerRequest::Lengths, b"")?.pop()
    {
        run.record.lengths = lengths;
    }
    Ok(run)
}

impl TrainedRun {
    /// Writes the run's folder: the weights that positions and scores need, of step 0 and of as many of the last
    /// snapshots as fit. One just before the end goes first.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(mut self, folder: &Path) -> Result {
        let config = &self.record.description.config;
        let cut = self.weights.iter().map(|file| cut(file, Some(config)));
        let mut files: Vec<Vec<u8>> = cut.collect::<Result<_>>()?;
        let mut json = to_json(&self.record)?;
        while json.len() + files.iter().map(Vec::len).sum::<usize>() > MOST_BYTES {
            let snapshots = &mut self.record.snapshots;
            let end = snapshots.len() - 1;
            let is_near_end = snapshots[end - 1].step > snapshots[end].step / 10 * 9;
            let at = if is_near_end { end - 1 } else { 1 };
            files.remove(at);
            let state = snapshots.remove(at);
            self.record.evaluations.push(SnapshotState {
                heads: Vec::new(),
                pairs: Vec::new(),
                ..state
            });
            json = to_json(&self.record)?;
        }
        self.record.evaluations.sort_by_key(|state| state.step);
        let json = to_json(&self.record)?;
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        fs::write(folder.join(RECORD_FILE), json)?;
        for (state, file) in self.record.snapshots.iter().zip(files) {
            fs::write(folder.join(shipped_weights_file(state.step)), file)?;
        }
        Ok(())
    }
}

/// A record as text, with rounded numbers.
fn to_json(record: &TrainingRecord) -> Result<Vec<u8>> {
    let round = |number: f64, places: i32| {
        let scale = 10_f64.powi(places);
        (number * scale).round() / scale
    };
    let mut record = record.clone();
    for state in &mut record.snapshots {
        for head in &mut state.heads {
            for share in &mut head.attention {
                *share = round(*share, ATTENTION_PLACES);
            }
            for value in head.map.iter_mut().flat_map(|map| &mut map.picture.values) {
                *value = round(f64::from(*value), PICTURE_PLACES) as f32;
            }
        }
        for pair in &mut state.pairs {
            for number in [&mut pair.query, &mut pair.key, &mut pair.share] {
                *number = round(*number, ENERGY_PLACES);
            }
        }
    }
    Ok(serde_json::to_vec(&record)?)
}

/// A file of weights with only those tensors that positions and scores need. `config` is stored in its metadata.
///
/// # Errors
/// If the file is no safetensors file of single precision.
pub fn cut(file: &[u8], config: Option<&str>) -> Result<Vec<u8>> {
    let tensors = SafeTensors::deserialize(file)?;
    let (_, header) = SafeTensors::read_metadata(file)?;
    let metadata = header.metadata().clone().unwrap_or_default();
    let mut writer = SafetensorsWriter::new();
    for name in ["source", "recipe", "step"] {
        let text = metadata.get(name).map(String::as_str);
        writer = writer.with_metadata(name, text.unwrap_or_default());
    }
    if let Some(config) = config {
        writer = writer.with_metadata("config", config);
    }
    // In the order of the file.
    let names = header.offset_keys();
    let has_table = names.iter().any(|name| name.contains(TABLE));
    let is_rotary = config.is_some_and(|config| config.contains(ROTARY));
    let needs_both = has_table || is_rotary;
    for name in names {
        let is_among = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        let is_stored = is_among(&OF_POSITIONS) || needs_both && is_among(&OF_QUERIES_AND_KEYS);
        if !is_stored {
            continue;
        }
        let tensor = tensors.tensor(&name)?;
        let numbers = tensor.data().as_chunks::<4>().0.iter();
        writer.add_f32(
            &name,
            tensor.shape(),
            numbers.map(|bytes| f32::from_le_bytes(*bytes)),
        );
    }
    Ok(writer.into_bytes())
}

/// Compares a snapshot of a run with the shipped one, bit by bit.
///
/// # Errors
/// A sentence about the first difference.
pub fn compare(recipe: &str, state: &SnapshotState, weights: &[u8], config: &str) -> Result {
    let shipped = fs::read(folder(recipe).join(shipped_weights_file(state.step)))?;
    if shipped != cut(weights, Some(config))? {
        return Err(format!("{recipe} has other weights at step {}", state.step).into());
    }
    Ok(())
}
