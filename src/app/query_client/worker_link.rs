//! The connection to the worker: starts it, sends and receives messages, and ends it.

use super::{NamedFile, QueryClient};
use crate::{
    analysis::{AnyQuestion, Failure},
    protocol::{AnalysisRequest, AnalysisResponse, AnalysisWorker},
};
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use worker_protocol::{Attachments, Loss, SilenceLimit, WorkerHandle, WorkerProgram};

/// Message if no worker can be started.
pub(super) const CANNOT_START: &str = "The part of this page that computes cannot be started, or stops at once, so models cannot be opened. Load the page again; if that does not help, your browser or an extension of it forbids workers here.";

/// Beginning of the message if the worker could not be loaded; the reason follows.
pub(super) const NOT_LOADED: &str = "The part of this page that computes could not be loaded, so models cannot be opened until the page is loaded again.";

/// Seconds after which a worker that has questions to answer and sends nothing, despite pings, counts as lost.
const SILENCE_LIMIT_S: u32 = 60;

/// The worker and its health.
#[derive(Default)]
pub(super) struct WorkerLink {
    worker: RefCell<Option<WorkerHandle<AnalysisWorker>>>,
    /// Consecutive workers that were lost before they answered anything.
    lost_in_a_row: Cell<u32>,
    given_up: Cell<bool>,
    /// The reason for giving up, once it is known.
    reason: RefCell<Option<Failure>>,
}

impl WorkerLink {
    /// Whether the current worker has reported ready.
    pub(super) fn is_ready(&self) -> bool {
        let worker = self.worker.borrow();
        worker.as_ref().is_some_and(WorkerHandle::is_ready)
    }

    /// Ends the current worker. Returns the number of consecutive workers lost before they answered anything.
    pub(super) fn end(&self) -> u32 {
        drop(self.worker.take());
        self.lost_in_a_row.set(self.lost_in_a_row.get() + 1);
        self.lost_in_a_row.get()
    }

    /// Prevents any further worker from being started.
    pub(super) fn give_up(&self) {
        self.given_up.set(true);
    }

    pub(super) fn has_given_up(&self) -> bool {
        self.given_up.get()
    }

    /// Stores the failure that all later questions get.
    pub(super) fn keep_reason(&self, failure: Failure) {
        *self.reason.borrow_mut() = Some(failure);
    }
}

impl QueryClient {
    /// Starts a worker.
    pub(super) fn connect(self) {
        let inner = self.inner();
        let limit = SilenceLimit::from_seconds(SILENCE_LIMIT_S);
        let worker = WorkerHandle::start(
            &worker_address(),
            Some(limit),
            move |number, response, attachments: Attachments| {
                self.receive(number, response, &attachments);
            },
            move |loss| self.worker_lost(loss),
        );
        match worker {
            Ok(worker) => *inner.link.worker.borrow_mut() = Some(worker),
            Err(_) => self.lose_soon(),
        }
    }

    /// Reports the worker as lost, in a later task: the code that starts the client or asks it is still running.
    fn lose_soon(self) {
        set_timeout(
            move || self.worker_lost(Loss::Ended),
            std::time::Duration::ZERO,
        );
    }

    fn receive(self, number: u32, response: AnalysisResponse, attachments: &Attachments) {
        match (response, attachments.bytes(0)) {
            (AnalysisResponse::Chunk, Some(chunk)) => {
                self.inner().link.lost_in_a_row.set(0);
                self.receive_chunk(number, &chunk.to_vec());
            }
            (AnalysisResponse::Bytes, Some(bytes)) => self.forward_bytes(number, bytes),
            (AnalysisResponse::News(news), _) => self.receive_news(number, news),
            // Both have an attachment.
            (AnalysisResponse::Chunk | AnalysisResponse::Bytes, None) => {}
        }
    }

    pub(super) fn post_question(self, number: u32, question: AnyQuestion, files: Vec<NamedFile>) {
        let inner = self.inner();
        if inner.link.given_up.get() {
            if let Some(reason) = inner.link.reason.borrow().clone() {
                // The question fails right after it was asked. Before the reason is known, it fails with the others.
                set_timeout(
                    move || self.fail_everything(&reason),
                    std::time::Duration::ZERO,
                );
            }
            return;
        }
        if let Some(worker) = &*inner.link.worker.borrow() {
            let (paths, files): (_, Vec<_>) = files.into_iter().unzip();
            let request = AnalysisRequest { question, paths };
            worker.send(number, &request, &Attachments::from_files(&files));
        }
    }

    pub(super) fn post_cancel(self, number: u32) {
        if let Some(worker) = &*self.inner().link.worker.borrow() {
            worker.cancel(number);
        }
    }
}

/// Returns the address of the worker's script. The build names the script by its content and writes the name into the
/// page. If the page names a hub other than Hugging Face's, the address carries it as a parameter.
pub(super) fn worker_address() -> String {
    let mut address = meta(AnalysisWorker::NAME).unwrap_or_else(|| "worker/start.js".to_owned());
    if let Some(hub) = meta("hub") {
        address.push_str("?hub=");
        address.push_str(&String::from(js_sys::encode_uri_component(&hub)));
    }
    address
}

/// Returns the content of one of the page's `<meta>` elements, `None` if it is missing or empty.
pub(in crate::app) fn meta(name: &str) -> Option<String> {
    document()
        .query_selector(&format!("meta[name={name}]"))
        .ok()
        .flatten()
        .and_then(|meta| meta.get_attribute("content"))
        .filter(|content| !content.is_empty())
}
