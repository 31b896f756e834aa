//! The worker: a session that answers the page's messages. Thin; what it knows of the browser is how to
//! receive, read a file, let others run, and send.

mod blob_source;

use crate::{
    analysis::{Answer, Reply, Session},
    wire::{Ask, Tell},
};
use blob_source::BlobSource;
use futures_util::future::{AbortHandle, Abortable};
use js_sys::Promise;
use std::{cell::RefCell, collections::HashMap, rc::Rc};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent};

/// Listens for questions until the page goes away.
pub fn start() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let session = Rc::new(Session::<BlobSource>::default());
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
        let source = ask.file.map(BlobSource::new);
        spawn_local(async move {
            let work = async { session.answer(request, source, &post).await };
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

    fn now(&self) -> f64 {
        self.scope.performance().map_or(0.0, |clock| clock.now())
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
