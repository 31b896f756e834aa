//! Preview of a head's attention, until the full map arrives.

use super::head_attention::{AttentionPart, HeadAttention};
use super::prelude::*;
use crate::{analysis::self_attention::drafted_attention, math::Tile};

/// The map of [`HeadAttention`], computed from the middle query of every row of blocks only. With n positions in b
/// blocks per side it takes b/n of the time. If blocks are single cells, it is the map itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionPreview(pub HeadAttention);

impl SingleAnswer for AttentionPreview {
    type Answer = Tile;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        SingleAnswer::model(&self.0)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<Tile, Failure> {
        let scores = context.session.head(self.0.of, context).await?;
        self.0
            .map(&scores, async |part| {
                Ok(context.compute(Preview(part)).await)
            })
            .await
    }
}

/// Computes the preview of a part of the map.
struct Preview(AttentionPart);

impl Job for Preview {
    type Output = Tile;

    async fn run(self, watch: &impl Progress) -> Tile {
        let Self(part) = self;
        drafted_attention(
            &part.scores,
            &part.kernels,
            part.cells,
            part.window,
            part.step,
            watch,
        )
        .await
    }
}
