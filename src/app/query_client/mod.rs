//! Queries: a view asks a question, and reads the answer, partial or complete, as a signal.
//!
//! The query client owns the page's only question cache (`analysis::Cache`) and the worker that computes answers. Views
//! call [`QueryClient::ask`] and read the returned [`Query`]; they exchange no messages with the worker. The client
//! sends each question once, cancels it when no view needs it any more, and sends it again after the worker was
//! replaced. One-time operations (opening, saving a file) go through [`QueryClient::run`].

pub(super) mod queries_by_model;

mod mutation;
mod query;
mod recovery;
mod worker_link;

pub(super) use mutation::{MutationEvent, NamedFile};
pub(super) use query::{Query, QueryStatus};
pub(super) use recovery::Reopening;
pub(super) use worker_link::meta;

use crate::analysis::{
    Cache, ComputeReport, Device, ErasedQuestion, Failure, Key, ListedQuestion, ModelId,
    Notification, WorkerCommand,
};
use leptos::prelude::*;
use mutation::Mutations;
use query::DisplayedAnswer;
use std::{cell::RefCell, collections::HashMap, rc::Rc};
use worker_link::WorkerLink;

/// Sends questions to the worker. One client serves the whole page and is provided as context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QueryClient(StoredValue<Rc<ClientState>, LocalStorage>);

/// Receives the client's reports other than answers.
pub(super) trait Listener {
    /// Progress in reading a model's files, or a note on it.
    fn on_news(&self, model: ModelId, news: &Notification);
    /// A question has failed; `model` is the model it is about, if any.
    fn on_failure(&self, model: Option<ModelId>, failure: &Failure);
    /// The worker was lost and another one was started.
    fn on_restart(&self);
    /// The new worker could not reopen a model.
    fn on_reopening_failure(&self, model: ModelId, failure: &Failure);
}

struct ClientState {
    cache: RefCell<Cache>,
    /// Notify the effects that follow an answer when it changes.
    triggers: RefCell<HashMap<Key, ArcTrigger>>,
    mutations: RefCell<Mutations>,
    open: RefCell<Vec<Reopening>>,
    link: WorkerLink,
    listener: RefCell<Option<Rc<dyn Listener>>>,
    /// The device that computed last, and its time.
    report: ArcRwSignal<Option<ComputeReport>>,
}

impl std::fmt::Debug for ClientState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientState").finish_non_exhaustive()
    }
}

impl QueryClient {
    /// Starts the worker. Does not wait for it.
    pub(super) fn start() -> Self {
        let client = Self(StoredValue::new_local(Rc::new(ClientState {
            cache: RefCell::default(),
            triggers: RefCell::default(),
            mutations: RefCell::default(),
            open: RefCell::default(),
            link: WorkerLink::default(),
            listener: RefCell::default(),
            report: ArcRwSignal::new(None),
        })));
        client.connect();
        client
    }

    pub(super) fn from_context() -> Self {
        expect_context()
    }

    /// Sets the receiver of reports other than answers.
    pub(super) fn listen(self, listener: impl Listener + 'static) {
        *self.inner().listener.borrow_mut() = Some(Rc::new(listener));
    }

    /// Asks `question`'s value, now and whenever it changes, until the caller's reactive owner is disposed of. `None`
    /// asks nothing.
    pub(super) fn ask<Q: ListedQuestion>(
        self,
        question: impl Fn() -> Option<Q> + Send + Sync + 'static,
    ) -> Query<Q> {
        let question = Signal::derive(move || question().map(ErasedQuestion::new));
        let question = Memo::new(move |_| question.get());
        Query::new(self.follow(question).into(), question.into())
    }

