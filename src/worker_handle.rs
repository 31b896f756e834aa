//! Handle of a web worker: queues messages until it listens, receives its messages, and notices its end in every case.
//!
//! The page starts one worker, and that worker starts helpers, which run the same program.

use crate::{
    lazy::{LoadFailure, PATIENCE_S},
    protocol::{FromWorker, ToWorker},
};
use js_sys::{Function, Promise, Reflect};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{ErrorEvent, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

/// A worker, terminated when this is dropped.
#[derive(Debug)]
pub struct WorkerHandle {
    worker: Worker,
    state: Rc<WorkerState>,
}

/// Why a worker was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Its program has ended, or its script could not be run.
    Ended,
    /// Its script sent no message in time.
    Silent,
    /// Its program could not be loaded.
    NotLoaded(LoadFailure),
}

#[derive(Debug, Default)]
struct WorkerState {
    listens: Cell<bool>,
    /// Whether any message has arrived.
    has_spoken: Cell<bool>,
    /// Whether it is lost or terminated; later messages are ignored.
    is_over: Cell<bool>,
    /// Messages posted before it listens.
    early: RefCell<Vec<JsValue>>,
}

impl WorkerHandle {
    /// Starts a worker. Calls `hear` with each message, and `lost` once, when the worker is gone. A worker that sends
    /// no message within [`PATIENCE_S`] seconds counts as lost. After its first message, the script itself watches its
    /// downloads.
    ///
    /// # Errors
    /// If the browser cannot start a worker.
    pub fn start(
        address: &str,
        hear: impl Fn(FromWorker) + 'static,
        lost: impl Fn(Loss) + 'static,
    ) -> Result<Self, JsValue> {
        // The worker holds a Web Lock of this unique name while it lives.
        let name = format!("diagonal-{}", js_sys::Math::random());
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(&name);
        let worker = Worker::new_with_options(address, &options)?;
        let state = Rc::<WorkerState>::default();
        let lost = {
            let state = Rc::clone(&state);
            Rc::new(move |loss| {
                if !state.is_over.replace(true) {
                    lost(loss);
                }
            })
        };
        let on_error = {
            let lost = Rc::clone(&lost);
            Closure::<dyn Fn(Event)>::new(move |event: Event| {
                // An error that is not cancelled propagates to the context that started the worker, and would end that,
                // too.
                event.prevent_default();
                let error = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message);
                let error = error.unwrap_or_else(|| "its script could not be loaded".to_owned());
                web_sys::console::warn_1(&format!("a worker has stopped: {error}").into());
                lost(Loss::Ended);
            })
        };
        let on_message = {
            let (worker, state, lost) = (worker.clone(), Rc::clone(&state), Rc::clone(&lost));
            Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
                if state.is_over.get() {
                    return;
                }
                state.has_spoken.set(true);
                match FromWorker::unpack(&event.data()) {
                    None => {}
                    Some(FromWorker::Broken(reason)) => {
                        web_sys::console::error_1(
                            &format!("the worker has stopped: {reason}").into(),
                        );
                        lost(Loss::Ended);
                    }
                    Some(FromWorker::NotLoaded(failure)) => lost(Loss::NotLoaded(failure)),
                    Some(FromWorker::Locked) => {
                        let lost = Rc::clone(&lost);
                        when_free(&name, move || lost(Loss::Ended));
                    }
                    Some(message) => {
                        if matches!(message, FromWorker::Ready) {
                            state.listens.set(true);
                            for message in state.early.take() {
                                post(&worker, &message);
                            }
                        }
                        hear(message);
                    }
                }
            })
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        // The closures must live as long as the worker may send messages, and may themselves end it, so they are
        // leaked. A page starts few workers.
        on_message.forget();
        on_error.forget();
        let silent = {
            let state = Rc::clone(&state);
            move || {
                if !state.has_spoken.get() {
                    lost(Loss::Silent);
                }
            }
        };
        after_patience(silent);
        Ok(Self { worker, state })
    }

    /// Whether the worker has reported that it listens.
    #[must_use]
    pub fn listens(&self) -> bool {
        self.state.listens.get()
    }

    /// Sends a message, or queues it until the worker listens.
    pub fn post(&self, message: &ToWorker) {
        let message = message.pack();
        if self.listens() {
            post(&self.worker, &message);
        } else {
            self.state.early.borrow_mut().push(message);
        }
    }
}

impl Drop for WorkerHandle {
    fn drop(&mut self) {
        self.state.is_over.set(true);
        self.worker.terminate();
    }
}

fn post(worker: &Worker, message: &JsValue) {
    // Arrays of numbers, buffers and files can always be cloned, so a failure is a bug.
    if worker
        .post_message_with_transfer(message, &ToWorker::transferred(message))
        .is_err()
    {
        web_sys::console::error_1(&"a message to the worker was refused".into());
    }
}

/// Calls back after [`PATIENCE_S`] seconds. `setTimeout` is looked up by name, because `web-sys` has different types
/// for the global scopes of pages and workers.
fn after_patience(call: impl FnOnce() + 'static) {
    let clock = Reflect::get(&js_sys::global(), &"setTimeout".into());
    if let Some(set_timeout) = clock.ok().and_then(|it| it.dyn_into::<Function>().ok()) {
        let milliseconds = PATIENCE_S * 1000;
        // Without a timer, a silent worker is never given up.
        let _ = set_timeout.call2(
            &js_sys::global(),
            &Closure::once_into_js(call),
            &milliseconds.into(),
        );
    }
}

/// Calls back when a lock is free. Never calls back where there are no Web Locks, as on insecure pages.
fn when_free(name: &str, free: impl FnOnce() + 'static) {
    // `web-sys` has no stable bindings for Web Locks yet.
    let member = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    let locks = member(&js_sys::global(), "navigator").and_then(|it| member(&it, "locks"));
    let request = locks.as_ref().and_then(|locks| member(locks, "request"));
    let (Some(locks), Some(request)) = (locks, request) else {
        return;
    };
    let Ok(request) = request.dyn_into::<Function>() else {
        return;
    };
    let result = request.call2(&locks, &name.into(), &Closure::once_into_js(free));
    if let Some(promise) = result
        .ok()
        .and_then(|result| result.dyn_into::<Promise>().ok())
    {
        // The promise is rejected when the page closes; ignore that.
        let ignore = Closure::<dyn FnMut(JsValue)>::new(|_reason: JsValue| {});
        let _ = promise.catch(&ignore);
        ignore.forget();
    }
}
