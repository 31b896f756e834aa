//! A head's queries and keys as waves.

use super::prelude::*;
use crate::analysis::{HeadWaveDetail, waves::head_waves};

/// The redefined queries and keys of a head, and their cross-correlations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadWaves {
    /// The head, of the table as it is stored or as the model computes it, or over a text.
    pub of: HeadId,
}

impl SingleAnswer for HeadWaves {
    type Answer = Result<HeadWaveDetail, String>;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Result<HeadWaveDetail, String>, Failure> {
        context.find_in_head(self.of, head_waves).await
    }
}
