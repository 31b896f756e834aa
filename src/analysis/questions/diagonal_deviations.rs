//! Standard deviation of the cells along each diagonal of the position matrix.

use super::prelude::*;
use crate::{
    analysis::{Similarity, loaded_model::ComparedPositions, reading::deviations},
    math::Profile,
};
use std::rc::Rc;

/// The standard deviation along each diagonal of the position matrix, by offset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiagonalDeviations {
    /// The model.
    pub of: ModelVersion,
    /// Similarity measure.
    pub similarity: Similarity,
}

impl SingleAnswer for DiagonalDeviations {
    type Answer = Profile;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Profile, Failure> {
        let model = context.session.model(self.of).await?;
        let compared = model.compare_positions(self.similarity, context).await?;
        Ok(context.compute(PositionDeviationJob(compared)).await)
    }
}

/// Computes the deviations, forming the matrix a few rows at a time.
struct PositionDeviationJob(Rc<ComparedPositions>);

impl Job for PositionDeviationJob {
    type Output = Profile;

    async fn run(self, watch: &impl Progress) -> Profile {
        deviations(&self.0.p, self.0.fit(), watch).await
    }
}
