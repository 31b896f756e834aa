//! How far do the cells of a head's diagonals stray from their mean?

use crate::{
    analysis::{
        Compute, Desk, Failure, HeadId, Opened, Reply, SingleAnswer, Urgency, Watch, compute::Job,
        reading::deviations,
    },
    checkpoint::ByteSource,
    math::{Profile, Scores},
};
use serde::{Deserialize, Serialize};

/// The standard deviation along each diagonal of an open head's scores, by offset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadDeviations {
    /// The head.
    pub of: HeadId,
}

impl SingleAnswer for HeadDeviations {
    type Answer = Profile;
    const URGENCY: Urgency = Urgency::Soon;

    fn about(&self) -> Option<Opened> {
        Some(self.of.model)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Profile, Failure> {
        let scores = desk.session.head(self.of, desk).await?;
        Ok(desk.compute(Deviations(scores)).await)
    }
}

/// Forms the matrix twice: for the means of its diagonals, and for what strays from them.
struct Deviations(Scores);

impl Job for Deviations {
    type Output = Profile;

    async fn run(self, watch: &impl Watch) -> Profile {
        let Self(scores) = self;
        let fits = scores.fits(&scores.plans());
        watch.pause().await;
        deviations(&scores, &fits.fit, watch).await
    }
}
