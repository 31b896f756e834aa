//! Attention of a head of the first layer in four ways (TISA paper, eq. 4).

use super::prelude::*;
use crate::{
    analysis::{AttentionMap, self_attention::four_ways},
    encoding::Kernels,
    math::{AttentionMask, Scores},
};

/// Attention maps of a head of the first layer, in the order of [`crate::analysis::FIRST_LAYER_WAYS`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FirstLayerAttention {
    /// The head, of the first layer.
    pub of: HeadId,
    /// Kernels that are added to the position embeddings or replace them.
    pub kernels: Kernels,
    /// Number of positions.
    pub n: usize,
    /// Mask of the attention.
    pub cells: AttentionMask,
    /// Rows of the word embeddings, one per position; if empty, the mean word at every position.
    pub words: Vec<u32>,
}

impl SingleAnswer for FirstLayerAttention {
    type Answer = Vec<AttentionMap>;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    fn replaces(&self, earlier: &Self) -> bool {
        self.of == earlier.of
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Vec<AttentionMap>, Failure> {
        let model = context.session.model(self.of.model).await?;
        let [with, without] = model
            .first_layer(self.of, self.n, &self.words, context)
            .await?;
        let job = FourWays {
            with,
            without,
            kernels: self.kernels,
            cells: self.cells,
        };
        Ok(context.compute(job).await)
    }
}

/// Softmax with and without position embeddings, with and without kernels.
struct FourWays {
    with: Scores,
    without: Scores,
    kernels: Kernels,
    cells: AttentionMask,
}

impl Job for FourWays {
    type Output = Vec<AttentionMap>;

    async fn run(self, watch: &impl Progress) -> Vec<AttentionMap> {
        four_ways(&self.with, &self.without, &self.kernels, self.cells, watch).await
    }
}
