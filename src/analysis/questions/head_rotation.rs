//! How a head's queries are turned into its keys.

use crate::{
    analysis::{
        Compute, Desk, Failure, FindWaves, HeadId, Opened, Reply, RotationDetail, SingleAnswer,
        Urgency, Watch, compute::Job, wave_matrices::LayerMatrices,
    },
    checkpoint::ByteSource,
};
use serde::{Deserialize, Serialize};

/// The angles by which a head turns queries into keys, and the line they lie on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadRotation {
    /// The head, of the table as it is stored or as the model computes it.
    pub of: HeadId,
}

impl SingleAnswer for HeadRotation {
    type Answer = Result<RotationDetail, String>;
    const URGENCY: Urgency = Urgency::Soon;

    fn about(&self) -> Option<Opened> {
        Some(self.of.model)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Result<RotationDetail, String>, Failure> {
        let model = desk.session.model(self.of.model).await?;
        let matrices = model.matrices_of(self.of, desk).await?;
        let waves = (desk.session.late.waves)().await?;
        Ok(desk.compute(Find(matrices, self.of.head, waves)).await)
    }
}

/// Decomposes the head.
struct Find(LayerMatrices, usize, &'static dyn FindWaves);

impl Job for Find {
    type Output = Result<RotationDetail, String>;

    async fn run(self, _watch: &impl Watch) -> Self::Output {
        self.2
            .rotation(self.0.of_head(self.1))
            .map_err(|why| why.to_string())
    }
}
