//! Asking: what a view wants to know becomes a question, and the answer, as far as it has come, is a signal.
//!
//! The engine owns the one cache of questions (`analysis::Cache`) and the worker that answers them. Views call
//! [`QueryClient::ask`] and read the [`Query`] they get; they send nothing and receive nothing. Whatever is
//! asked, the engine sends it once, cancels it when nobody looks at it any more, and asks again when the worker
//! had to be replaced. What is done once (opening, saving a file) goes through [`QueryClient::run`].

pub(in crate::app) mod queries_by_model;

mod mutation;
mod query;
mod recovery;
mod worker_link;

pub(super) use mutation::{MutationEvent, NamedFile};
pub(super) use query::{Query, QueryStatus};
pub(super) use recovery::Reopening;
pub(super) use worker_link::meta;

use crate::analysis::{
    AnyQuestion, Cache, ComputeReport, Device, ErasedQuestion, Failure, Key, ModelId, Notification,
    Question, WorkerCommand,
};
use leptos::prelude::*;
use mutation::Mutations;
use query::DisplayedAnswer;
use std::{cell::RefCell, collections::HashMap, rc::Rc};
use worker_link::WorkerLink;

/// Asks questions. The page has one engine, which every part of it finds in its context.
#[derive(Debug, Clone, Copy)]
pub(super) struct QueryClient(StoredValue<Rc<ClientState>, LocalStorage>);

/// A part of the page that listens to what the engine reports besides answers.
pub(super) trait Listener {
    /// Progress in reading a model's files, or a note on it.
    fn news(&self, model: ModelId, news: &Notification);
    /// A question about a model has failed.
    fn failed(&self, model: Option<ModelId>, failure: &Failure);
    /// The worker was lost and another one was started.
    fn restarted(&self);
    /// A model that was open could not be opened again by the new worker.
    fn not_reopened(&self, model: ModelId, failure: &Failure);
}

struct ClientState {
    cache: RefCell<Cache>,
    /// Tell whoever follows an answer that it has changed.
    triggers: RefCell<HashMap<Key, ArcTrigger>>,
    errands: RefCell<Mutations>,
    open: RefCell<Vec<Reopening>>,
    link: WorkerLink,
    listener: RefCell<Option<Rc<dyn Listener>>>,
    /// Who computed last.
    computed: ArcRwSignal<Option<ComputeReport>>,
}

impl std::fmt::Debug for ClientState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner").finish_non_exhaustive()
    }
}

impl QueryClient {
    /// Starts the worker. The page works without waiting for it.
    pub(super) fn start() -> Self {
        let engine = Self(StoredValue::new_local(Rc::new(ClientState {
            cache: RefCell::default(),
            triggers: RefCell::default(),
            errands: RefCell::default(),
            open: RefCell::default(),
            link: WorkerLink::default(),
            listener: RefCell::default(),
            computed: ArcRwSignal::new(None),
        })));
        engine.connect();
        engine.watch_worker();
        engine
    }

    /// The engine of the page.
    pub(super) fn from_context() -> Self {
        expect_context()
    }

    /// Sets who listens to what is reported besides answers.
    pub(super) fn listen(self, listener: impl Listener + 'static) {
        *self.inner().listener.borrow_mut() = Some(Rc::new(listener));
    }

    /// Asks whatever `question` gives, now and whenever that changes, for as long as the caller's part of the
    /// page is there.
    pub(super) fn ask<Q: Question>(
        self,
        question: impl Fn() -> Option<Q> + Send + Sync + 'static,
    ) -> Query<Q> {
        let question = Signal::derive(move || question().map(ErasedQuestion::new));
        let question = Memo::new(move |_| question.get());
        Query::new(self.follow(question).into(), question.into())
    }

    /// Keeps the present question wanted, lets go of the one before it, and shows the answers that come.
    fn follow(self, question: Memo<Option<ErasedQuestion>>) -> RwSignal<Option<DisplayedAnswer>> {
        let shown: RwSignal<Option<DisplayedAnswer>> = RwSignal::new(None);
        let held: Rc<RefCell<Option<Key>>> = Rc::default();
        let cleanup = send_wrapper::SendWrapper::new(Rc::clone(&held));
        on_cleanup(move || {
            if let Some(key) = cleanup.take().borrow_mut().take() {
                self.release(&key);
            }
        });
        Effect::new(move |before: Option<Option<(ErasedQuestion, Key)>>| {
            let now = question.get();
            let (before, now) = match (before.flatten(), now) {
                (before, None) => (before.map(|(_, key)| key), None),
                (Some((earlier, key)), Some(now)) if earlier == now => (None, Some((now, key))),
                // The new question is wanted before the old one is let go: they may be the same to the cache.
                (before, Some(now)) => {
                    let key = self.want(&now);
                    (before.map(|(_, key)| key), Some((now, key)))
                }
            };
            *held.borrow_mut() = now.as_ref().map(|(_, key)| key.clone());
            if let Some(key) = before {
                self.release(&key);
            }
            let next = now.as_ref().map(|(question, key)| {
                self.trigger(key).track();
                DisplayedAnswer {
                    question: question.clone(),
                    asked: self.inner().cache.borrow().state(key),
                }
            });
            query::show(shown, next);
            now
        });
        shown
    }

