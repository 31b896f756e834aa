//! The connection to the worker: it is started, sent messages, listened to, and ended here.

use super::Engine;
use crate::wire::{FromWorker, ToWorker};
use js_sys::{Function, Promise, Reflect};
use leptos::prelude::*;
use std::cell::{Cell, RefCell};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

/// The sentence for a page that can have no worker.
pub(super) const CANNOT_START: &str = "The part of this page that computes cannot be started, or stops at once, so models cannot be opened. Load the page again; if that does not help, your browser or an extension of it forbids workers here.";

/// The worker, and the messages that wait until it listens.
#[derive(Default)]
pub(super) struct WorkerLink {
    worker: RefCell<Option<Worker>>,
    listens: Cell<bool>,
    /// Messages that were written before it listens.
    early: RefCell<Vec<JsValue>>,
    /// When its last message came, in milliseconds of the page's clock.
    heard: Cell<f64>,
    /// Counts workers, so that a lost one's last messages are not taken for those of the present one.
    generation: Cell<u32>,
    /// Workers in a row that were lost before they answered anything.
    lost_in_a_row: Cell<u32>,
    given_up: Cell<bool>,
}

impl WorkerLink {
    pub(super) fn heard_now(&self) {
        self.heard.set(now());
    }

    /// Milliseconds since the worker's last message.
    pub(super) fn silent_ms(&self) -> f64 {
        now() - self.heard.get()
    }

    /// Ends the present worker; gives how many in a row have been lost before they answered anything.
    pub(super) fn end(&self) -> u32 {
        if let Some(worker) = self.worker.take() {
            worker.terminate();
        }
        self.early.borrow_mut().clear();
        self.listens.set(false);
        self.lost_in_a_row.set(self.lost_in_a_row.get() + 1);
        self.lost_in_a_row.get()
    }

    pub(super) fn give_up(&self) {
        self.given_up.set(true);
    }
}

fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

impl Engine {
    /// Starts a worker.
    pub(super) fn connect(self) {
        let inner = self.inner();
        let link = &inner.link;
        let generation = link.generation.get() + 1;
        link.generation.set(generation);
        link.heard_now();
        // The worker holds a lock of this name for as long as it lives.
        let name = format!("diagonal-{}-{generation}", js_sys::Math::random());
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(&name);
        let Ok(worker) = Worker::new_with_options(&worker_address(), &options) else {
            // Not at once: whoever starts the engine has not finished yet.
            set_timeout(move || self.lost(generation), std::time::Duration::ZERO);
            return;
        };
        let listen = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(message) = FromWorker::unpack(&event.data()) {
                self.hear(generation, &name, message);
            }
        });
        worker.set_onmessage(Some(listen.as_ref().unchecked_ref()));
        let lost = Closure::<dyn Fn()>::new(move || self.lost(generation));
        worker.set_onerror(Some(lost.as_ref().unchecked_ref()));
        // They listen for as long as the worker may speak; a page has few workers in its life.
        listen.forget();
        lost.forget();
        *link.worker.borrow_mut() = Some(worker);
    }

    fn hear(self, generation: u32, name: &str, message: FromWorker) {
        let inner = self.inner();
        if inner.link.generation.get() != generation {
            return;
        }
        inner.link.heard_now();
        match message {
            FromWorker::Ready => {
                inner.link.listens.set(true);
                self.notice_its_end(generation, name);
                let early = inner.link.early.take();
                for message in early {
                    self.post_message(&message);
                }
            }
            FromWorker::Alive => {}
            FromWorker::Broken(reason) => {
                leptos::logging::error!("the worker has stopped: {reason}");
                self.lost(generation);
            }
            FromWorker::Piece(number, piece) => {
                inner.link.lost_in_a_row.set(0);
                self.hear_piece(number, &piece);
            }
            FromWorker::Bytes(number, bytes) => self.errand_bytes(number, bytes),
            FromWorker::News(number, news) => self.hear_news(number, news),
        }
    }

    /// Notices that a worker is gone, however it went: the lock that it held is free then.
    fn notice_its_end(self, generation: u32, name: &str) {
        // Web Locks are not among the stable bindings of `web-sys` yet.
        let navigator = window().navigator();
        let Ok(locks) = Reflect::get(&navigator, &"locks".into()) else {
            return;
        };
        let request = Reflect::get(&locks, &"request".into()).ok();
        let Some(request) = request.and_then(|request| request.dyn_into::<Function>().ok()) else {
            // Pages that are not served securely have no locks; there a worker that is gone is found by its silence.
            return;
        };
        let free = Closure::once_into_js(move || self.lost(generation));
        let asked = request.call2(&locks, &name.into(), &free);
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

    /// A worker is lost. Where its number is not the present worker's, it was replaced already.
    fn lost(self, generation: u32) {
        if self.inner().link.generation.get() == generation {
            self.worker_lost();
        }
    }

    pub(super) fn post(self, message: &ToWorker) {
        let inner = self.inner();
        if inner.link.given_up.get() {
            if let ToWorker::Ask { .. } = message {
                // Whoever asks is told that nobody answers, as soon as they have finished asking.
                set_timeout(move || self.worker_lost(), std::time::Duration::ZERO);
            }
            return;
        }
        let message = message.pack();
        if inner.link.listens.get() {
            self.post_message(&message);
        } else {
            inner.link.early.borrow_mut().push(message);
        }
    }

    fn post_message(self, message: &JsValue) {
        let inner = self.inner();
        let worker = inner.link.worker.borrow();
        if let Some(worker) = &*worker
            && worker.post_message(message).is_err()
        {
            leptos::logging::error!("a message to the worker was refused");
        }
    }
}

/// The build names the worker by its content and writes the name into the page. Where the page names
/// another Hub than Hugging Face's, that is added to the worker's address.
fn worker_address() -> String {
    let mut address = meta("worker").unwrap_or_else(|| "worker/start.js".to_owned());
    if let Some(hub) = meta("hub") {
        address.push_str("?hub=");
        address.push_str(&String::from(js_sys::encode_uri_component(&hub)));
    }
    address
}

/// What the page says of itself in its head.
pub(in crate::app) fn meta(name: &str) -> Option<String> {
    document()
        .query_selector(&format!("meta[name={name}]"))
        .ok()
        .flatten()
        .and_then(|meta| meta.get_attribute("content"))
        .filter(|content| !content.is_empty())
}
