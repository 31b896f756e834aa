//! A whole run as an archive, which the visitor can save.

use super::TrainingRunState;
use crate::training::{TrainingRecord, run_archive, run_archive_name};
use js_sys::Uint8Array;
use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// An archive: its name, and its bytes.
type NamedArchive = (String, Vec<u8>);

impl TrainingRunState {
    /// The record of the run and the weights of its snapshots as one archive. `None` before the first snapshot.
    ///
    /// # Errors
    /// A sentence if the browser cannot read the weights.
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
        let name = run_archive_name(&record.description.recipe);
        Ok(Some((name, run_archive(&record, &weights)?)))
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
