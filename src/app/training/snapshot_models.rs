//! Snapshots as open models: a run is one model of the list, and its current snapshot is the open version of it.

use super::{
    run::{RunSnapshot, RunStatus, TrainingRunState},
    runs::TrainingRuns,
};
use crate::{app::models::opening::Opener, training::snapshot_options, url_state::ModelRef};
use leptos::{leptos_dom::helpers::TimeoutHandle, prelude::*};
use std::time::Duration;

/// Delay before a snapshot is opened: while the visitor scrubs, those in between are left out.
const DELAY: Duration = Duration::from_millis(120);

/// A snapshot that waits to be opened, with its run.
type QueuedSnapshot = (TrainingRunState, RunSnapshot);

/// Opens the snapshot of each run at the step that the link looks at, now and whenever one of both changes. A run that
/// ships with the page is opened once the link names it.
pub(super) fn open_snapshots(runs: TrainingRuns) {
    let opener = Opener::from_context();
    // A model that was listed before and is not any more was closed by the visitor.
    Effect::new(move || {
        for run in runs.list.get() {
            if opener.follows_in_list(&ModelRef::Run(run.name())) {
                run.is_listed.set_value(true);
            }
        }
    });
    let queue = SnapshotQueue {
        runs,
        opener,
        snapshots: StoredValue::new_local(Vec::new()),
        timer: StoredValue::new(None),
    };
    Effect::new(move |steps_before: Option<Vec<(usize, u64)>>| {
        let step = runs.looked_at();
        let before = steps_before.unwrap_or_default();
        let mut steps = Vec::new();
        let is_chosen = runs.is_in_link();
        for run in runs.list.get() {
            if !is_chosen && run.status.with(RunStatus::is_recorded) {
                continue;
            }
            let Some(snapshot) = run.snapshot_at(step) else {
                continue;
            };
            let place = (run.number, u64::from(snapshot.report.step));
            if !before.contains(&place) {
                queue.push((run, snapshot));
            }
            steps.push(place);
        }
        steps
    });
}

/// Snapshots to open, at most one a run.
#[derive(Debug, Clone, Copy)]
struct SnapshotQueue {
    runs: TrainingRuns,
    opener: Opener,
    snapshots: StoredValue<Vec<QueuedSnapshot>, LocalStorage>,
    timer: StoredValue<Option<TimeoutHandle>>,
}

impl SnapshotQueue {
    /// Appends a snapshot in place of one of the same run. All are opened after the delay, unless others follow.
    fn push(self, snapshot: QueuedSnapshot) {
        self.snapshots.update_value(|snapshots| {
            snapshots.retain(|(run, _)| *run != snapshot.0);
            snapshots.push(snapshot);
        });
        if let Some(Some(earlier)) = self.timer.try_update_value(Option::take) {
            earlier.clear();
        }
        if let Ok(handle) = set_timeout_with_handle(move || self.open(), DELAY) {
            self.timer.set_value(Some(handle));
        }
    }

    fn open(self) {
        let snapshots = self.snapshots.try_update_value(std::mem::take);
        for (run, snapshot) in snapshots.unwrap_or_default() {
            // The run may have been closed during the delay.
            if self.runs.list.with_untracked(|runs| !runs.contains(&run)) {
                continue;
            }
            let Some(options) = run.recipe().and_then(|recipe| snapshot_options(&recipe)) else {
                continue;
            };
            let reference = ModelRef::Run(run.name());
            let is_listed = self.opener.lists(&reference);
            if is_listed || !run.is_listed.get_value() {
                if !is_listed {
                    run.cancel_opening(self.opener);
                }
                let id = self
                    .opener
                    .open_snapshot(reference, snapshot.files, options);
                run.opening.set_value(Some(id));
            }
        }
    }
}

impl TrainingRunState {
    /// Cancels the opening of the run's first snapshot, which would list its model later.
    pub(super) fn cancel_opening(self, opener: Opener) {
        if let Some(Some(id)) = self.opening.try_update_value(Option::take) {
            opener.release(id);
        }
    }

    /// The snapshot at a step, or the last one before it; the last one of all for `None`.
    pub(in crate::app) fn snapshot_at(self, step: Option<u64>) -> Option<RunSnapshot> {
        self.snapshots.with(|run| {
            let place = match step {
                Some(step) => run.place_of_step((step, 0)),
                None => run.len().checked_sub(1)?,
            };
            run.get(place).map(|snapshot| snapshot.model.clone())
        })
    }
}
