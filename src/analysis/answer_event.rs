//! Messages of a session in answer to a question.

use super::{ComputeReport, Failure};
use crate::model::Note;
use futures_util::{
    FutureExt,
    future::{LocalBoxFuture, ready},
};
use serde::{Deserialize, Serialize};

/// A message of a session in answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerEvent {
    /// An encoded [`Question::Chunk`](super::Question::Chunk).
    Chunk(Vec<u8>),
    /// Bytes of a file, in order; they are passed on without being decoded.
    Bytes(Vec<u8>),
    /// Any other message.
    News(Notification),
}

/// A message of a session other than a chunk of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Notification {
    /// Progress of reading the model's files.
    Progress {
        /// Bytes read.
        bytes_read: u64,
        /// Total bytes of all files that are available.
        size: u64,
    },
    /// A note about the model, found while reading it.
    Note(Note),
    /// Report of a computation for the answer.
    Computed(ComputeReport),
    /// The answer is complete.
    Done,
    /// There is no answer, or no further chunk of it.
    Failed(Failure),
}

/// Receiver of a session's messages. Its futures are boxed, so that questions need not be generic in it.
pub trait ResponseSink {
    /// Sends a message.
    fn send(&self, event: AnswerEvent);

    /// Lets other tasks run, see [`Progress::pause`](super::Progress::pause). By default there are none.
    fn pause(&self) -> LocalBoxFuture<'_, ()> {
        ready(()).boxed_local()
    }

    /// Milliseconds of a monotonic clock; always zero without a clock.
    fn now(&self) -> f64 {
        0.0
    }
}
