//! Handle of a web worker.

use super::{
    Attachments, PackedMessage, content,
    global::{Interval, call_later, when_free},
};
use crate::{
    Connection, FromWorker, Loss, START_GRACE_MS, START_LIMIT_S, SilenceCheck, SilenceLimit,
    WorkerProgram, decode, encode,
};
use js_sys::Array;
use std::{
    cell::{OnceCell, RefCell},
    fmt,
    marker::PhantomData,
    rc::Rc,
};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{ErrorEvent, Event, MessageEvent, Worker, WorkerOptions, WorkerType};

/// A worker that runs the program `P`. It is terminated when this is dropped.
pub struct WorkerHandle<P> {
    link: Rc<WorkerThread>,
    program: PhantomData<fn() -> P>,
}

impl<P: WorkerProgram> fmt::Debug for WorkerHandle<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple(P::NAME).field(&self.link.connection).finish()
    }
}

impl<P: WorkerProgram> WorkerHandle<P> {
    /// Starts a worker by the address of its script. Calls `receive` with each response, its request's number and its
    /// attachments, and `lost` once, when the worker is gone. A worker that sends no message within [`START_LIMIT_S`]
    /// counts as lost, and so does one that exceeds the limit of silence, if there is one.
    ///
    /// # Errors
    /// If the browser cannot start a worker.
    pub fn start(
        address: &str,
        limit: Option<SilenceLimit>,
        receive: impl Fn(u32, P::Response, Attachments) + 'static,
        on_loss: impl Fn(Loss) + 'static,
    ) -> Result<Self, JsValue> {
        let receive = move |link: &WorkerThread, number, response: &[u8], attachments| {
            // A response of another version of the program is ignored.
            if let Some(response) = decode::<P::Response>(response) {
                if P::is_last(&response) {
                    link.connection.borrow_mut().close(number);
                }
                receive(number, response, attachments);
            }
        };
        let link = WorkerThread::start(
            address,
            P::NAME,
            limit,
            Box::new(receive),
            Box::new(on_loss),
        )?;
        Ok(Self {
            link,
            program: PhantomData,
        })
    }

    /// Whether the program has reported that it is ready.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.link.connection.borrow().is_ready()
    }

    /// Sends a request, or queues it until the program is ready. Its number must differ from those of all open
    /// requests.
    pub fn send(&self, number: u32, request: &P::Request, attachments: &Attachments) {
        let message = Array::of1(&number.into());
        let packed = PackedMessage::with_bytes(message, &encode(request), attachments);
        let now = self.link.connection.borrow_mut().open(number, packed);
        self.link.post(now);
    }

    /// Cancels a request: the program stops working on it. Responses may be on their way already.
    pub fn cancel(&self, number: u32) {
        let packed = PackedMessage::plain(Array::of1(&number.into()));
        let now = {
            let mut connection = self.link.connection.borrow_mut();
            connection.close(number);
            connection.post(packed)
        };
        self.link.post(now);
    }
}

impl<P> Drop for WorkerHandle<P> {
    fn drop(&mut self) {
        self.link.connection.borrow_mut().end();
        self.link.stop();
    }
}

/// Receives an encoded response, the number of its request, and its attachments.
type Receive = Box<dyn Fn(&WorkerThread, u32, &[u8], Attachments)>;

/// A worker and the connection to it, whatever its program. No callback is called while the connection is borrowed.
struct WorkerThread {
    worker: Worker,
    /// The worker holds a Web Lock of this unique name while it lives.
    name: String,
    connection: RefCell<Connection<PackedMessage>>,
    checks: OnceCell<Interval>,
    receive: Receive,
    on_loss: Box<dyn Fn(Loss)>,
}

