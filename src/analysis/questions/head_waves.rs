//! A head's queries and keys as waves.

use crate::{
    analysis::{
        Compute, Desk, Failure, FindWaves, HeadId, HeadWaveDetail, Opened, Reply, SingleAnswer,
        Urgency, Watch, compute::Job, wave_matrices::LayerMatrices,
    },
    checkpoint::ByteSource,
};
use serde::{Deserialize, Serialize};

/// The redefined queries and keys of a head, and their cross-correlations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadWaves {
    /// The head, of the table as it is stored or as the model computes it.
    pub of: HeadId,
}

impl SingleAnswer for HeadWaves {
    type Answer = Result<HeadWaveDetail, String>;
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        Some(self.of.model)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Result<HeadWaveDetail, String>, Failure> {
        let model = desk.session.model(self.of.model).await?;
        let matrices = model.matrices_of(self.of, desk).await?;
        let waves = (desk.session.late.waves)().await?;
        Ok(desk.compute(Find(matrices, self.of.head, waves)).await)
    }
}

/// Decomposes the head.
struct Find(LayerMatrices, usize, &'static dyn FindWaves);

impl Job for Find {
    type Output = Result<HeadWaveDetail, String>;

    async fn run(self, _watch: &impl Watch) -> Self::Output {
        self.2
            .head(self.0.of_head(self.1))
            .map_err(|why| why.to_string())
    }
}
