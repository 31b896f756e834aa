//! Another worker in place of a lost one, with everything open that was open.
//!
//! A worker is lost when it cannot start, when it traps, or when it falls silent. The page learns of that from
//! its error event, from a last message of its own, or from a lock that it holds for as long as it lives
//! (Web Locks API). A worker that lives but sends nothing for a minute, though it is asked, counts as lost. A worker
//! whose program does not come says so itself, after it has tried twice, and is not started again.

use super::{MutationEvent, NamedFile, QueryClient, worker_link};
use crate::{
    analysis::{Failure, ModelId, ModelVersion, OpenModel, OpenResult, Origin},
    lazy::LoadFailure,
    model::ModelOptions,
    same_origin_files,
    worker_handle::Loss,
};
use leptos::prelude::set_interval;
use std::time::Duration;
use wasm_bindgen_futures::spawn_local;

/// What it takes to open a model again.
#[derive(Debug, Clone)]
pub(in crate::app) struct Reopening {
    pub(in crate::app) opened: ModelVersion,
    pub(in crate::app) origin: Origin,
    pub(in crate::app) choice: ModelOptions,
    pub(in crate::app) files: Vec<NamedFile>,
}

/// How often the page checks on a busy worker.
const ROUND: Duration = Duration::from_secs(5);
/// A busy worker that has sent nothing for this long, in milliseconds, is asked whether it is there.
const QUIET_MS: f64 = 10_000.0;
/// A worker that has sent nothing for this long, in milliseconds, counts as lost.
const SILENT_MS: f64 = 60_000.0;
/// At most this many workers in a row may be lost before one of them answers anything.
const MOST_IN_A_ROW: u32 = 2;
/// The same for workers whose script is silent: the second one is the second try.
const MOST_SILENT: u32 = 1;

impl QueryClient {
    /// Remembers how to open a model again.
    pub(in crate::app) fn keep(self, reopening: Reopening) {
        let inner = self.inner();
        let mut open = inner.open.borrow_mut();
        open.retain(|other| other.opened.id != reopening.opened.id);
        open.push(reopening);
    }

    /// What it takes to open a model again.
    pub(in crate::app) fn kept(self, model: ModelId) -> Option<Reopening> {
        let inner = self.inner();
        let open = inner.open.borrow();
        open.iter().find(|kept| kept.opened.id == model).cloned()
    }

    /// Forgets how to open a model, since it is closed.
    pub(in crate::app) fn drop_kept(self, model: ModelId) {
        let inner = self.inner();
        inner
            .open
            .borrow_mut()
            .retain(|kept| kept.opened.id != model);
    }

    /// Checks on the worker while it is busy.
    pub(super) fn watch_worker(self) {
        set_interval(
            move || {
                let inner = self.inner();
                let busy = inner.cache.borrow().is_busy() || inner.errands.borrow().is_busy();
                if !busy {
                    return inner.link.heard_now();
                }
                let silent = inner.link.silent_ms();
                if silent > SILENT_MS {
                    self.worker_lost(Loss::Ended);
                } else if silent > QUIET_MS {
                    self.post(&crate::protocol::ToWorker::Ping);
                }
            },
            ROUND,
        );
    }

    /// Starts another worker, opens what was open, and asks again what was being answered.
    pub(super) fn worker_lost(self, loss: Loss) {
        let inner = self.inner();
        // A page that has given up starts no other one.
        if inner.link.has_given_up() {
            return;
        }
        let has_listened = inner.link.listens();
        let lost_in_a_row = inner.link.end();
        let most = match loss {
            Loss::Ended => MOST_IN_A_ROW,
            Loss::Silent => MOST_SILENT,
            Loss::NotLoaded(_) => 0,
        };
        if lost_in_a_row > most {
            return self.give_up(loss);
        }
        self.connect();
        // This is said first, so that what fails for good below is said after it.
        let listener = inner.listener.borrow().clone();
        if let Some(listener) = listener.filter(|_| has_listened) {
            listener.restarted();
        }
        let mut open = inner.open.borrow().clone();
        // Models that were being opened again are errands already. They are resumed below, once: an errand that is
        // lost twice has failed.
        open.retain(|kept| !inner.errands.borrow().opens(kept.opened));
        let interrupted = inner.errands.borrow_mut().take();
        for kept in open {
            self.reopen(kept);
        }
        self.resume_errands(interrupted);
        let (changed, errands) = inner.cache.borrow_mut().worker_lost();
        self.carry_out(errands);
        self.tell(&changed);
    }

    fn reopen(self, kept: Reopening) {
        let id = kept.opened.id;
        let question = OpenModel {
            opened: kept.opened,
            origin: kept.origin,
            choice: kept.choice,
        };
        self.run(question, kept.files, move |heard| {
            let failure = match heard {
                MutationEvent::Failed(failure) => failure,
                MutationEvent::Chunk(OpenResult::AskWhole(_)) => Failure::new(
                    crate::analysis::FailureKind::Network,
                    "The server no longer sends parts of this model’s files. Open it again.",
                ),
                _ => return,
            };
            let listener = self.inner().listener.borrow().clone();
            if let Some(listener) = listener {
                listener.not_reopened(id, &failure);
            }
        });
    }

    /// Gives up: no worker can be started, or none lives long enough to answer.
    fn give_up(self, loss: Loss) {
        self.inner().link.give_up();
        spawn_local(async move {
            let why = match loss {
                Loss::NotLoaded(why) => Some(why),
                Loss::Silent => Some(LoadFailure::Silent),
                // Browsers do not say why a worker's script could not be run.
                Loss::Ended => same_origin_files::load(&worker_link::worker_address())
                    .await
                    .err(),
            };
            let failure = Failure::ours(match why {
                Some(why) => format!("{} {why}", worker_link::NOT_LOADED),
                None => worker_link::CANNOT_START.to_owned(),
            });
            self.inner().link.keep_reason(failure.clone());
            self.fail_everything(&failure);
        });
    }

    pub(super) fn fail_everything(self, failure: &Failure) {
        let inner = self.inner();
        self.fail_errands(failure);
        let changed = inner.cache.borrow_mut().fail_all(failure);
        self.tell(&changed);
        let listener = inner.listener.borrow().clone();
        if let Some(listener) = listener {
            listener.failed(None, failure);
        }
    }
}
