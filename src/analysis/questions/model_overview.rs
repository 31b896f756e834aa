//! Summary of a model for the comparison of several.

use super::prelude::*;
use crate::analysis::{Brief, Similarity};

/// R² of a model's positions, their matrix as block means, and the smoothness of its table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelOverview {
    /// The model.
    pub of: ModelVersion,
    /// Similarity measure.
    pub similarity: Similarity,
}

impl SingleAnswer for ModelOverview {
    type Answer = Brief;
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<Brief, Failure> {
        let model = context.session.model(self.of).await?;
        context.brief(&model, self.similarity).await
    }
}
