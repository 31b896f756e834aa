//! The worker: a session that answers the page's messages. Thin; what it knows of the browser is how to
//! receive, read a file, let others run, and send.

mod blob_source;
mod fetch;

use crate::{
    analysis::{Answer, Reply, Session},
    checkpoint::{HUB, Network},
    wire::{Ask, Tell},
};
pub use blob_source::BlobSource;
pub use fetch::{WorkerFetch, WorkerResponse};
use futures_util::future::{AbortHandle, Abortable};
use js_sys::Promise;
use std::{cell::RefCell, collections::HashMap, rc::Rc};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent};

/// Seconds without a byte after which a server is given up on.
const PATIENCE_S: u32 = 20;

/// Listens for questions until the page goes away.
pub fn start() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let fetch = WorkerFetch::new(scope.clone().unchecked_into(), PATIENCE_S);
    let session = Rc::new(Session::new(Network::new(fetch), hub(&scope)));
    let running: Rc<RefCell<HashMap<u32, AbortHandle>>> = Rc::default();
    let port = scope.clone();
    let listen = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let Some(ask) = Ask::unpack(&event.data()) else {
            return;
        };
        let (handle, registration) = AbortHandle::new_pair();
        if let Some(previous) = running.borrow_mut().insert(ask.channel, handle) {
            previous.abort();
        }
        let Some(request) = ask.request else {
            return;
        };
        let session = Rc::clone(&session);
        let post = Post {
            scope: port.clone(),
            id: ask.id,
        };
        let files = ask.files.into_iter();
        let files = files
            .map(|(name, file)| (name, BlobSource::new(file)))
            .collect();
        spawn_local(async move {
            let work = async { session.answer(request, files, &post).await };
            // Aborted: somebody asked anew on this channel, and waits for that answer instead.
            let _ = Abortable::new(work, registration).await;
        });
    });
    scope.set_onmessage(Some(listen.as_ref().unchecked_ref()));
    // The listener lives as long as the worker.
    listen.forget();
    // Messages sent before now are lost, so the page waits for this one.
    send(&scope, &JsValue::NULL, None);
}

/// The Hub's origin: what the worker's own address names, which is how tests bring another.
fn hub(scope: &DedicatedWorkerGlobalScope) -> String {
    let query = scope.location().search();
    let mut pairs = form_urlencoded::parse(query.trim_start_matches('?').as_bytes());
    let named = pairs.find(|(key, _)| key == "hub");
    named.map_or_else(|| HUB.to_owned(), |(_, hub)| hub.into_owned())
}

/// Sends answers of one question.
struct Post {
    scope: DedicatedWorkerGlobalScope,
    id: u32,
}

impl Reply for Post {
    fn send(&self, answer: Answer) {
        let (message, transfer) = Tell {
            id: self.id,
            answer,
        }
        .pack();
        send(&self.scope, &message, Some(&transfer));
    }

    /// A message to oneself: the one way back to the event loop that browsers do not slow down.
    async fn pause(&self) {
        let promise = Promise::new(&mut |resolve, _| {
            let Ok(channel) = MessageChannel::new() else {
                let _ = resolve.call0(&JsValue::NULL);
                return;
            };
            channel.port1().set_onmessage(Some(&resolve));
            // Posting null cannot fail; if it did, the promise must still be kept.
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
    // Arrays of numbers and buffers can always be cloned, so a failure is a bug worth a trace.
    debug_assert!(sent.is_ok(), "message refused");
}
