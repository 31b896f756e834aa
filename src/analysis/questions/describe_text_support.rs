//! Sizes of a model that matter before a text is run.

use super::prelude::*;
use crate::analysis::TextSupport;

/// Whether and how a model can be run over texts. Fails with the reason if it cannot.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DescribeTextSupport {
    /// The model.
    pub of: ModelVersion,
}

impl SingleAnswer for DescribeTextSupport {
    type Answer = TextSupport;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<TextSupport, Failure> {
        let model = context.session.model(self.of).await?;
        model.text_support().await
    }
}
