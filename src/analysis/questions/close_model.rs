//! Closing a model.

use crate::{
    analysis::{
        AnswerContext, Compute, Failure, ModelId, ModelVersion, ResponseSink, SingleAnswer, Urgency,
    },
    checkpoint::ByteSource,
};
use serde::{Deserialize, Serialize};

/// Closes a model and releases its files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CloseModel {
    /// The model.
    pub id: ModelId,
}

impl SingleAnswer for CloseModel {
    type Answer = ();
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        None
    }

    async fn answer<L: ByteSource, C: Compute, R: ResponseSink>(
        self,
        context: &AnswerContext<'_, Self, L, C, R>,
    ) -> Result<(), Failure> {
        context.session.close(self.id);
        Ok(())
    }
}
