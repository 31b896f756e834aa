//! How far do the cells of a diagonal stray from its mean?

use crate::{
    analysis::{
        Compute, Desk, Failure, Opened, Question, Reply, Similarity, Urgency, Watch, compute::Job,
        opened::ComparedPositions, reading::deviations,
    },
    checkpoint::{ByteSource, Fetch},
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

impl Question for DiagonalDeviations {
    type Piece = Profile;
    type Answer = Profile;
    const URGENCY: Urgency = Urgency::Soon;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    fn collect(so_far: Option<Self::Answer>, piece: Self::Piece) -> Self::Answer {
        super::only(so_far, piece)
    }

    async fn answer<L: ByteSource, F: Fetch, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, F, C, R>,
    ) -> Result<(), Failure> {
        let model = desk.session.model(self.of).await?;
        let deviations = desk
            .compute(Deviations(model.compared(self.similarity, desk).await?))
            .await;
        desk.send(&deviations);
        Ok(())
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
