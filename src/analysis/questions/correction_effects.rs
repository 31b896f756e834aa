//! Effect on R² of each correction that can be switched.

use super::prelude::*;
use crate::analysis::Effect;

/// R² with and without each correction, all other options unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorrectionEffects {
    /// The model.
    pub of: ModelVersion,
}

impl SingleAnswer for CorrectionEffects {
    type Answer = Vec<Effect>;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Vec<Effect>, Failure> {
        let model = context.session.model(self.of).await?;
        model.effects(context).await
    }
}
