//! A second program in a worker, for a browser test of `worker-protocol`: it counts.

use js_sys::{Function, Promise};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use worker_protocol::{Attachments, Responder, SilenceLimit, WorkerHandle, WorkerProgram};

/// The program that counts.
#[derive(Debug)]
pub enum CountWorker {}

/// A request to count.
#[derive(Debug, Serialize, Deserialize)]
pub enum CountRequest {
    /// Counts from 1 to a number, and sends the attached buffer back.
    To(u32),
    /// Waits until it is cancelled.
    Wait,
    /// Counts forever, and hears no message any more.
    Forever,
}

/// A number, or the end.
#[derive(Debug, Serialize, Deserialize)]
pub enum CountResponse {
    /// The next number.
    Next(u32),
    /// There are no more numbers.
    Last,
}

impl WorkerProgram for CountWorker {
    const NAME: &'static str = "count";
    type Request = CountRequest;
    type Response = CountResponse;

    fn is_last(response: &CountResponse) -> bool {
        matches!(response, CountResponse::Last)
    }
}

/// Counts on request until the worker is terminated.
#[wasm_bindgen]
pub fn serve_counts() {
    worker_protocol::serve(count);
}

async fn count(request: CountRequest, attachments: Attachments, responder: Responder<CountWorker>) {
    match request {
        CountRequest::To(last) => {
            for number in 1..=last {
                responder.send(&CountResponse::Next(number), &Attachments::new());
            }
            responder.send(&CountResponse::Last, &attachments);
        }
        CountRequest::Wait => std::future::pending().await,
        CountRequest::Forever => loop {
            std::hint::spin_loop();
        },
    }
}

/// Starts the program by the address of its script, and sends it requests, of which the last one never ends. Returns a
/// line for each response and for the loss of the worker.
///
/// # Errors
/// If the worker cannot be started.
#[wasm_bindgen]
pub async fn count_in_worker(address: String) -> Result<String, JsValue> {
    let lines = Rc::<RefCell<Vec<String>>>::default();
    let end = Rc::<RefCell<Option<Function>>>::default();
    let ended = Promise::new(&mut |resolve, _| {
        end.replace(Some(resolve));
    });
    let receive = {
        let lines = Rc::clone(&lines);
        move |number, response, attachments: Attachments| {
            let bytes = attachments.bytes(0).map(|bytes| bytes.to_vec());
            let line = format!("{number}: {response:?} {bytes:?}");
            lines.borrow_mut().push(line);
        }
    };
    let lost = {
        let lines = Rc::clone(&lines);
        move |loss| {
            lines.borrow_mut().push(format!("{loss:?}"));
            if let Some(resolve) = end.take() {
                // Resolving a promise does not throw.
                let _ = resolve.call0(&JsValue::NULL);
            }
        }
    };
    let limit = SilenceLimit::from_seconds(2);
    let worker = WorkerHandle::<CountWorker>::start(&address, Some(limit), receive, lost)?;
    let none = Attachments::new();
    worker.send(1, &CountRequest::To(2), &Attachments::from_bytes(&[3, 4]));
    worker.send(2, &CountRequest::Wait, &none);
    worker.cancel(2);
    worker.send(3, &CountRequest::To(0), &none);
    worker.send(4, &CountRequest::Forever, &none);
    JsFuture::from(ended).await?;
    let lines = lines.borrow().join("\n");
    Ok(lines)
}
