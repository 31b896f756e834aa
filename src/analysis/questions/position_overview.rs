//! How alike are two positions, and how far does that depend on their distance alone?

use crate::{
    analysis::{
        Compute, Desk, Failure, Opened, PositionSummary, Reply, Similarity, SingleAnswer, Urgency,
        Watch, compute::Job, opened::ComparedPositions, positions::summarise,
    },
    checkpoint::ByteSource,
    math::RandomTable,
};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Scores, profile and first picture of the position table, or of what is in its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionOverview {
    /// The model.
    pub of: Opened,
    /// How two positions are compared.
    pub similarity: Similarity,
}

impl SingleAnswer for PositionOverview {
    type Answer = PositionSummary;
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<PositionSummary, Failure> {
        let model = desk.session.model(self.of).await?;
        let compared = model.compared(self.similarity, desk).await?;
        let chance = model.chance(self.similarity);
        let summarise = SummarisePositions(Rc::clone(&compared), chance);
        let summary = desk.compute(summarise).await;
        compared.keep(&summary.fit);
        Ok(summary)
    }
}

/// Fits the matrix and draws it.
struct SummarisePositions(Rc<ComparedPositions>, Option<RandomTable>);

impl Job for SummarisePositions {
    type Output = PositionSummary;

    async fn run(self, _watch: &impl Watch) -> PositionSummary {
        summarise(&self.0.p, self.1)
    }
}
