//! Rotation of a head's queries into its keys.

use super::prelude::*;
use crate::analysis::{RotationDetail, waves::head_rotation};

/// The angles by which a head rotates queries into keys, and the line they lie on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadRotation {
    /// The head, of the table as it is stored or as the model computes it, or over a text.
    pub of: HeadId,
}

impl SingleAnswer for HeadRotation {
    type Answer = Result<RotationDetail, String>;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Result<RotationDetail, String>, Failure> {
        context.find_in_head(self.of, head_rotation).await
    }
}
