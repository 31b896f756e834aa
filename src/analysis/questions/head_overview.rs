//! One head: its matrix, its profile, and sections through it.

use super::prelude::*;
use crate::{
    analysis::{HeadDetail, head::detail},
    math::Scores,
};

/// Data of the open head's figures; [`super::HeadDeviations`] follow later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadOverview {
    /// The head.
    pub of: HeadId,
}

impl SingleAnswer for HeadOverview {
    type Answer = HeadDetail;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<HeadDetail, Failure> {
        let of = self.of;
        let (model, input) = (context.session.model_with_input(of.model, of.input)).await?;
        let scores = model.head(of, &input, context).await?;
        let mut detail = context.compute(Detail(scores)).await;
        detail.kernels = model.kernels_of_head(of, &input, context).await?;
        Ok(detail)
    }
}

/// Computes the detail of a head from its scores.
struct Detail(Scores);

impl Job for Detail {
    type Output = HeadDetail;

    async fn run(self, _: &impl Progress) -> HeadDetail {
        detail(&self.0)
    }
}
