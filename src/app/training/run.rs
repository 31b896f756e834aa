//! One run: its state as signals, and its program.

use super::{
    client::TrainerClient,
    loss,
    report_queue::{QueuedState, ReportQueue},
};
use crate::{
    analysis::{ModelId, TrainingRun},
    app::query_client::{NamedFile, QueryClient},
    training::{
        CONFIG_FILE, LengthScore, RunDescription, SnapshotDetail, SnapshotState, TrainerRequest,
        TrainerResponse, TrainingPulse, TrainingRecipe, TrainingReport, WEIGHTS_FILE,
        snapshot_question,
    },
};
use js_sys::Array;
use leptos::prelude::*;
use std::{rc::Rc, sync::Arc};
use wasm_bindgen::JsValue;
use web_sys::Blob;
use worker_protocol::{Attachments, Loss};

/// Bytes of the snapshots' files that a run keeps at most, of four runs 96 MB.
const MOST_SNAPSHOT_BYTES: usize = 24 << 20;

/// A run of a recipe on this page. It is a handle; its signals live as long as the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) struct TrainingRunState {
    /// Number of the run, from 1, which also chooses its colour.
    pub(in crate::app) number: usize,
    /// The recipe in its form in links, which is also the run's name.
    pub(in crate::app) link: StoredValue<String>,
    pub(in crate::app) status: RwSignal<RunStatus>,
    /// Properties of the run, once it has started.
    pub(in crate::app) description: RwSignal<Option<RunDescription>>,
    /// Number of steps done.
    pub(in crate::app) step: RwSignal<u32>,
    /// Milliseconds that a step takes, once known.
    pub(in crate::app) milliseconds_per_step: RwSignal<f64>,
    /// Loss of each step, from step 1.
    pub(in crate::app) losses: RwSignal<Vec<f64>>,
    /// The snapshots, by step.
    pub(in crate::app) snapshots: RwSignal<TrainingRun<RunSnapshot>, LocalStorage>,
    /// The state at steps whose weights are not here, by step.
    pub(in crate::app) evaluations: RwSignal<Vec<Arc<TrainingReport>>>,
    /// The latest state, of a snapshot or between two of them.
    pub(in crate::app) latest: RwSignal<Option<Arc<TrainingReport>>>,
    /// Losses at several lengths, once the run is complete.
    pub(in crate::app) lengths: RwSignal<Vec<LengthScore>>,
    /// Whether a snapshot of the run has been opened as a model.
    pub(super) is_listed: StoredValue<bool>,
    /// Number of the model that the latest snapshot was opened as.
    pub(super) opening: StoredValue<Option<ModelId>>,
    /// Whether files of the record are still to be fetched.
    pub(super) has_files_left: StoredValue<bool>,
    client: StoredValue<Option<Rc<TrainerClient>>, LocalStorage>,
    /// States whose positions and scores are being read.
    queue: ReportQueue,
}

/// Status of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::app) enum RunStatus {
    /// It waits until another run is complete.
    Waiting,
    /// Its program is being loaded.
    Starting,
    /// It trains.
    Training,
    /// It is paused, by the visitor or because the tab is hidden.
    Paused,
    /// It was stopped by the visitor.
    Stopped,
    /// It has done all its steps.
    Finished,
    /// The record of a run that ships with the page is being loaded.
    Loading,
    /// The record cannot be loaded, as the sentence says.
    NotLoaded(String),
    /// It was trained before, and its record is here.
    Recorded,
    /// It cannot go on, as the sentence says.
    Failed(String),
}

impl RunStatus {
    /// Whether the run's program is in use.
    pub(in crate::app) fn is_active(&self) -> bool {
        matches!(self, Self::Starting | Self::Training | Self::Paused)
    }

    /// Whether the run was not trained on this page, but ships with it.
    pub(in crate::app) fn is_recorded(&self) -> bool {
        matches!(self, Self::Loading | Self::NotLoaded(_) | Self::Recorded)
    }
}

/// A snapshot of a run.
#[derive(Debug, Clone)]
pub(in crate::app) struct RunSnapshot {
    pub(in crate::app) report: Arc<TrainingReport>,
    /// Its weights and its configuration, which open as a model.
    pub(in crate::app) files: Vec<NamedFile>,
}

