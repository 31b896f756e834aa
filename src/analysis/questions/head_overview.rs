//! One head: its matrix, its profile, and rows cut through it.

use crate::{
    analysis::{
        Compute, Desk, Failure, HeadDetail, HeadId, Opened, Reply, SingleAnswer, Urgency, Watch,
        compute::Job, head::detail,
    },
    checkpoint::ByteSource,
    math::Scores,
};
use serde::{Deserialize, Serialize};

/// What is shown of an open head at once; [`super::HeadDeviations`] come after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadOverview {
    /// The head.
    pub of: HeadId,
}

impl SingleAnswer for HeadOverview {
    type Answer = HeadDetail;
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        Some(self.of.model)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<HeadDetail, Failure> {
        let scores = desk.session.head(self.of, desk).await?;
        let mut detail = desk.compute(Detail(scores)).await;
        let model = desk.session.model(self.of.model).await?;
        detail.kernels = model.kernels_of_head(self.of, desk).await?;
        Ok(detail)
    }
}

/// The head's scores.
struct Detail(Scores);

impl Job for Detail {
    type Output = HeadDetail;

    async fn run(self, _: &impl Watch) -> HeadDetail {
        detail(&self.0)
    }
}
