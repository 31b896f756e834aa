//! Standard deviation of the cells along each of a head's diagonals.

use super::prelude::*;
use crate::{
    analysis::reading::deviations,
    math::{Profile, Scores},
};

/// The standard deviation along each diagonal of an open head's scores, by offset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadDeviations {
    /// The head.
    pub of: HeadId,
}

impl SingleAnswer for HeadDeviations {
    type Answer = Profile;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Profile, Failure> {
        let scores = context.session.head(self.of, context).await?;
        Ok(context.compute(HeadDeviationJob(scores)).await)
    }
}

/// Forms the matrix twice: for the means of its diagonals, and for the deviations from them.
struct HeadDeviationJob(Scores);

impl Job for HeadDeviationJob {
    type Output = Profile;

    async fn run(self, watch: &impl Progress) -> Profile {
        let Self(scores) = self;
        let fits = scores.fits(&scores.plans());
        watch.pause().await;
        deviations(&scores, &fits.fit, watch).await
    }
}
