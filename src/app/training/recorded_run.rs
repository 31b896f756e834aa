//! Loading a run that ships with the page.

use super::run::{RunStatus, TrainingRunState};
use crate::{
    same_origin_files,
    training::{RECORD_FILE, SnapshotState, TrainingRecord, TrainingReport, shipped_weights_file},
};
use futures_util::{StreamExt, future::join, stream};
use js_sys::Uint8Array;
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Number of files that are fetched at once.
const FILES_AT_ONCE: usize = 4;

impl TrainingRunState {
    /// Loads the record of the run: first the snapshot that is displayed, the last one unless the link looks at a step,
    /// then the others in order.
    pub(super) fn load_record(self, looked_at: Option<u64>) {
        self.status.set(RunStatus::Loading);
        self.has_files_left.set_value(true);
        spawn_local(async move {
            if let Err(why) = self.try_load_record(looked_at).await
                && self.is_loading()
            {
                self.status.set(RunStatus::NotLoaded(format!(
                    "The run that ships with the page could not be loaded. {why} Press Train to train it here."
                )));
            }
        });
    }

    /// Whether the record is still wanted: the visitor may have started or closed the run in the meantime.
    pub(super) fn is_loading(self) -> bool {
        self.status.try_get_untracked() == Some(RunStatus::Loading)
    }

    async fn try_load_record(self, looked_at: Option<u64>) -> Result<(), String> {
        // The recipe names the last snapshot's weights, so that they need not wait for the record.
        let steps = self.recipe().map_or(0, |recipe| recipe.steps);
        let (json, last_weights) =
            join(self.load_file(RECORD_FILE), self.load_weights(steps)).await;
        let record = TrainingRecord::read(&Uint8Array::new(&json?).to_vec())?;
        let last_weights = last_weights?;
        if !self.is_loading() {
            return Ok(());
        }
        self.losses.set(record.losses);
        self.lengths.set(record.lengths);
        self.description.set(Some(record.description));
        let evaluations = record.evaluations.into_iter();
        let evaluations = evaluations.map(|state| Arc::new(TrainingReport::new(state, None)));
        self.evaluations.set(evaluations.collect());
        let snapshots = record.snapshots;
        if let Some(last) = snapshots.last() {
            self.step.set(last.step);
        }
        let is_before =
            |state: &&SnapshotState| looked_at.is_none_or(|at| u64::from(state.step) <= at);
        let displayed = snapshots.iter().rev().find(is_before).or(snapshots.first());
        let displayed = displayed.cloned();
        // Only a snapshot is shown at a step; a state without waves and fits is there sooner.
        let snapshot_step = displayed.as_ref().filter(|_| looked_at.is_some());
        let snapshot_step = snapshot_step.map(|state| state.step);
        if let Some(state) = displayed {
            let weights = match state.step == steps {
                true => last_weights.clone(),
                false => self.load_weights(state.step).await?,
            };
            self.add_loaded(state, weights, snapshot_step.is_some());
        }
        let others = snapshots.into_iter();
        let others = others.filter(|state| Some(state.step) != snapshot_step);
        let files = others.map(|state| {
            let last_weights = last_weights.clone();
            async move {
                let weights = match state.step == steps {
                    true => Ok(last_weights),
                    false => self.load_weights(state.step).await,
                };
                (state, weights)
            }
        });
        let mut files = stream::iter(files).buffered(FILES_AT_ONCE);
        while let Some((state, weights)) = files.next().await {
            self.add_loaded(state, weights?, true);
        }
        if self.is_loading() {
            self.has_files_left.set_value(false);
            self.finish_after_reports();
        }
        Ok(())
    }

    fn add_loaded(self, state: SnapshotState, weights: JsValue, is_snapshot: bool) {
        if self.is_loading() {
            self.add_state(state, weights, is_snapshot);
        }
    }

    /// Loads the weights of a snapshot.
    async fn load_weights(self, step: u32) -> Result<JsValue, String> {
        self.load_file(&shipped_weights_file(step)).await
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
