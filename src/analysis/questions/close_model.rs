//! Closing a model.

use super::prelude::*;
use crate::analysis::ModelId;

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

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        context.session.close(self.id);
        Ok(())
    }
}
