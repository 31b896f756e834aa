//! A head's queries and keys as waves.

use crate::{
    analysis::{
        AnswerContext, Compute, Failure, HeadId, HeadWaveDetail, ModelVersion, ResponseSink,
        SingleAnswer, Urgency, waves::head_waves,
    },
    checkpoint::ByteSource,
};
use serde::{Deserialize, Serialize};

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

    async fn answer<L: ByteSource, C: Compute, R: ResponseSink>(
        self,
        context: &AnswerContext<'_, Self, L, C, R>,
    ) -> Result<Result<HeadWaveDetail, String>, Failure> {
        context.find_in_head(self.of, head_waves).await
    }
}