    /// Asks again the questions that have failed and whose answers the page still wants.
    pub(super) fn retry(self) {
        let (changed, errands) = self.inner().cache.borrow_mut().retry();
        self.carry_out(errands);
        self.tell(&changed);
    }

    /// Forgets the answers about a model that was closed, or that another choice was made in.
    pub(super) fn forget(self, model: ModelId) {
        self.inner().cache.borrow_mut().forget(model);
    }

    /// Who computed last, and how long it took.
    pub(super) fn computed(self) -> Option<ComputeReport> {
        self.inner().computed.get()
    }

    fn inner(self) -> Rc<ClientState> {
        self.0.get_value()
    }

    fn want(self, question: &ErasedQuestion) -> Key {
        let (key, errands) = self.inner().cache.borrow_mut().want(question);
        self.carry_out(errands);
        key
    }

    fn release(self, key: &Key) {
        // When the page itself goes, the engine may be gone by now.
        let Some(inner) = self.0.try_get_value() else {
            return;
        };
        let errands = inner.cache.borrow_mut().release(key);
        self.carry_out(errands);
        // Somebody else may follow the same answer and must still be told of it.
        if !inner.cache.borrow().is_wanted(key) {
            inner.triggers.borrow_mut().remove(key);
        }
    }

    fn trigger(self, key: &Key) -> ArcTrigger {
        let inner = self.inner();
        let mut triggers = inner.triggers.borrow_mut();
        triggers.entry(key.clone()).or_default().clone()
    }

    fn tell(self, changed: &[Key]) {
        let triggers: Vec<ArcTrigger> = {
            let inner = self.inner();
            let triggers = inner.triggers.borrow();
            changed
                .iter()
                .filter_map(|key| triggers.get(key).cloned())
                .collect()
        };
        for trigger in triggers {
            trigger.notify();
        }
    }

    fn carry_out(self, errands: Vec<WorkerCommand>) {
        for errand in errands {
            match errand {
                WorkerCommand::Send(number, question) => {
                    self.post_question(number, question, Vec::new())
                }
                WorkerCommand::Cancel(number) => self.post_cancel(number),
            }
        }
    }

    /// Takes a piece of an answer.
    fn hear_piece(self, number: u32, piece: &[u8]) {
        let changed = self.inner().cache.borrow_mut().hear_piece(number, piece);
        match changed {
            Some(key) => self.tell(&[key]),
            None => self.errand_piece(number, piece),
        }
    }

    /// Takes news of a question.
    fn hear_news(self, number: u32, news: Notification) {
        let inner = self.inner();
        if let Notification::Computed(mut computed) = news {
            inner.computed.update(|last| {
                // Why there is no GPU holds until there is one.
                if computed.by == Device::Cpu && computed.instead.is_none() {
                    computed.instead = last.take().and_then(|last| last.instead);
                }
                *last = Some(computed);
            });
            return;
        }
        let about = inner.cache.borrow().about(number);
        let about = about.or_else(|| inner.errands.borrow().about(number));
        let listener = inner.listener.borrow().clone();
        if let (
            Notification::Progress { .. } | Notification::Note(_),
            Some(listener),
            Some(about),
        ) = (&news, &listener, about)
        {
            listener.news(about.id, &news);
            return;
        }
        let changed = inner.cache.borrow_mut().hear(number, &news);
        match changed {
            Some(key) => {
                self.tell(&[key]);
                if let (Notification::Failed(failure), Some(listener)) = (&news, listener) {
                    listener.failed(about.map(|about| about.id), failure);
                }
            }
            None => self.errand_news(number, news),
        }
    }

    fn post_question(self, number: u32, question: AnyQuestion, files: Vec<NamedFile>) {
        let message = crate::protocol::ToWorker::Ask {
            number,
            question,
            files,
        };
        self.post(&message);
    }

    fn post_cancel(self, number: u32) {
        self.post(&crate::protocol::ToWorker::Cancel(number));
    }
}
