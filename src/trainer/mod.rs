//! The program that trains, in a worker of its own. A thin layer around [`TrainingSession`]: it receives requests, yields
//! to the event loop between steps, and sends pulses and snapshots. Times decide only how much a pulse reports.

use crate::{
    training::{
        HeldOutEvaluation, SnapshotState, TrainerProgram, TrainerRequest, TrainerResponse,
        TrainingError, TrainingPulse, TrainingSession,
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

/// Greatest share of the time that evaluations between snapshots may take.
const EVALUATION_SHARE: f64 = 0.1;

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
            let (response, attachments) =
                outcome.unwrap_or_else(|sentence| alone(TrainerResponse::Failed(sentence)));
            responder.send(&response, &attachments);
        }
    });
}

/// A response without attachments.
fn alone(response: TrainerResponse) -> (TrainerResponse, Attachments) {
    (response, Attachments::new())
}

/// Answers a request. Returns the last response with its attachments.
async fn answer(
    run: &mut Option<TrainerRun>,
    request: TrainerRequest,
    attachments: &Attachments,
    responder: &Responder<TrainerProgram>,
    scope: WorkerGlobalScope,
) -> Result<(TrainerResponse, Attachments), String> {
    if let TrainerRequest::Start { recipe } = &request {
        *run = None;
        let text = attachments.bytes(0).map(|bytes| bytes.to_vec());
        let recipe = recipe.parse().map_err(|e: TrainingError| e.to_string())?;
        let session = TrainingSession::new(&recipe, &text.unwrap_or_default());
        let session = session.map_err(|error| error.to_string())?;
        let description = session.description();
        *run = Some(TrainerRun::new(session, scope));
        return Ok(alone(TrainerResponse::Started(description)));
    }
    let run = run.as_mut().ok_or(NO_RUN)?;
    let outcome = match request {
        TrainerRequest::Train => run.train(SLICE_MS, responder).await,
        TrainerRequest::Step => run.train(0.0, responder).await,
        TrainerRequest::Snapshot => {
            let snapshot = run.snapshot(responder).await;
            snapshot.map(|()| (run.pulse(0, 0.0), Attachments::new()))
        }
        TrainerRequest::Lengths => {
            return Ok(alone(TrainerResponse::Lengths(run.session.lengths())));
        }
        TrainerRequest::Start { .. } => return Err(NO_RUN.to_owned()),
    };
    outcome
        .map(|(pulse, weights)| (TrainerResponse::Pulse(pulse), weights))
        .map_err(|error| error.to_string())
}

/// A run, and the times of its evaluations.
struct TrainerRun {
    session: TrainingSession,
    scope: WorkerGlobalScope,
    /// Step of the last snapshot.
    last_snapshot: Option<u32>,
    /// Duration of the last evaluation, and the time at which it was complete, in milliseconds.
    last_evaluation: (f64, f64),
}

impl TrainerRun {
    fn new(session: TrainingSession, scope: WorkerGlobalScope) -> Self {
        Self {
            session,
            scope,
            last_snapshot: None,
            last_evaluation: (0.0, 0.0),
        }
    }

    fn now(&self) -> f64 {
        self.scope.performance().map_or(0.0, |clock| clock.now())
    }

    /// Trains for some milliseconds, but at least one step, and takes the snapshots that are due before a step and at the
    /// end of the run. One that is due after the last step is left to the next slice, so that its step is reported first.
    /// A request that is cancelled ends wherever this awaits: between steps, and between the batches of an evaluation.
    async fn train(
        &mut self,
        milliseconds: f64,
        responder: &Responder<TrainerProgram>,
    ) -> Result<(TrainingPulse, Attachments), TrainingError> {
        let start = self.now();
        let (mut steps, mut training_ms) = (0, 0.0);
        while !self.session.is_finished() && (steps == 0 || self.now() - start < milliseconds) {
            self.take_due_snapshot(responder).await?;
            let before = self.now();
            self.session.step()?;
            steps += 1;
            training_ms += self.now() - before;
            yield_to_events().await;
        }
        if self.session.is_finished() {
            self.take_due_snapshot(responder).await?;
        }
        let (duration, end) = self.last_evaluation;
        let is_affordable = (self.now() - end) * EVALUATION_SHARE >= duration;
        let is_new =
            !self.session.is_at_snapshot() && self.last_snapshot != Some(self.session.steps_done());
        let state = match is_affordable && is_new {
            true => Some(Box::new(self.state().await?)),
            false => None,
        };
        let weights = match &state {
            Some(_) => Attachments::from_bytes(&self.session.weights_file()),
            None => Attachments::new(),
        };
        // Losses are taken last: those of a request that is cancelled come with the next one.
        let pulse = TrainingPulse {
            state,
            ..self.pulse(steps, training_ms)
        };
        Ok((pulse, weights))
    }

    /// The losses since the last pulse. `steps` have taken `training_ms`.
    fn pulse(&mut self, steps: u32, training_ms: f64) -> TrainingPulse {
        TrainingPulse {
            step: self.session.steps_done(),
            losses: self.session.take_losses(),
            state: None,
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
        let state = self.state().await?;
        self.last_snapshot = Some(state.step);
        let response = TrainerResponse::Snapshot(Box::new(state));
        let weights = self.session.weights_file();
        responder.send(&response, &Attachments::from_bytes(&weights));
        Ok(())
    }

    /// The state now, with a break after each batch of its evaluation.
    async fn state(&mut self) -> Result<SnapshotState, TrainingError> {
        let start = self.now();
        let mut evaluation = HeldOutEvaluation::default();
        while self.session.evaluate_batch(&mut evaluation) {
            yield_to_events().await;
        }
        let state = self.session.evaluated_state(evaluation);
        let end = self.now();
        self.last_evaluation = (end - start, end);
        state
    }
}
