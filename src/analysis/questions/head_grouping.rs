//! Which heads do alike?

use crate::{
    analysis::{
        Compute, Desk, Failure, HeadGroups, Opened, Reply, SingleAnswer, TracesOf, Urgency,
    },
    checkpoint::ByteSource,
    math::{GroupCount, TRACED_POSITIONS},
};
use serde::{Deserialize, Serialize};

/// All heads in groups of like positional attention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadGrouping {
    /// The model.
    pub of: Opened,
    /// How many groups.
    pub count: GroupCount,
    /// What the starts of the clustering are drawn from.
    pub seed: u64,
}

impl SingleAnswer for HeadGrouping {
    type Answer = HeadGroups;
    const URGENCY: Urgency = Urgency::Later;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<HeadGroups, Failure> {
        let model = desk.session.model(self.of).await?;
        let waves = (desk.session.late.waves)().await?;
        let traces = model.traces(desk).await?;
        let of = TracesOf {
            n: model.positions().n().min(TRACED_POSITIONS),
            cells: model
                .model()
                .map_or_else(Default::default, |model| model.cells()),
        };
        Ok(waves.groups(&traces, of, self.count, self.seed))
    }
}
