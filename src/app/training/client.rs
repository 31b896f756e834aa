//! The client of the program that trains one run.

use super::loss;
use crate::{
    app::query_client::meta,
    training::{TrainerProgram, TrainerRequest, TrainerResponse},
};
use std::{
    cell::{Cell, RefCell},
    fmt,
};
use worker_protocol::{Attachments, Loss, SilenceLimit, WorkerHandle, WorkerProgram};

/// Number of requests for a slice of training that are open at once, so that the program never waits for the page.
const OPEN_SLICES: usize = 2;

/// A worker that trains one run. The program is downloaded when the first one starts, and ends when this is dropped.
pub(super) struct TrainerClient {
    worker: WorkerHandle<TrainerProgram>,
    last_number: Cell<u32>,
    /// Numbers of the open requests for a slice of training.
    slices: RefCell<Vec<u32>>,
}

impl fmt::Debug for TrainerClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TrainerClient").finish_non_exhaustive()
    }
}

impl TrainerClient {
    /// Starts a worker. Calls `receive` with each response, the number of its request, and its attachments, and
    /// `on_loss` once if the worker is lost. `None` if the browser starts no worker.
    pub(super) fn start(
        receive: impl Fn(u32, TrainerResponse, Attachments) + 'static,
        on_loss: impl Fn(Loss) + 'static,
    ) -> Option<Self> {
        let address = meta(TrainerProgram::NAME);
        let address = address.unwrap_or_else(|| format!("{}/start.js", TrainerProgram::NAME));
        let limit = SilenceLimit::from_seconds(loss::SILENCE_LIMIT_S);
        let worker = WorkerHandle::start(&address, Some(limit), receive, on_loss);
        Some(Self {
            worker: worker.ok()?,
            last_number: Cell::new(0),
            slices: RefCell::default(),
        })
    }

    /// Sends a request.
    pub(super) fn send(&self, request: &TrainerRequest, attachments: &Attachments) -> u32 {
        let number = self.last_number.get().wrapping_add(1);
        self.last_number.set(number);
        self.worker.send(number, request, attachments);
        number
    }

    /// Requests slices of training until as many are open as should be.
    pub(super) fn train(&self) {
        while self.slices.borrow().len() < OPEN_SLICES {
            let number = self.send(&TrainerRequest::Train, &Attachments::new());
            self.slices.borrow_mut().push(number);
        }
    }

    /// Takes note that a request is complete.
    pub(super) fn close(&self, number: u32) {
        self.slices.borrow_mut().retain(|open| *open != number);
    }

    /// Cancels the open slices: training stops after the current step.
    pub(super) fn pause(&self) {
        for number in self.slices.take() {
            self.worker.cancel(number);
        }
    }
}
