//! A whole run as an archive, in the layout of the runs that ship with the page: a folder named after the recipe.

use super::{RECORD_FILE, TrainingRecord, shipped_weights_file};
use crate::zip_writer::ZipWriter;

/// Name of the archive of a run.
#[must_use]
pub fn run_archive_name(recipe: &str) -> String {
    format!("{recipe}.zip")
}

/// A ZIP archive with the record of a run and the weights of its snapshots, each with its step.
///
/// # Errors
/// A sentence if the record cannot be written.
pub fn run_archive(record: &TrainingRecord, weights: &[(u32, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let folder = &record.description.recipe;
    let json = serde_json::to_vec(record)
        .map_err(|error| format!("The record of the run could not be written: {error}."))?;
    let mut archive = ZipWriter::new();
    archive.add(&format!("{folder}/{RECORD_FILE}"), &json);
    for (step, file) in weights {
        archive.add(&format!("{folder}/{}", shipped_weights_file(*step)), file);
    }
    Ok(archive.into_bytes())
}