impl TrainingRunState {
    /// A run that has not started.
    pub(super) fn new(number: usize, recipe: &TrainingRecipe, client: QueryClient) -> Self {
        Self {
            number,
            link: StoredValue::new(recipe.to_string()),
            status: RwSignal::new(RunStatus::Waiting),
            description: RwSignal::new(None),
            step: RwSignal::new(0),
            milliseconds_per_step: RwSignal::new(0.0),
            losses: RwSignal::new(Vec::new()),
            snapshots: RwSignal::new_local(TrainingRun::default()),
            evaluations: RwSignal::new(Vec::new()),
            latest: RwSignal::new(None),
            lengths: RwSignal::new(Vec::new()),
            is_listed: StoredValue::new(false),
            opening: StoredValue::new(None),
            has_files_left: StoredValue::new(false),
            client: StoredValue::new_local(None),
            queue: ReportQueue::new(client),
        }
    }

    /// The run's name: its recipe in its form in links.
    pub(in crate::app) fn name(self) -> String {
        self.link.get_value()
    }

    /// The recipe.
    pub(in crate::app) fn recipe(self) -> Option<TrainingRecipe> {
        self.link.with_value(|link| link.parse().ok())
    }

    /// Starts the run at step 0; `text` is what tasks on texts learn from.
    pub(super) fn start(self, text: &[u8]) {
        self.queue.clear();
        self.step.set(0);
        self.losses.set(Vec::new());
        self.snapshots.set(TrainingRun::default());
        self.evaluations.set(Vec::new());
        self.latest.set(None);
        self.lengths.set(Vec::new());
        self.has_files_left.set_value(false);
        self.status.set(RunStatus::Starting);
        let client = TrainerClient::start(
            move |number, response, attachments| self.receive(number, response, &attachments),
            move |loss| self.lose(&loss),
        );
        let Some(client) = client else {
            return self.fail(loss::CANNOT_START.to_owned());
        };
        let recipe = self.name();
        client.send(
            &TrainerRequest::Start { recipe },
            &Attachments::from_bytes(text),
        );
        // The program goes on as soon as it has started.
        client.train();
        self.client.set_value(Some(Rc::new(client)));
    }

    /// Stops after the current step, until [`Self::resume`].
    pub(in crate::app) fn pause(self) {
        if self.status.get_untracked() == RunStatus::Training {
            self.status.set(RunStatus::Paused);
            self.with_client(TrainerClient::pause);
        }
    }

    /// Goes on after a pause.
    pub(in crate::app) fn resume(self) {
        if self.status.get_untracked() == RunStatus::Paused {
            self.status.set(RunStatus::Training);
            self.with_client(TrainerClient::train);
        }
    }

    /// Trains for one step during a pause, and takes a snapshot.
    pub(in crate::app) fn step_once(self) {
        if self.status.get_untracked() == RunStatus::Paused {
            self.send(TrainerRequest::Step);
            self.send(TrainerRequest::Snapshot);
        }
    }

    /// Takes a snapshot at the current step.
    pub(in crate::app) fn take_snapshot(self) {
        if self.status.with_untracked(RunStatus::is_active) {
            self.send(TrainerRequest::Snapshot);
        }
    }

    /// Stops for good after the current step, with a last snapshot. Snapshots stay.
    pub(in crate::app) fn stop(self) {
        match self.status.get_untracked() {
            RunStatus::Training | RunStatus::Paused => {
                self.status.set(RunStatus::Stopped);
                self.with_client(TrainerClient::pause);
                // Its answer ends the program.
                self.send(TrainerRequest::Snapshot);
            }
            RunStatus::Waiting | RunStatus::Starting => self.end(),
            _ => {}
        }
    }

    /// Stops at once. Snapshots stay, those that have arrived.
    pub(in crate::app) fn end(self) {
        if self
            .status
            .with_untracked(|status| status.is_active() || *status == RunStatus::Waiting)
        {
            self.status.set(RunStatus::Stopped);
        }
        self.client.set_value(None);
        self.queue.clear();
    }

    fn with_client(self, call: impl FnOnce(&TrainerClient)) {
        // Cloned, so that no borrow is open when a response arrives.
        if let Some(client) = self.client.get_value() {
            call(&client);
        }
    }

    fn send(self, request: TrainerRequest) {
        self.with_client(|client| {
            client.send(&request, &Attachments::new());
        });
    }

    fn fail(self, sentence: String) {
        self.status.set(RunStatus::Failed(sentence));
        self.client.set_value(None);
    }

    fn lose(self, loss: &Loss) {
        if self.status.get_untracked() == RunStatus::Stopped {
            return;
        }
        self.fail(loss::sentence(loss, self.step.get_untracked()));
    }

