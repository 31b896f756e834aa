//! A receiver of messages that puts an answer together.

use super::{AnswerEvent, Failure, Question, ResponseSink};
use std::cell::RefCell;

/// The chunks of an answer that have arrived.
pub(super) struct CollectedAnswer<Q: Question>(RefCell<Option<Q::Answer>>);

impl<Q: Question> Default for CollectedAnswer<Q> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<Q: Question> CollectedAnswer<Q> {
    /// The answer.
    ///
    /// # Errors
    /// If no chunk has arrived.
    pub(super) fn into_answer(self) -> Result<Q::Answer, Failure> {
        let answer = self.0.into_inner();
        answer.ok_or_else(|| Failure::not_there("The question has no answer."))
    }
}

impl<Q: Question> ResponseSink for CollectedAnswer<Q> {
    fn send(&self, event: AnswerEvent) {
        // The context has encoded the chunk a moment ago.
        if let AnswerEvent::Chunk(bytes) = event
            && let Ok(chunk) = postcard::from_bytes::<Q::Chunk>(&bytes)
        {
            let so_far = self.0.take();
            self.0.replace(Some(Q::fold(so_far, chunk)));
        }
    }
}
