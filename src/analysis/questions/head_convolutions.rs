//! Which heads attend as a convolution does?

use crate::{
    analysis::{
        AnswerContext, Compute, Failure, LayerConvolutions, LazyParts, ModelVersion, PortableJob,
        Progress, Question, ResponseSink, Urgency,
        head_convolution::{HeadOfLayer, LayerOfHeads, head_convolution},
    },
    checkpoint::ByteSource,
    lazy::LoadError,
    math::{AttentionMask, Scores},
    model::{PositionModel, ScoreMode},
};
use futures_util::{StreamExt, TryStreamExt, stream::TryChunksError};
use serde::{Deserialize, Serialize};
use std::pin::pin;

/// How much of every head's positional attention the offset explains, a layer at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadConvolutions {
    /// The model.
    pub of: ModelVersion,
    /// The paper's equations or the model's own computation.
    pub mode: ScoreMode,
}

impl Question for HeadConvolutions {
    type Chunk = LayerConvolutions;
    type Answer = Vec<LayerConvolutions>;
    const URGENCY: Urgency = Urgency::Later;

    fn about(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    fn collect(so_far: Option<Self::Answer>, piece: Self::Chunk) -> Self::Answer {
        let mut layers = so_far.unwrap_or_default();
        layers.push(piece);
        layers
    }

    async fn answer<L: ByteSource, C: Compute, R: ResponseSink>(
        self,
        context: &AnswerContext<'_, Self, L, C, R>,
    ) -> Result<(), Failure> {
        let model = context.session.model(self.of).await?;
        let (layers, heads) = model.some_heads()?;
        let cells = model
            .model()
            .map_or(AttentionMask::Whole, PositionModel::cells);
        context.session.forget_other_layers(self.of.id);
        let jobs = model.heads(self.mode, 0..layers, context);
        let jobs = jobs.map_ok(|(_, scores)| AttendToOffsets { scores, cells });
        let found = context.spread(jobs).try_chunks(heads);
        let mut found = pin!(
            found
                .map_err(|TryChunksError(_, failure)| failure)
                .enumerate()
        );
        while let Some((layer, row)) = found.next().await {
            let mut of_layer = LayerOfHeads::new(layer, cells);
            row?.into_iter().for_each(|head| of_layer.add(head));
            context.send(&of_layer.finish());
        }
        Ok(())
    }
}

/// Softmax of a head's scores, row by row, and what of it the offset explains.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct AttendToOffsets {
    scores: Scores,
    cells: AttentionMask,
}

impl PortableJob for AttendToOffsets {
    type Output = HeadOfLayer;

    async fn run(self, _: &LazyParts, watch: &impl Progress) -> Result<HeadOfLayer, LoadError> {
        Ok(head_convolution(&self.scores, self.cells, watch).await)
    }
}
