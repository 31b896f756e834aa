//! Loading a run that ships with the page.

use super::run::{RunStatus, TrainingRunState};
use crate::{
    same_origin_files,
    training::{RECORD_FILE, SnapshotState, TrainingRecord, TrainingReport, shipped_weights_file},
};
use js_sys::Uint8Array;
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};

impl TrainingRunState {
    /// Loads the record of the run: first its last snapshot, then all of them in order.
    pub(super) fn load_record(self) {
        self.status.set(RunStatus::Loading);
        spawn_local(async move {
            if let Err(why) = self.try_load_record().await
                && self.is_loading()
            {
                self.status.set(RunStatus::NotLoaded(format!(
                    "The run that ships with the page could not be loaded. {why} Press Train to train it here."
                )));
            }
        });
    }

    /// Whether the record is still wanted: the visitor may have started or closed the run in the meantime.
    fn is_loading(self) -> bool {
        self.status.try_get_untracked() == Some(RunStatus::Loading)
    }

    async fn try_load_record(self) -> Result<(), String> {
        let json = self.load_file(RECORD_FILE).await?;
        let record = TrainingRecord::read(&Uint8Array::new(&json).to_vec())?;
        if !self.is_loading() {
            return Ok(());
        }
        self.losses.set(record.losses);
        self.lengths.set(record.lengths);
        self.description.set(Some(record.description));
        let evaluations = record.evaluations.into_iter();
        let evaluations = evaluations.map(|state| Arc::new(TrainingReport::new(state, None)));
        self.evaluations.set(evaluations.collect());
        if let Some(last) = record.snapshots.last() {
            self.step.set(last.step);
            self.load_state(last.clone(), false).await?;
        }
        for state in record.snapshots {
            self.load_state(state, true).await?;
        }
        Ok(())
    }

    async fn load_state(self, state: SnapshotState, is_snapshot: bool) -> Result<(), String> {
        let weights = self.load_file(&shipped_weights_file(state.step)).await?;
        if self.is_loading() {
            self.add_state(state, weights, is_snapshot);
        }
        Ok(())
    }

    /// Loads a file of the run's folder, as an array buffer.
    async fn load_file(self, name: &str) -> Result<JsValue, String> {
        let address = format!("presets/runs/{}/{name}", self.name());
        let blob = same_origin_files::load(&address).await;
        let blob = blob.map_err(|why| format!("{name} is missing. {why}"))?;
        let Ok(buffer) = JsFuture::from(blob.array_buffer()).await else {
            return Err(format!("{name} could not be read."));
        };
        Ok(buffer)
    }
}
