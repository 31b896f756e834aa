//! The worker: a session that answers the page's messages. A thin layer that receives messages, reads files, yields to
//! the event loop and sends events.

mod blob_source;
mod fetch;
mod host;
mod model_storage;
mod pool;

use crate::{
    analysis::{AnswerEvent, Notification, ResponseSink, Session},
    protocol::{AnalysisRequest, AnalysisResponse, AnalysisWorker},
};
pub use blob_source::BlobSource;
use futures_util::{FutureExt, future::LocalBoxFuture};
use host::WorkerHost;
use js_sys::Promise;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageChannel, WorkerGlobalScope};
use worker_protocol::{Attachments, Responder};

/// Answers questions until the worker is terminated.
pub fn start() {
    let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
    let session = Rc::new(Session::new(WorkerHost::new(scope.clone())));
    worker_protocol::serve(move |request: AnalysisRequest, attachments, responder| {
        let (session, post) = (Rc::clone(&session), Post::new(responder, scope.clone()));
        let files = (request.paths.into_iter())
            .zip(attachments.files())
            .map(|(path, file)| (path, BlobSource::new(file)))
            .collect();
        async move { session.answer(request.question, files, &post).await }
    });
}

/// Minimum time between two progress events, in milliseconds: a file is read in hundreds of parts, and the page draws a
/// frame for each event.
const BETWEEN_PROGRESS_MS: f64 = 100.0;

/// Sends the events of one question to the page.
struct Post {
    responder: Responder<AnalysisWorker>,
    scope: WorkerGlobalScope,
    /// Time of the last progress event.
    last_progress: Cell<f64>,
    /// Progress event that came too soon after the last one. It is sent before any other event.
    delayed_progress: RefCell<Option<AnswerEvent>>,
}

impl Post {
    fn new(responder: Responder<AnalysisWorker>, scope: WorkerGlobalScope) -> Self {
        Self {
            responder,
            scope,
            last_progress: Cell::new(f64::NEG_INFINITY),
            delayed_progress: RefCell::default(),
        }
    }

    fn post(&self, event: AnswerEvent) {
        let (response, attachments) = match event {
            AnswerEvent::Chunk(chunk) => (AnalysisResponse::Chunk, Attachments::from_bytes(&chunk)),
            AnswerEvent::Bytes(bytes) => (AnalysisResponse::Bytes, Attachments::from_bytes(&bytes)),
            AnswerEvent::News(news) => (AnalysisResponse::News(news), Attachments::new()),
        };
        self.responder.send(&response, &attachments);
    }
}

impl ResponseSink for Post {
    fn send(&self, event: AnswerEvent) {
        let delayed_progress = self.delayed_progress.take();
        if matches!(event, AnswerEvent::News(Notification::Progress { .. })) {
            let now = self.now();
            if now - self.last_progress.get() < BETWEEN_PROGRESS_MS {
                self.delayed_progress.replace(Some(event));
                return;
            }
            self.last_progress.set(now);
        } else if let Some(progress) = delayed_progress {
            self.post(progress);
        }
        self.post(event);
    }

    fn now(&self) -> f64 {
        self.scope.performance().map_or(0.0, |clock| clock.now())
    }

    fn pause(&self) -> LocalBoxFuture<'_, ()> {
        yield_to_events().boxed_local()
    }
}

/// Yields to the event loop with a message to itself, the only way that browsers do not throttle.
pub(crate) async fn yield_to_events() {
    let promise = Promise::new(&mut |resolve, _| {
        let Ok(channel) = MessageChannel::new() else {
            let _ = resolve.call0(&JsValue::NULL);
            return;
        };
        channel.port1().set_onmessage(Some(&resolve));
        // Posting null cannot fail; if it did, the promise must still be resolved.
        if channel.port2().post_message(&JsValue::NULL).is_err() {
            let _ = resolve.call0(&JsValue::NULL);
        }
    });
    let _ = JsFuture::from(promise).await;
}
