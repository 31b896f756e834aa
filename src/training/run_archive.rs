//! A whole run as an archive, in the layout of the runs that ship with the page: a folder named after the recipe.

use super::{RECORD_FILE, TrainingRecord, shipped_weights_file};
use rawzip::ZipArchiveWriter;
use std::io::Write;

/// Name of the archive of a run.
#[must_use]
pub fn run_archive_name(recipe: &str) -> String {
    format!("{recipe}.zip")
}

/// A ZIP archive with the record of a run and the weights of its snapshots, each with its step. Files are stored as they
/// are: weights hardly compress. They have no dates, so that equal runs give equal archives.
///
/// # Errors
/// A sentence if the record or the archive cannot be written.
pub fn run_archive(record: &TrainingRecord, weights: &[(u32, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let folder = &record.description.recipe;
    let json = serde_json::to_vec(record)
        .map_err(|error| format!("The record of the run could not be written: {error}."))?;
    let mut archive = ZipArchiveWriter::new(Vec::new());
    let mut add = |name: &str, content: &[u8]| {
        add_file(&mut archive, &format!("{folder}/{name}"), content)
            .map_err(|error| format!("The file {name} could not be added to the archive: {error}."))
    };
    add(RECORD_FILE, &json)?;
    for (step, file) in weights {
        add(&shipped_weights_file(*step), file)?;
    }
    archive
        .finish()
        .map_err(|error| format!("The archive could not be finished: {error}."))
}

/// Adds a file without compression; slashes in its name separate folders.
fn add_file(
    archive: &mut ZipArchiveWriter<Vec<u8>>,
    name: &str,
    content: &[u8],
) -> Result<(), rawzip::Error> {
    let (mut entry, config) = archive.new_file(name).start()?;
    let mut writer = config.wrap(&mut entry);
    writer.write_all(content)?;
    let (_, descriptor) = writer.finish()?;
    entry.finish(descriptor)?;
    Ok(())
}
