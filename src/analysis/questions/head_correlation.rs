//! How far the scores of two heads correlate.

use super::prelude::*;
use crate::math::AttentionMask;

/// Pearson correlation of two heads' scores over all cells that count, `None` if either head's are constant there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadCorrelation {
    /// The first head.
    pub of: HeadId,
    /// The second head, of the same model.
    pub with: HeadId,
    /// The cells that count.
    pub cells: AttentionMask,
}

impl SingleAnswer for HeadCorrelation {
    type Answer = Option<f64>;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Option<f64>, Failure> {
        let pair = context
            .session
            .head_pair((self.of, self.with), context)
            .await?;
        Ok(pair.correlation(self.cells, context).await)
    }
}
