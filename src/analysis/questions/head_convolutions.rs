//! How close the heads of a model are to convolutions.

use super::prelude::*;
use crate::{
    analysis::{
        LayerConvolutions, ScoreInput,
        head_convolution::{HeadOfLayer, LayerOfHeads, head_convolution},
    },
    math::{AttentionMask, Scores},
    model::PositionModel,
};
use futures_util::{StreamExt, TryStreamExt, stream::TryChunksError};
use std::pin::pin;

/// Share of every head's positional attention that the offset explains, one layer per chunk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadConvolutions {
    /// The model.
    pub of: ModelVersion,
    /// Input of the scores.
    pub input: ScoreInput,
}

impl Question for HeadConvolutions {
    list_answer!(LayerConvolutions);
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let (model, input) = (context.session.model_with_input(self.of, self.input)).await?;
        let (layers, heads) = model.some_heads(&input)?;
        let cells = model
            .model()
            .map_or(AttentionMask::Whole, PositionModel::cells);
        context.session.forget_other_layers(self.of.id);
        let jobs = model.heads(&input, 0..layers, context);
        let jobs = jobs.map_ok(|(_, scores)| AttendToOffsets { scores, cells });
        let layer_rows = context.spread(jobs).try_chunks(heads);
        let mut layer_rows = pin!(
            layer_rows
                .map_err(|TryChunksError(_, failure)| failure)
                .enumerate()
        );
        while let Some((layer, row)) = layer_rows.next().await {
            let mut of_layer = LayerOfHeads::new(layer, cells);
            row?.into_iter().for_each(|head| of_layer.add(head));
            context.send(&vec![of_layer.finish()]);
        }
        Ok(())
    }
}

/// Computes the softmax of a head's scores, row by row, and the share of it that the offset explains.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct AttendToOffsets {
    scores: Scores,
    cells: AttentionMask,
}

impl PortableJob for AttendToOffsets {
    type Output = HeadOfLayer;

    async fn run(self, watch: &impl Progress) -> Result<HeadOfLayer, LoadError> {
        Ok(head_convolution(&self.scores, self.cells, watch).await)
    }
}
