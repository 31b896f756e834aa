//! R² of every head's scores, weighted by attention.

use super::prelude::*;
use crate::{
    analysis::{ScoreInput, WeightedHeadR2, project_layer::HeadRange},
    math::{AttentionMask, attention_r2},
};
use futures_util::TryStreamExt;

/// R² of the scores of all heads, weighted by their attention; see [`attention_r2`]. A chunk holds some heads of a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadAttentionR2 {
    /// The model.
    pub of: ModelVersion,
    /// Input of the scores.
    pub input: ScoreInput,
    /// Mask of the attention.
    pub cells: AttentionMask,
}

impl Question for HeadAttentionR2 {
    list_answer!(WeightedHeadR2);
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let (model, input) = (context.session.model_with_input(self.of, self.input)).await?;
        let (layers, _) = model.some_heads(&input)?;
        context.session.forget_other_layers(self.of.id);
        let cells = self.cells;
        let parts = model.heads_in_parts(&input, 0..layers, context);
        context
            .send_each(parts.map_ok(|part| WeighScores { part, cells }))
            .await
    }
}

/// Forms some heads of a layer if necessary, and computes R² of their scores weighted by attention.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct WeighScores {
    part: HeadRange,
    cells: AttentionMask,
}

impl PortableJob for WeighScores {
    type Output = Vec<WeightedHeadR2>;

    async fn run(self, watch: &impl Progress) -> Result<Vec<WeightedHeadR2>, LoadError> {
        let Self { part, cells } = self;
        let layer = part.layer;
        let mut heads = Vec::new();
        for (head, scores) in part.scores() {
            watch.pause().await;
            let r2 = attention_r2(&scores, cells);
            heads.push(WeightedHeadR2 { layer, head, r2 });
        }
        Ok(heads)
    }
}
