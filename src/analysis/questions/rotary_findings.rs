//! Findings about the configuration of a rotary model.

use super::prelude::*;
use crate::model::rotary_findings::{Finding, check_file};

/// Findings about the configuration of a model, faults first; none for models that are not rotary.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RotaryFindings {
    /// The model.
    pub of: ModelVersion,
}

impl SingleAnswer for RotaryFindings {
    type Answer = Vec<Finding>;
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Vec<Finding>, Failure> {
        let model = context.session.model(self.of).await?;
        let Ok((file, positions)) = model.weights_and_model() else {
            return Ok(Vec::new());
        };
        context.pause().await;
        let description = positions.rotary();
        if description.is_none() && positions.patch_rotation().is_some() {
            // The checks are those of models for texts.
            return Ok(Vec::new());
        }
        Ok(check_file(file.config.as_ref(), description, &file.checkpoint).await)
    }
}
