//! Effect on R² of each correction that can be switched.

use crate::{
    analysis::{
        AnswerContext, Compute, Effect, Failure, ModelVersion, ResponseSink, SingleAnswer, Urgency,
    },
    checkpoint::ByteSource,
};
use serde::{Deserialize, Serialize};

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

    async fn answer<L: ByteSource, C: Compute, R: ResponseSink>(
        self,
        context: &AnswerContext<'_, Self, L, C, R>,
    ) -> Result<Vec<Effect>, Failure> {
        let model = context.session.model(self.of).await?;
        model.effects(context).await
    }
}
