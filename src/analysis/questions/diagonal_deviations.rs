//! How far do the cells of a diagonal stray from its mean?

use crate::{
    analysis::{
        Compute, Desk, Failure, Opened, Reply, Similarity, SingleAnswer, Urgency, Watch,
        compute::Job, opened::ComparedPositions, reading::deviations,
    },
    checkpoint::ByteSource,
    math::Profile,
};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// The standard deviation along each diagonal of the position matrix, by offset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiagonalDeviations {
    /// The model.
    pub of: Opened,
    /// How two positions are compared.
    pub similarity: Similarity,
}

impl SingleAnswer for DiagonalDeviations {
    type Answer = Profile;
    const URGENCY: Urgency = Urgency::Soon;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Profile, Failure> {
        let model = desk.session.model(self.of).await?;
        let compared = model.compared(self.similarity, desk).await?;
        Ok(desk.compute(Deviations(compared)).await)
    }
}

/// Forms the matrix a few rows at a time.
struct Deviations(Rc<ComparedPositions>);

impl Job for Deviations {
    type Output = Profile;

    async fn run(self, watch: &impl Watch) -> Profile {
        deviations(&self.0.p, self.0.fit(), watch).await
    }
}
