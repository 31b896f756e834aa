//! Which heads attend as a convolution does?

use crate::{
    analysis::{
        Compute, Desk, Failure, LayerConvolutions, Opened, Question, Reply, Urgency, Watch,
        compute::Job,
        head_convolution::{HeadOfLayer, LayerOfHeads, head_convolution},
    },
    checkpoint::ByteSource,
    math::{Cells, Scores},
    model::{PositionModel, ScoreMode},
};
use serde::{Deserialize, Serialize};

/// How much of every head's positional attention the offset explains, a layer at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadConvolutions {
    /// The model.
    pub of: Opened,
    /// The paper's equations or the model's own computation.
    pub mode: ScoreMode,
}

impl Question for HeadConvolutions {
    type Piece = LayerConvolutions;
    type Answer = Vec<LayerConvolutions>;
    const URGENCY: Urgency = Urgency::Later;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    fn collect(so_far: Option<Self::Answer>, piece: Self::Piece) -> Self::Answer {
        let mut layers = so_far.unwrap_or_default();
        layers.push(piece);
        layers
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<(), Failure> {
        let model = desk.session.model(self.of).await?;
        let (layers, heads) = model.some_heads()?;
        let cells = model.model().map_or(Cells::Whole, PositionModel::cells);
        desk.session.forget_other_layers(self.of.id);
        for layer in 0..layers {
            let scores = model.layer(self.mode, layer, desk).await?;
            let mut found = LayerOfHeads::new(layer, cells);
            for head in 0..heads {
                found.add(desk.compute(Attend(scores.head(head), cells)).await);
                desk.pause().await;
            }
            desk.send(&found.finish());
        }
        Ok(())
    }
}

/// Softmax of a head's scores, row by row.
struct Attend(Scores, Cells);

impl Job for Attend {
    type Output = HeadOfLayer;

    async fn run(self, watch: &impl Watch) -> HeadOfLayer {
        head_convolution(&self.0, self.1, watch).await
    }
}
