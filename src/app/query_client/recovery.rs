//! Replaces a lost worker and reopens the open models.
//!
//! A worker is lost when it cannot start, when it traps, or when it stops responding. The page learns of that from the
//! worker's error event, from a last message, or from a lock that the worker holds while it lives (Web Locks API). A
//! busy worker that sends nothing for a minute, despite pings, counts as lost. A worker whose program cannot be loaded
//! reports that itself after two tries, and is not restarted.

use super::{MutationEvent, NamedFile, QueryClient, worker_link};
use crate::{
    analysis::{Failure, ModelId, ModelVersion, OpenModel, OpenResult, Origin},
    lazy::LoadFailure,
    model::ModelOptions,
    same_origin_files,
};
use wasm_bindgen_futures::spawn_local;
use worker_protocol::Loss;

/// Everything needed to open a model again.
#[derive(Debug, Clone)]
pub(in crate::app) struct Reopening {
    pub(in crate::app) version: ModelVersion,
    pub(in crate::app) origin: Origin,
    pub(in crate::app) choice: ModelOptions,
    pub(in crate::app) files: Vec<NamedFile>,
}

/// Consecutive workers that may be lost before the page gives up. Reset by the first piece of an answer.
const MOST_IN_A_ROW: u32 = 2;
/// The same for workers whose script sends nothing: only one more try.
const MOST_NEVER_HEARD: u32 = 1;

impl QueryClient {
    /// Stores how to open a model again.
    pub(in crate::app) fn keep(self, reopening: Reopening) {
        let inner = self.inner();
        let mut open = inner.open.borrow_mut();
        open.retain(|other| other.version.id != reopening.version.id);
        open.push(reopening);
    }

    /// Returns how to open a model again.
    pub(in crate::app) fn reopening(self, model: ModelId) -> Option<Reopening> {
        let inner = self.inner();
        let open = inner.open.borrow();
        open.iter()
            .find(|reopening| reopening.version.id == model)
            .cloned()
    }

    /// Adds files to those of an open model, in place of others of the same names.
    pub(in crate::app) fn add_files(self, model: ModelId, files: Vec<NamedFile>) {
        let inner = self.inner();
        let mut open = inner.open.borrow_mut();
        if let Some(reopening) = open.iter_mut().find(|other| other.version.id == model) {
            let all = &mut reopening.files;
            all.retain(|(path, _)| files.iter().all(|(other, _)| other != path));
            all.extend(files);
        }
    }

    /// Removes a closed model from the models to reopen.
    pub(in crate::app) fn drop_kept(self, model: ModelId) {
        let inner = self.inner();
        inner
            .open
            .borrow_mut()
            .retain(|reopening| reopening.version.id != model);
    }

    /// Starts another worker, reopens the open models, and resends the pending questions.
    pub(super) fn worker_lost(self, loss: Loss) {
        let inner = self.inner();
        // After giving up, no worker is started.
        if inner.link.has_given_up() {
            return;
        }
        let has_listened = inner.link.is_ready();
        let lost_in_a_row = inner.link.end();
        let most = match loss {
            Loss::Ended | Loss::Silent => MOST_IN_A_ROW,
            Loss::NeverHeard => MOST_NEVER_HEARD,
            Loss::NotLoaded(_) => 0,
        };
        if lost_in_a_row > most {
            return self.give_up(loss);
        }
        self.connect();
        // Reported first, so that failures below are reported after it.
        let listener = inner.listener.borrow().clone();
        if let Some(listener) = listener.filter(|_| has_listened) {
            listener.on_restart();
        }
        let mut open = inner.open.borrow().clone();
        // Models that are being reopened already are mutations. They are resumed below, once: a mutation that is lost
        // twice fails.
        open.retain(|reopening| !inner.mutations.borrow().opens(reopening.version));
        let interrupted = inner.mutations.borrow_mut().take();
        for reopening in open {
            self.reopen(reopening);
        }
        self.resume_mutations(interrupted);
        let (changed, commands) = inner.cache.borrow_mut().worker_lost();
        self.carry_out(commands);
        self.notify(&changed);
    }

    fn reopen(self, reopening: Reopening) {
        let id = reopening.version.id;
        let question = OpenModel {
            version: reopening.version,
            origin: reopening.origin,
            choice: reopening.choice,
        };
        self.run(question, reopening.files, move |event| {
            let failure = match event {
                MutationEvent::Failed(failure) => failure,
                MutationEvent::Chunk(OpenResult::AskWhole(_)) => Failure::new(
                    crate::analysis::FailureKind::Network,
                    "The server no longer sends parts of this model’s files. Open it again.",
                ),
                _ => return,
            };
            let listener = self.inner().listener.borrow().clone();
            if let Some(listener) = listener {
                listener.on_reopening_failure(id, &failure);
            }
        });
    }

    /// Gives up and fails all questions: no worker can be started, or none lives long enough to answer.
    fn give_up(self, loss: Loss) {
        self.inner().link.give_up();
        spawn_local(async move {
            let why = match loss {
                Loss::NotLoaded(reason) => Some(LoadFailure::from_reason(&reason)),
                Loss::NeverHeard => Some(LoadFailure::Silent),
                // Browsers give no reason why a worker's script could not be run, so the script is fetched to find one.
                Loss::Ended | Loss::Silent => {
                    same_origin_files::load(&worker_link::worker_address())
                        .await
                        .err()
                }
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
        self.fail_mutations(failure);
        let changed = inner.cache.borrow_mut().fail_all(failure);
        self.notify(&changed);
        let listener = inner.listener.borrow().clone();
        if let Some(listener) = listener {
            listener.on_failure(None, failure);
        }
    }
}