    fn receive(self, number: u32, response: TrainerResponse, attachments: &Attachments) {
        self.with_client(|client| client.close(number));
        match response {
            TrainerResponse::Started(description) => {
                self.description.set(Some(description));
                if self.status.get_untracked() == RunStatus::Starting {
                    self.status.set(RunStatus::Training);
                    self.with_client(TrainerClient::train);
                }
            }
            TrainerResponse::Pulse(pulse) => self.receive_pulse(pulse, attachments),
            TrainerResponse::Snapshot(state) => {
                if let Some(weights) = attachments.bytes(0) {
                    self.add_state(*state, weights.into(), true);
                }
            }
            TrainerResponse::Lengths(lengths) => {
                self.lengths.set(lengths);
                self.client.set_value(None);
            }
            TrainerResponse::Failed(sentence) => self.fail(sentence),
        }
    }

    fn receive_pulse(self, pulse: TrainingPulse, attachments: &Attachments) {
        self.step.set(pulse.step);
        if !pulse.losses.is_empty() {
            self.losses.update(|losses| losses.extend(pulse.losses));
            self.milliseconds_per_step.set(pulse.milliseconds_per_step);
        }
        if let (Some(state), Some(weights)) = (pulse.state, attachments.bytes(0)) {
            self.add_state(*state, weights.into(), false);
        }
        match self.status.get_untracked() {
            RunStatus::Training if pulse.is_finished => {
                self.with_client(TrainerClient::pause);
                self.send(TrainerRequest::Lengths);
                self.finish_after_reports();
            }
            RunStatus::Training => self.with_client(TrainerClient::train),
            RunStatus::Stopped => self.client.set_value(None),
            _ => {}
        }
    }

    /// Reads the positions and scores of a state; `weights` is the content of its file. It is shown then.
    pub(super) fn add_state(self, state: SnapshotState, weights: JsValue, is_snapshot: bool) {
        let Some(recipe) = self.recipe() else {
            return;
        };
        let step = state.step;
        let config = self.description.with_untracked(|description| {
            let config = description.as_ref().map(|description| &*description.config);
            JsValue::from_str(config.unwrap_or_default())
        });
        let blob = |content: JsValue| Blob::new_with_blob_sequence(&Array::of1(&content)).ok();
        let (Some(weights), Some(config)) = (blob(weights), blob(config)) else {
            return;
        };
        let queued = QueuedState {
            state,
            files: vec![
                (WEIGHTS_FILE.to_owned(), weights),
                (CONFIG_FILE.to_owned(), config),
            ],
            is_snapshot,
        };
        let detail = match is_snapshot {
            true => SnapshotDetail::All,
            // The state of a record that is displayed first is read again as a snapshot.
            false if self.is_loading() => SnapshotDetail::Least,
            false => SnapshotDetail::Waves,
        };
        let question = snapshot_question(&recipe, detail);
        self.queue
            .push(queued, question, move |outcome| match outcome {
                Ok((report, queued)) => self.add_report(Arc::new(report), queued),
                Err(failure) => {
                    let sentence =
                        format!("The snapshot at step {step} could not be read. {failure}");
                    self.fail(sentence);
                }
            });
    }

    fn add_report(self, report: Arc<TrainingReport>, queued: QueuedState) {
        if queued.is_snapshot {
            let bytes: f64 = queued.files.iter().map(|(_, file)| file.size()).sum();
            let most = MOST_SNAPSHOT_BYTES / (bytes as usize).max(1);
            let snapshot = RunSnapshot {
                report: Arc::clone(&report),
                files: queued.files,
            };
            self.snapshots.update(|run| {
                // A second snapshot of one step is the same. What is thinned out is freed when the browser collects it.
                let _ = run.insert(u64::from(report.step), snapshot, most);
            });
        }
        // The displayed snapshot of a record comes before those of earlier steps.
        self.latest.update(|latest| {
            if latest.as_ref().is_none_or(|last| last.step <= report.step) {
                *latest = Some(report);
            }
        });
        self.finish_after_reports();
    }

    /// Sets the status at the end of a run, once all its states are shown.
    pub(super) fn finish_after_reports(self) {
        let steps = self.recipe().map_or(0, |recipe| recipe.steps);
        let last_snapshot = self.snapshots.with_untracked(|run| {
            let last = run.iter().next_back();
            last.map(|snapshot| snapshot.step)
        });
        // The step is that of the last pulse, which comes after its snapshot.
        let is_done = self.step.get_untracked() >= steps
            && self.queue.is_empty()
            && !self.has_files_left.get_value();
        if !is_done || last_snapshot != Some(u64::from(steps)) {
            return;
        }
        match self.status.get_untracked() {
            RunStatus::Training => self.status.set(RunStatus::Finished),
            RunStatus::Loading => self.status.set(RunStatus::Recorded),
            _ => {}
        }
    }
}
