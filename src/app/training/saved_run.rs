//! A whole run as an archive, which the visitor can save.
//!
//! The writer of archives takes 26 KB of compressed wasm. It belongs to the lazy part that saves figures, so that
//! training starts without it.

use super::TrainingRunState;
use crate::{
    same_origin_files,
    training::{TrainingRecord, run_archive, run_archive_name},
};
use js_sys::Uint8Array;
use leptos::{
    prelude::*,
    wasm_split::{SplitLoaderError, wasm_split},
};
use wasm_bindgen_futures::JsFuture;

/// An archive: its name, and its bytes.
type NamedArchive = (String, Vec<u8>);

/// The function of the lazy part that writes an archive: a record, and weights with their steps.
type WriteArchive = fn(&TrainingRecord, &[(u32, Vec<u8>)]) -> Result<Vec<u8>, String>;

// Returns the function instead of calling it: the arguments of a split function must be plain types.
#[wasm_split(saving, wasm_split_path = leptos::wasm_split, fallible)]
fn archive_part() -> Result<WriteArchive, SplitLoaderError> {
    Ok(run_archive)
}

impl TrainingRunState {
    /// The record of the run and the weights of its snapshots as one archive. `None` before the first snapshot.
    ///
    /// # Errors
    /// A sentence if the browser cannot read the weights, or if the part of the page that writes archives could not be
    /// fetched.
    pub(in crate::app) async fn archive(self) -> Result<Option<NamedArchive>, String> {
        let Some(record) = self.record() else {
            return Ok(None);
        };
        let snapshots = self.snapshots.with_untracked(|run| {
            let files = run.iter().filter_map(|snapshot| {
                let (_, weights) = snapshot.model.files.first()?;
                Some((snapshot.model.report.step, weights.clone()))
            });
            files.collect::<Vec<_>>()
        });
        let mut weights = Vec::with_capacity(snapshots.len());
        for (step, file) in snapshots {
            let Ok(buffer) = JsFuture::from(file.array_buffer()).await else {
                return Err(format!(
                    "The run was not saved: the browser could not read the weights of step {step}."
                ));
            };
            weights.push((step, Uint8Array::new(&buffer).to_vec()));
        }
        let Ok(write_archive) = archive_part().await else {
            return Err(format!(
                "The run was not saved: the part of the page that saves could not be fetched. {}",
                same_origin_files::last_failure()
            ));
        };
        let name = run_archive_name(&record.description.recipe);
        Ok(Some((name, write_archive(&record, &weights)?)))
    }

    /// The record of the run so far. `None` before its first snapshot.
    fn record(self) -> Option<TrainingRecord> {
        let description = self.description.get_untracked()?;
        let snapshots = self.snapshots.with_untracked(|run| {
            let states = run.iter().map(|snapshot| snapshot.model.report.state());
            states.collect::<Vec<_>>()
        });
        let evaluations = self
            .evaluations
            .with_untracked(|states| states.iter().map(|report| report.state()).collect());
        (!snapshots.is_empty()).then(|| TrainingRecord {
            description,
            losses: self.losses.get_untracked(),
            lengths: self.lengths.get_untracked(),
            snapshots,
            evaluations,
        })
    }
}
