//! Reopening a model with other options: other positions, another number of heads, other corrections.

use super::prelude::*;
use crate::{analysis::OpenResult, model::ModelOptions};

/// Opens a file again with other options, or one that waits for a choice. Any model that is open under the same number
/// stays until this succeeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReopenWithOptions {
    /// Version of the reopened model.
    pub version: ModelVersion,
    /// Options for opening it.
    pub choice: ModelOptions,
}

impl SingleAnswer for ReopenWithOptions {
    type Answer = OpenResult;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.version)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<OpenResult, Failure> {
        let session = context.session;
        let gate = session.gate(self.version.id);
        let _alone = gate.lock().await;
        let file = session.files.borrow().get(&self.version.id).cloned();
        let file = file.ok_or_else(Failure::model_closed)?;
        session
            .open_file(self.version, file, &self.choice, context)
            .await
    }
}