    /// Keeps the current question wanted, releases the previous one, and returns the answers as a signal.
    fn follow(self, question: Memo<Option<ErasedQuestion>>) -> RwSignal<Option<DisplayedAnswer>> {
        let displayed: RwSignal<Option<DisplayedAnswer>> = RwSignal::new(None);
        let current_key: Rc<RefCell<Option<Key>>> = Rc::default();
        let cleanup = send_wrapper::SendWrapper::new(Rc::clone(&current_key));
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
                // The new question is wanted before the old one is released: they may share a cache key.
                (before, Some(now)) => {
                    let key = self.request(&now);
                    (before.map(|(_, key)| key), Some((now, key)))
                }
            };
            *current_key.borrow_mut() = now.as_ref().map(|(_, key)| key.clone());
            if let Some(key) = before {
                self.release(&key);
            }
            let next = now.as_ref().map(|(question, key)| {
                self.trigger(key).track();
                DisplayedAnswer {
                    question: question.clone(),
                    state: self.inner().cache.borrow().state(key),
                }
            });
            query::show(displayed, next);
            now
        });
        displayed
    }

    /// Retries failed questions whose answers are still wanted.
    pub(super) fn retry(self) {
        let (changed, commands) = self.inner().cache.borrow_mut().retry();
        self.carry_out(commands);
        self.notify(&changed);
    }

    /// Drops the answers about a model that was closed or whose options changed.
    pub(super) fn forget(self, model: ModelId) {
        self.inner().cache.borrow_mut().forget(model);
    }

    /// Returns the report on the last computation: the device and its time.
    pub(super) fn compute_report(self) -> Option<ComputeReport> {
        self.inner().report.get()
    }

    fn inner(self) -> Rc<ClientState> {
        self.0.get_value()
    }

    fn request(self, question: &ErasedQuestion) -> Key {
        let (key, commands) = self.inner().cache.borrow_mut().request(question);
        self.carry_out(commands);
        key
    }

    fn release(self, key: &Key) {
        // The client may be disposed of already when the whole page is unmounted.
        let Some(inner) = self.0.try_get_value() else {
            return;
        };
        let commands = inner.cache.borrow_mut().release(key);
        self.carry_out(commands);
        // Another subscriber may follow the same answer, so its trigger stays while the key is wanted.
        if !inner.cache.borrow().is_wanted(key) {
            inner.triggers.borrow_mut().remove(key);
        }
    }

    fn trigger(self, key: &Key) -> ArcTrigger {
        let inner = self.inner();
        let mut triggers = inner.triggers.borrow_mut();
        triggers.entry(key.clone()).or_default().clone()
    }

    fn notify(self, changed: &[Key]) {
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

    fn carry_out(self, commands: Vec<WorkerCommand>) {
        for command in commands {
            match command {
                WorkerCommand::Send(number, question) => {
                    self.post_question(number, question, Vec::new());
                }
                WorkerCommand::Cancel(number) => self.post_cancel(number),
            }
        }
    }

    /// Passes a piece of an answer to the cache, or to a mutation.
    fn receive_chunk(self, number: u32, piece: &[u8]) {
        let changed = self.inner().cache.borrow_mut().receive_chunk(number, piece);
        match changed {
            Some(key) => self.notify(&[key]),
            None => self.forward_chunk(number, piece),
        }
    }

    /// Passes a notification on a question to the report, the listener, the cache or a mutation.
    fn receive_news(self, number: u32, news: Notification) {
        let inner = self.inner();
        if let Notification::Computed(mut computed) = news {
            inner.report.update(|last| {
                // The reason for not using a GPU holds until a GPU computes.
                if computed.by == Device::Cpu && computed.instead.is_none() {
                    computed.instead = last.take().and_then(|last| last.instead);
                }
                *last = Some(computed);
            });
            return;
        }
        let about = inner.cache.borrow().about(number);
        let about = about.or_else(|| inner.mutations.borrow().about(number));
        let listener = inner.listener.borrow().clone();
        if let (
            Notification::Progress { .. } | Notification::Note(_),
            Some(listener),
            Some(about),
        ) = (&news, &listener, about)
        {
            listener.on_news(about.id, &news);
            return;
        }
        let changed = inner.cache.borrow_mut().receive(number, &news);
        match changed {
            Some(key) => {
                self.notify(&[key]);
                if let (Notification::Failed(failure), Some(listener)) = (&news, listener) {
                    listener.on_failure(about.map(|about| about.id), failure);
                }
            }
            None => self.forward_news(number, news),
        }
    }
}
