//! States of a run that wait for the positions and scores of their weights, which the analysing worker reads.

use crate::{
    analysis::{Failure, ReadSnapshot, StoredScores},
    app::query_client::{MutationEvent, NamedFile, QueryClient},
    training::{SnapshotState, TrainingReport},
};
use leptos::prelude::*;
use std::{cell::RefCell, collections::VecDeque};

/// A state of a run, with its files.
#[derive(Debug, Clone)]
pub(super) struct QueuedState {
    pub(super) state: SnapshotState,
    /// Its weights and its configuration.
    pub(super) files: Vec<NamedFile>,
    /// Whether it is a snapshot. Other states may be left out.
    pub(super) is_snapshot: bool,
}

/// A report with the state that it was made from, or the reason why there is none.
type ReportOutcome = Result<(TrainingReport, QueuedState), Failure>;

/// The queue of a run. One state is read at a time, in the order of arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReportQueue {
    client: QueryClient,
    states: StoredValue<VecDeque<(QueuedState, ReadSnapshot)>, LocalStorage>,
    /// Number of the open question.
    open: StoredValue<Option<u32>>,
}

impl ReportQueue {
    pub(super) fn new(client: QueryClient) -> Self {
        Self {
            client,
            states: StoredValue::new_local(VecDeque::new()),
            open: StoredValue::new(None),
        }
    }

    /// Whether no state waits or is being read.
    pub(super) fn is_empty(self) -> bool {
        self.open.get_value().is_none() && self.states.with_value(VecDeque::is_empty)
    }

    /// Drops all states.
    pub(super) fn clear(self) {
        self.states.update_value(VecDeque::clear);
        if let Some(Some(number)) = self.open.try_update_value(Option::take) {
            self.client.cancel(number);
        }
    }

    /// Appends a state, and reads it when the ones before are done. `question` is `None` if
    /// its scores need words; `receive` gets the report. A state between snapshots is left out while others
    /// wait.
    pub(super) fn push(
        self,
        state: QueuedState,
        question: Option<ReadSnapshot>,
        receive: impl Fn(ReportOutcome) + Copy + 'static,
    ) {
        let Some(question) = question else {
            let report = TrainingReport::new(state.state.clone(), None);
            return receive(Ok((report, state)));
        };
        if !state.is_snapshot && !self.is_empty() {
            return;
        }
        self.states
            .update_value(|states| states.push_back((state, question)));
        if self.open.get_value().is_none() {
            self.read_next(receive);
        }
    }

    fn read_next(self, receive: impl Fn(ReportOutcome) + Copy + 'static) {
        let next = self.states.try_update_value(VecDeque::pop_front).flatten();
        let Some((queued, question)) = next else {
            return;
        };
        let files = queued.files.clone();
        let scores: RefCell<Option<StoredScores>> = RefCell::default();
        let number = self.client.run(question, files, move |event| {
            let outcome = match event {
                MutationEvent::Chunk(chunk) => {
                    scores.replace(Some(chunk));
                    return;
                }
                MutationEvent::Bytes(_) => return,
                MutationEvent::Done => {
                    let report = TrainingReport::new(queued.state.clone(), scores.take());
                    Ok((report, queued.clone()))
                }
                MutationEvent::Failed(failure) => Err(failure),
            };
            self.open.set_value(None);
            receive(outcome);
            if self.open.get_value().is_none() {
                self.read_next(receive);
            }
        });
        self.open.set_value(Some(number));
    }
}
