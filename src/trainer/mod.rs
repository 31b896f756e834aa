//! The program that trains, in a worker of its own. A thin layer around [`TrainingSession`]: it receives requests, yields
//! to the event loop between steps, and sends pulses and snapshots. Times decide only how much a pulse reports.

use crate::{
    training::{
        TrainerProgram, TrainerRequest, TrainerResponse, TrainingError, TrainingPulse,
        TrainingReport, TrainingSession,
    },
    worker::yield_to_events,
};
use futures_util::lock::Mutex;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::WorkerGlobalScope;
use worker_protocol::{Attachments, Responder};

/// Least milliseconds of a slice of training: a page that asks for slices gets at most ten pulses a second.
const SLICE_MS: f64 = 100.0;

/// Greatest share of the time that reports between snapshots may take.
const REPORT_SHARE: f64 = 0.1;

/// Sentence about a request without a run, which a page of the same version never sends.
const NO_RUN: &str = "No run has been started.";

/// Answers requests until the worker is terminated.
pub fn start() {
    let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
    // One request at a time, in the order in which they arrive.
    let run: Rc<Mutex<Option<TrainerRun>>> = Rc::default();
    worker_protocol::serve(move |request, attachments, responder| {
        let (run, scope) = (Rc::clone(&run), scope.clone());
        async move {
            let mut run = run.lock().await;
            let outcome = answer(&mut run, request, &attachments, &responder, scope).await;
            let response = outcome.unwrap_or_else(TrainerResponse::Failed);
            responder.send(&response, &Attachments::new());
        }
    });
}

/// Answers a request. Returns the last response.
async fn answer(
    run: &mut Option<TrainerRun>,
    request: TrainerRequest,
    attachments: &Attachments,
    responder: &Responder<TrainerProgram>,
    scope: WorkerGlobalScope,
) -> Result<TrainerResponse, String> {
    if let TrainerRequest::Start { recipe } = &request {
        *run = None;
        let text = attachments.bytes(0).map(|bytes| bytes.to_vec());
        let recipe = recipe.parse().map_err(|e: TrainingError| e.to_string())?;
        let session = TrainingSession::new(&recipe, &text.unwrap_or_default());
        let session = session.map_err(|error| error.to_string())?;
        let description = session.description();
        *run = Some(TrainerRun::new(session, scope));
        return Ok(TrainerResponse::Started(description));
    }
    let run = run.as_mut().ok_or(NO_RUN)?;
    let outcome = match request {
        TrainerRequest::Train => run.train(SLICE_MS, responder).await,
        TrainerRequest::Step => run.train(0.0, responder).await,
        TrainerRequest::Snapshot => run.snapshot(responder).await.map(|()| run.pulse(0, 0.0)),
        TrainerRequest::Lengths => {
            return Ok(TrainerResponse::Lengths(run.session.lengths()));
        }
        TrainerRequest::Start { .. } => return Err(NO_RUN.to_owned()),
    };
    outcome
        .map(TrainerResponse::Pulse)
        .map_err(|error| error.to_string())
}

/// A run, and the times of its reports.
struct TrainerRun {
    session: TrainingSession,
    scope: WorkerGlobalScope,
    /// Step of the last snapshot.
    last_snapshot: Option<u32>,
    /// Duration of the last report, and the time at which it was complete, in milliseconds.
    last_report: (f64, f64),
}

impl TrainerRun {
    fn new(session: TrainingSession, scope: WorkerGlobalScope) -> Self {
        Self {
            session,
            scope,
            last_snapshot: None,
            last_report: (0.0, 0.0),
        }
    }

    fn now(&self) -> f64 {
        self.scope.performance().map_or(0.0, |clock| clock.now())
    }

    /// Trains for some milliseconds, but at least one step, and takes the snapshots that are due.
    async fn train(
        &mut self,
        milliseconds: f64,
        responder: &Responder<TrainerProgram>,
    ) -> Result<TrainingPulse, TrainingError> {
        self.take_due_snapshot(responder).await?;
        let start = self.now();
        let (mut steps, mut training_ms) = (0, 0.0);
        while !self.session.is_finished() && (steps == 0 || self.now() - start < milliseconds) {
            let before = self.now();
            self.session.step()?;
            steps += 1;
            training_ms += self.now() - before;
            self.take_due_snapshot(responder).await?;
            // A request that is cancelled ends here.
            yield_to_events().await;
        }
        let mut pulse = self.pulse(steps, training_ms);
        let (duration, end) = self.last_report;
        let is_new = self.last_snapshot != Some(pulse.step);
        if is_new && (self.now() - end) * REPORT_SHARE >= duration {
            let (report, _) = self.report().await?;
            pulse.report = Some(Box::new(report));
        }
        Ok(pulse)
    }

    /// The losses since the last pulse. `steps` have taken `training_ms`.
    fn pulse(&mut self, steps: u32, training_ms: f64) -> TrainingPulse {
        TrainingPulse {
            step: self.session.steps_done(),
            losses: self.session.take_losses(),
            report: None,
            is_finished: self.session.is_finished(),
            milliseconds_per_step: training_ms / f64::from(steps.max(1)),
        }
    }

    async fn take_due_snapshot(
        &mut self,
        responder: &Responder<TrainerProgram>,
    ) -> Result<(), TrainingError> {
        let is_due = self.session.is_at_snapshot();
        if is_due && self.last_snapshot != Some(self.session.steps_done()) {
            self.snapshot(responder).await?;
        }
        Ok(())
    }

    async fn snapshot(
        &mut self,
        responder: &Responder<TrainerProgram>,
    ) -> Result<(), TrainingError> {
        let (report, weights) = self.report().await?;
        self.last_snapshot = Some(report.step);
        let response = TrainerResponse::Snapshot(Box::new(report));
        responder.send(&response, &Attachments::from_bytes(&weights));
        Ok(())
    }

    /// The state now, and its file of weights.
    async fn report(&mut self) -> Result<(TrainingReport, Vec<u8>), TrainingError> {
        let start = self.now();
        let weights = self.session.weights_file();
        let report = self.session.report(weights.clone()).await?;
        let end = self.now();
        self.last_report = (end - start, end);
        Ok((report, weights))
    }
}
