//! Messages between the page and its worker, and between the worker and its helpers.

use crate::analysis::{AnyQuestion, Notification};
use serde::{Deserialize, Serialize};
use worker_protocol::WorkerProgram;

/// The program that answers questions about models.
#[derive(Debug, Clone, Copy)]
pub enum AnalysisWorker {}

impl WorkerProgram for AnalysisWorker {
    const NAME: &'static str = "worker";
    type Request = AnalysisRequest;
    type Response = AnalysisResponse;

    fn is_last(response: &AnalysisResponse) -> bool {
        matches!(
            response,
            AnalysisResponse::News(Notification::Done | Notification::Failed(_))
        )
    }
}

/// A question. The files it is about are the message's attachments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnalysisRequest {
    /// The question itself.
    pub question: AnyQuestion,
    /// Path of each file in the folder that was chosen or dropped, or its name.
    pub paths: Vec<String>,
}

/// A part of the answer to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum AnalysisResponse {
    /// An encoded chunk of the answer, which is the message's attachment.
    Chunk,
    /// Bytes of a file, which are the message's attachment. The page does not read them into its WebAssembly: they are
    /// large, and stay in JavaScript until they are saved.
    Bytes,
    /// Another notification.
    News(Notification),
}
