//! Predictions of tokens at positions of a text.

use super::prelude::*;
use crate::analysis::{TextId, TokenPrediction};

/// Predictions at some positions of a text that has passed the whole model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PredictTokens {
    /// The model.
    pub of: ModelVersion,
    /// The text.
    pub text: TextId,
    /// The positions.
    pub positions: Vec<usize>,
}

impl SingleAnswer for PredictTokens {
    type Answer = Vec<TokenPrediction>;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    fn replaces(&self, earlier: &Self) -> bool {
        (self.of, self.text) == (earlier.of, earlier.text)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Vec<TokenPrediction>, Failure> {
        let text = context.session.text_runs.text(self.of, self.text)?;
        let model = context.session.model(self.of).await?;
        model.predict_tokens(&text, &self.positions, context).await
    }
}
