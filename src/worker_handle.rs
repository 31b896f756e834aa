//! A worker that was started: it is sent messages once it listens, listened to, and its end is noticed, however it comes.
//!
//! The page starts one and its worker starts helpers, which are the same program.

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

/// A worker, which ends when this is dropped.
#[derive(Debug)]
pub struct WorkerHandle {
    worker: Worker,
    state: Rc<WorkerState>,
}

/// How a worker was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Its program has ended, or its script could not be run.
    Ended,
    /// Its script did not say anything in time.
    Silent,
    /// Its program did not come.
    NotLoaded(LoadFailure),
}

#[derive(Debug, Default)]
struct WorkerState {
    listens: Cell<bool>,
    /// Whether any message has come.
    has_spoken: Cell<bool>,
    /// Once it is over nothing more is heard of it.
    is_over: Cell<bool>,
    /// Messages that were written before it listens.
    early: RefCell<Vec<JsValue>>,
}

impl WorkerHandle {
    /// Starts one. `hear` is called with each message, `lost` once, when the worker is gone. A worker whose script says
    /// nothing within [`PATIENCE_S`] seconds counts as lost; from its first message on, the script watches over what it
    /// loads by itself.
    ///
    /// # Errors
    /// When there can be no worker.
    pub fn start(
        address: &str,
        hear: impl Fn(FromWorker) + 'static,
        lost: impl Fn(Loss) + 'static,
    ) -> Result<Self, JsValue> {
        // The worker holds a lock of its own name for as long as it lives.
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
                // An error that is not cancelled counts as one of the context that started the worker, and would end that, too.
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
        // They listen for as long as the worker may speak, and they may be what ends it; there are few workers in the
        // life of a page.
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

    /// Whether it listens already.
    #[must_use]
    pub fn listens(&self) -> bool {
        self.state.listens.get()
    }

    /// Sends a message, or keeps it until the worker listens.
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
    // Arrays of numbers, buffers and files can always be cloned, so a failure is a bug worth a trace.
    if worker
        .post_message_with_transfer(message, &ToWorker::transferred(message))
        .is_err()
    {
        web_sys::console::error_1(&"a message to the worker was refused".into());
    }
}

/// Calls back after [`PATIENCE_S`] seconds. The page and its workers have different types of clocks, but the function by
/// the same name.
fn after_patience(call: impl FnOnce() + 'static) {
    let clock = Reflect::get(&js_sys::global(), &"setTimeout".into());
    if let Some(set_timeout) = clock.ok().and_then(|it| it.dyn_into::<Function>().ok()) {
        let milliseconds = PATIENCE_S * 1000;
        // Without a clock a silent worker is waited for.
        let _ = set_timeout.call2(
            &js_sys::global(),
            &Closure::once_into_js(call),
            &milliseconds.into(),
        );
    }
}

/// Calls back when a lock is free. Where there are no locks, as on pages that are not served securely, it never does.
fn when_free(name: &str, free: impl FnOnce() + 'static) {
    // Web Locks are not among the stable bindings of `web-sys` yet.
    let member = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok();
    let locks = member(&js_sys::global(), "navigator").and_then(|it| member(&it, "locks"));
    let request = locks.as_ref().and_then(|locks| member(locks, "request"));
    let (Some(locks), Some(request)) = (locks, request) else {
        return;
    };
    let Ok(request) = request.dyn_into::<Function>() else {
        return;
    };
    let asked = request.call2(&locks, &name.into(), &Closure::once_into_js(free));
    if let Some(promise) = asked
        .ok()
        .and_then(|asked| asked.dyn_into::<Promise>().ok())
    {
        // Refused when the page goes away: nobody needs to hear of that.
        let ignore = Closure::<dyn FnMut(JsValue)>::new(|_reason: JsValue| {});
        let _ = promise.catch(&ignore);
        ignore.forget();
    }
}