impl WorkerThread {
    fn start(
        address: &str,
        program: &str,
        limit: Option<SilenceLimit>,
        receive: Receive,
        on_loss: Box<dyn Fn(Loss)>,
    ) -> Result<Rc<Self>, JsValue> {
        let name = format!("{program}-{}", js_sys::Math::random());
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        options.set_name(&name);
        let link = Rc::new(Self {
            worker: Worker::new_with_options(address, &options)?,
            name,
            connection: RefCell::new(Connection::new(limit)),
            checks: OnceCell::new(),
            receive,
            on_loss,
        });
        let on_message = {
            let link = Rc::clone(&link);
            Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
                link.receive_message(&event);
            })
        };
        let on_error = {
            let link = Rc::clone(&link);
            Closure::<dyn Fn(Event)>::new(move |event: Event| {
                // An error that is not cancelled propagates to the context that started the worker, and would end that,
                // too.
                event.prevent_default();
                let error = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message);
                let error = error.unwrap_or_else(|| "its script could not be loaded".to_owned());
                web_sys::console::warn_1(&format!("a worker has stopped: {error}").into());
                link.lose(Loss::Ended);
            })
        };
        (link.worker).set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        (link.worker).set_onerror(Some(on_error.as_ref().unchecked_ref()));
        // The closures must live as long as the worker may send messages, and may themselves end it, so they are
        // leaked. A page starts few workers.
        on_message.forget();
        on_error.forget();
        link.watch(limit);
        Ok(link)
    }

    /// Sets the timers by which silence is noticed.
    fn watch(self: &Rc<Self>, limit: Option<SilenceLimit>) {
        let link = Rc::clone(self);
        call_later(START_LIMIT_S * 1000, move || {
            link.check_start();
            call_later(START_GRACE_MS, move || link.check_start());
        });
        let Some(limit) = limit else {
            return;
        };
        let link = Rc::clone(self);
        let checks = Interval::start(limit.interval_ms(), move || {
            let check = link.connection.borrow_mut().check_silence();
            match check {
                SilenceCheck::Fine => {}
                SilenceCheck::Ping => link.post([PackedMessage::plain(Array::new())]),
                SilenceCheck::Lost(loss) => link.lose(loss),
            }
        });
        // There is none yet.
        let _ = self.checks.set(checks);
    }

    fn check_start(&self) {
        let loss = self.connection.borrow_mut().check_start();
        if let Some(loss) = loss {
            self.lose(loss);
        }
    }

    fn receive_message(self: &Rc<Self>, event: &MessageEvent) {
        if self.connection.borrow().is_over() {
            return;
        }
        let (message, attachments) = unpack(&event.data());
        let queued = self.connection.borrow_mut().receive(message.as_ref());
        self.post(queued);
        match message {
            None | Some(FromWorker::Ready | FromWorker::Alive) => {}
            Some(FromWorker::Broken(reason)) => {
                web_sys::console::error_1(&format!("the worker has stopped: {reason}").into());
                self.lose(Loss::Ended);
            }
            Some(FromWorker::NotLoaded(reason)) => self.lose(Loss::NotLoaded(reason)),
            Some(FromWorker::Locked) => {
                let link = Rc::clone(self);
                when_free(&self.name, move || link.lose(Loss::Ended));
            }
            Some(FromWorker::Response { number, response }) => {
                (self.receive)(self, number, &response, attachments);
            }
        }
    }

    /// Reports the worker as lost, once.
    fn lose(&self, loss: Loss) {
        let was_alive = self.connection.borrow_mut().end();
        if was_alive {
            self.clear_checks();
            (self.on_loss)(loss);
        }
    }

    fn post(&self, messages: impl IntoIterator<Item = PackedMessage>) {
        for PackedMessage { message, transfer } in messages {
            let posted = self.worker.post_message_with_transfer(&message, &transfer);
            // Arrays of numbers, buffers and files can always be cloned, so a failure is a bug.
            if posted.is_err() {
                web_sys::console::error_1(&"a message to the worker was refused".into());
            }
        }
    }

    fn clear_checks(&self) {
        if let Some(checks) = self.checks.get() {
            checks.clear();
        }
    }

    fn stop(&self) {
        self.clear_checks();
        self.worker.terminate();
    }
}

/// Reads a message and its attachments.
fn unpack(data: &JsValue) -> (Option<FromWorker>, Attachments) {
    let Some(parts) = data.dyn_ref::<Array>() else {
        return (None, Attachments::new());
    };
    let (number, tag) = (parts.get(0).as_f64(), parts.get(1).as_f64());
    (
        FromWorker::from_parts(number, tag, content(&parts.get(2))),
        Attachments::from_element(parts.get(3)),
    )
}
