//! A head's attention in outline, for while the whole is on its way.

use super::head_attention::{AttentionPart, HeadAttention};
use crate::{
    analysis::{
        Compute, Desk, Failure, Opened, Reply, SingleAnswer, Urgency, Watch, compute::Job,
        self_attention::drafted_attention,
    },
    checkpoint::ByteSource,
    math::Tile,
};
use serde::{Deserialize, Serialize};

/// The map of [`HeadAttention`] from the middle query of every row of blocks alone: of n positions in b blocks a side it
/// takes b/n of the time. Where blocks are cells it is the map itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionDraft(pub HeadAttention);

impl SingleAnswer for AttentionDraft {
    type Answer = Tile;
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        self.0.about()
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<Tile, Failure> {
        let scores = desk.session.head(self.0.of, desk).await?;
        self.0
            .map(&scores, async |part| Ok(desk.compute(Draft(part)).await))
            .await
    }
}

/// Softmax of some rows.
struct Draft(AttentionPart);

impl Job for Draft {
    type Output = Tile;

    async fn run(self, watch: &impl Watch) -> Tile {
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
