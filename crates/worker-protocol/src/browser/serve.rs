//! The worker's side: receives requests and runs each as a future that can be cancelled.

use super::{Attachments, PackedMessage, content};
use crate::{Tag, ToWorker, WorkerProgram, decode, encode};
use futures_util::future::{AbortHandle, Abortable};
use js_sys::Array;
use std::{cell::RefCell, collections::HashMap, fmt, marker::PhantomData, rc::Rc};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// Serves the requests of a program until the worker is terminated: calls `answer` with each request, its attachments
/// and the receiver of its responses. If the request is cancelled, the future is dropped. A panic is reported, so that
/// another worker can be started.
pub fn serve<P: WorkerProgram, F: Future<Output = ()> + 'static>(
    answer: impl Fn(P::Request, Attachments, Responder<P>) -> F + 'static,
) {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    report_panics(scope.clone());
    // Abort handles of the requests being answered, by number.
    let running: Rc<RefCell<HashMap<u32, AbortHandle>>> = Rc::default();
    let receive = {
        let scope = scope.clone();
        move |event: MessageEvent| match unpack(&event.data()) {
            None => {}
            Some((ToWorker::Ping, _)) => post(&scope, &control(Tag::Alive)),
            Some((ToWorker::Cancel(number), _)) => {
                if let Some(handle) = running.borrow_mut().remove(&number) {
                    handle.abort();
                }
            }
            Some((ToWorker::Request { number, request }, attachments)) => {
                // A request of another version of the program is ignored.
                let Some(request) = decode::<P::Request>(&request) else {
                    return;
                };
                let (handle, registration) = AbortHandle::new_pair();
                running.borrow_mut().insert(number, handle);
                let work = answer(request, attachments, Responder::new(number, scope.clone()));
                let running = Rc::clone(&running);
                spawn_local(async move {
                    // An error means that the request was cancelled; there is nothing left to do.
                    let _ = Abortable::new(work, registration).await;
                    running.borrow_mut().remove(&number);
                });
            }
        }
    };
    let receive = Closure::<dyn Fn(MessageEvent)>::new(receive);
    scope.set_onmessage(Some(receive.as_ref().unchecked_ref()));
    // Keep the listener for the life of the worker.
    receive.forget();
    // Messages sent before the listener was set are lost, so the other side waits for this one.
    post(&scope, &control(Tag::Ready));
}

/// Sends the responses to one request.
pub struct Responder<P> {
    scope: DedicatedWorkerGlobalScope,
    number: u32,
    program: PhantomData<fn() -> P>,
}

impl<P: WorkerProgram> fmt::Debug for Responder<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple(P::NAME).field(&self.number).finish()
    }
}

impl<P: WorkerProgram> Responder<P> {
    fn new(number: u32, scope: DedicatedWorkerGlobalScope) -> Self {
        Self {
            scope,
            number,
            program: PhantomData,
        }
    }

    /// Sends a response.
    pub fn send(&self, response: &P::Response, attachments: &Attachments) {
        let message = Array::of2(&self.number.into(), &(Tag::Response as u32).into());
        let packed = PackedMessage::with_bytes(message, &encode(response), attachments);
        post(&self.scope, &packed);
    }
}

/// Reports a panic, which ends the program.
fn report_panics(scope: DedicatedWorkerGlobalScope) {
    // Panic hooks must be `Send`, although there is only one thread.
    let scope = send_wrapper::SendWrapper::new(scope);
    std::panic::set_hook(Box::new(move |info| {
        console_error_panic_hook::hook(info);
        let PackedMessage { message, .. } = control(Tag::Broken);
        message.push(&info.to_string().into());
        post(&scope, &PackedMessage::plain(message));
    }));
}

/// A message about the worker itself.
fn control(tag: Tag) -> PackedMessage {
    PackedMessage::plain(Array::of2(&0.into(), &(tag as u32).into()))
}

/// Reads a message and its attachments; `None` if it is malformed.
fn unpack(data: &JsValue) -> Option<(ToWorker, Attachments)> {
    let parts: &Array = data.dyn_ref()?;
    let message = ToWorker::from_parts(parts.get(0).as_f64(), content(&parts.get(1)))?;
    Some((message, Attachments::from_element(parts.get(2))))
}

fn post(scope: &DedicatedWorkerGlobalScope, packed: &PackedMessage) {
    let posted = scope.post_message_with_transfer(&packed.message, &packed.transfer);
    // Arrays of numbers, buffers and files can always be cloned, so a failure is a bug.
    debug_assert!(posted.is_ok(), "message refused");
}
