//! Attention of a head of the first layer four ways (TISA paper, eq. 4).

use crate::{
    analysis::{
        AttentionMap, Compute, Desk, Failure, HeadId, Opened, Reply, SingleAnswer, Urgency, Watch,
        compute::Job, self_attention::four_ways,
    },
    checkpoint::ByteSource,
    encoding::Kernels,
    math::{Cells, Scores},
};
use serde::{Deserialize, Serialize};

/// Attention maps of a head of the first layer, in the order of [`crate::analysis::FIRST_LAYER_WAYS`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FirstLayerAttention {
    /// The head, of the first layer.
    pub of: HeadId,
    /// The kernels that are added, or stand instead of the position embeddings.
    pub kernels: Kernels,
    /// How many positions.
    pub n: usize,
    /// Which cells count.
    pub cells: Cells,
    /// Rows of the word embeddings, one a position; with none, the mean word stands everywhere.
    pub words: Vec<u32>,
}

impl SingleAnswer for FirstLayerAttention {
    type Answer = Vec<AttentionMap>;
    const URGENCY: Urgency = Urgency::Soon;

    fn about(&self) -> Option<Opened> {
        Some(self.of.model)
    }

    fn succeeds(&self, earlier: &Self) -> bool {
        self.of == earlier.of
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Vec<AttentionMap>, Failure> {
        let model = desk.session.model(self.of.model).await?;
        let [with, without] = model
            .first_layer(self.of.head, self.n, &self.words, desk)
            .await?;
        let job = FourWays {
            with,
            without,
            kernels: self.kernels,
            cells: self.cells,
        };
        Ok(desk.compute(job).await)
    }
}

/// Softmax with and without position embeddings, with and without kernels.
struct FourWays {
    with: Scores,
    without: Scores,
    kernels: Kernels,
    cells: Cells,
}

impl Job for FourWays {
    type Output = Vec<AttentionMap>;

    async fn run(self, watch: &impl Watch) -> Vec<AttentionMap> {
        four_ways(&self.with, &self.without, &self.kernels, self.cells, watch).await
    }
}
