//! Entropy of every head's attention.

use super::prelude::*;
use crate::{
    analysis::{ScoreInput, attention_stats::attention_of_scores, project_layer::HeadRange},
    math::AttentionMask,
};
use futures_util::TryStreamExt;

/// Entropy of the attention of the heads of one layer, or of all layer by layer: a chunk holds some heads of a layer. The attention is that
/// of [`super::HeadAttentionStats`] without kernels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadEntropies {
    /// The model.
    pub of: ModelVersion,
    /// Input of the scores.
    pub input: ScoreInput,
    /// Mask of the attention.
    pub cells: AttentionMask,
    /// The layer from 0; `None` for all. Layers of large models are read from their files again.
    pub layer: Option<usize>,
}

/// Entropy of a head's attention, in bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadEntropy {
    /// Layer, from 0.
    pub layer: usize,
    /// Head of the layer, from 0.
    pub head: usize,
    /// Entropy of a row, −Σ p·log₂ p, averaged over all queries. NaN if a score is not a number.
    pub entropy: f64,
    /// The most it can be: the same mean for even attention to the keys that each query sees.
    pub most: f64,
}

impl Question for HeadEntropies {
    list_answer!(HeadEntropy);
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let (model, input) = (context.session.model_with_input(self.of, self.input)).await?;
        let (layers, _) = model.some_heads(&input)?;
        context.session.forget_other_layers(self.of.id);
        let cells = self.cells;
        let layers = match self.layer {
            Some(layer) => layer..layer + 1,
            None => 0..layers,
        };
        let parts = model.heads_in_parts(&input, layers, context);
        context
            .send_each(parts.map_ok(|part| MeasureEntropy { part, cells }))
            .await
    }
}

/// Forms some heads of a layer if necessary, and computes the entropy of their attention.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct MeasureEntropy {
    part: HeadRange,
    cells: AttentionMask,
}

impl PortableJob for MeasureEntropy {
    type Output = Vec<HeadEntropy>;

    async fn run(self, watch: &impl Progress) -> Result<Vec<HeadEntropy>, LoadError> {
        let Self { part, cells } = self;
        let layer = part.layer;
        let mut entropies = Vec::new();
        for (head, scores) in part.scores() {
            let attention = attention_of_scores(&scores, cells, None, watch).await;
            entropies.push(HeadEntropy {
                layer,
                head,
                entropy: attention.entropy,
                most: most(scores.n(), cells),
            });
        }
        Ok(entropies)
    }
}

/// Mean over n queries of the logarithm of the number of keys that they see.
fn most(n: usize, cells: AttentionMask) -> f64 {
    let bits = (0..n).map(|i| (cells.visible_keys(i, n) as f64).log2());
    bits.sum::<f64>() / n as f64
}
