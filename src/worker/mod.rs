//! The worker: a session that answers the page's messages. A thin layer that receives messages, reads files, yields to
//! the event loop and sends events.

mod blob_source;
mod fetch;
mod host;
mod pool;

use crate::{
    analysis::{AnswerEvent, Notification, ResponseSink, Session},
    protocol::{FromWorker, ToWorker},
};
pub use blob_source::BlobSource;
use futures_util::future::{AbortHandle, Abortable};
use host::WorkerHost;
use js_sys::Promise;
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent};

/// Abort handles of the questions being answered, by number.
type Running = Rc<RefCell<HashMap<u32, AbortHandle>>>;

/// Answers questions until the worker is terminated.
pub fn start() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    say_when_broken(scope.clone());
    let session = Rc::new(Session::new(WorkerHost::new(
        scope.clone().unchecked_into(),
    )));
    let running = Running::default();
    let port = scope.clone();
    let listen = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        match ToWorker::unpack(&event.data()) {
            None => {}
            Some(ToWorker::Ping) => send(&port, &FromWorker::alive(), None),
            Some(ToWorker::Cancel(number)) => {
                if let Some(handle) = running.borrow_mut().remove(&number) {
                    handle.abort();
                }
            }
            Some(ToWorker::Ask {
                number,
                question,
                files,
            }) => {
                let (handle, registration) = AbortHandle::new_pair();
                running.borrow_mut().insert(number, handle);
                let (session, running) = (Rc::clone(&session), Rc::clone(&running));
                let post = Post::about(number, port.clone());
                let files = files
                    .into_iter()
                    .map(|(name, file)| (name, BlobSource::new(file)))
                    .collect();
                spawn_local(async move {
                    let work = async { session.answer(question, files, &post).await };
                    // An error means that the question was cancelled; there is nothing left to do.
                    let _ = Abortable::new(work, registration).await;
                    running.borrow_mut().remove(&number);
                });
            }
        }
    });
    scope.set_onmessage(Some(listen.as_ref().unchecked_ref()));
    // Keep the listener for the life of the worker.
    listen.forget();
    // Messages sent before the listener was set are lost, so the page waits for this one.
    send(&scope, &FromWorker::ready(), None);
}

/// Reports a panic, which ends this program, so that the page can start another worker.
fn say_when_broken(scope: DedicatedWorkerGlobalScope) {
    // Panic hooks must be `Send`, although there is only one thread.
    let scope = send_wrapper::SendWrapper::new(scope);
    std::panic::set_hook(Box::new(move |info| {
        console_error_panic_hook::hook(info);
        send(&scope, &FromWorker::broken(&info.to_string()), None);
    }));
}

/// Minimum time between two progress events, in milliseconds: a file is read in hundreds of parts, and the page draws a
/// frame for each event.
const BETWEEN_PROGRESS_MS: f64 = 100.0;

/// Sends the events of one question to the page.
struct Post {
    scope: DedicatedWorkerGlobalScope,
    number: u32,
    /// Time of the last progress event.
    said: Cell<f64>,
    /// Progress event that came too soon after it. It is sent before any other event.
    unsaid: RefCell<Option<AnswerEvent>>,
}

impl Post {
    fn about(number: u32, scope: DedicatedWorkerGlobalScope) -> Self {
        Self {
            scope,
            number,
            said: Cell::new(f64::NEG_INFINITY),
            unsaid: RefCell::default(),
        }
    }

    fn post(&self, event: &AnswerEvent) {
        let (message, transferred) = FromWorker::pack_event(self.number, event);
        send(&self.scope, &message, Some(&transferred));
    }
}

impl ResponseSink for Post {
    fn send(&self, event: AnswerEvent) {
        let unsaid = self.unsaid.take();
        if matches!(event, AnswerEvent::News(Notification::Progress { .. })) {
            let now = self.now();
            if now - self.said.get() < BETWEEN_PROGRESS_MS {
                self.unsaid.replace(Some(event));
                return;
            }
            self.said.set(now);
        } else if let Some(progress) = unsaid {
            self.post(&progress);
        }
        self.post(&event);
    }

    fn now(&self) -> f64 {
        self.scope.performance().map_or(0.0, |clock| clock.now())
    }

    /// Yields to the event loop with a message to itself, the only way that browsers do not throttle.
    async fn pause(&self) {
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
}

fn send(scope: &DedicatedWorkerGlobalScope, message: &JsValue, transfer: Option<&js_sys::Array>) {
    let sent = match transfer {
        Some(transfer) => scope.post_message_with_transfer(message, transfer),
        None => scope.post_message(message),
    };
    // Arrays of numbers and buffers can always be cloned, so a failure is a bug.
    debug_assert!(sent.is_ok(), "message refused");
}
