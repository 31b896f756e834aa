//! Attention maps of a head before and after its keys are turned.

use super::{prelude::*, retarget_head::TurnableHead};
use crate::{
    analysis::{FailureKind, self_attention::head_attention},
    encoding::Kernels,
    math::{AttentionMask, LowRank, Scores, Tile, Window},
};
use ndarray::Array2;

/// Number of leading positions of a map: cells stay large enough for a shift of one token to be seen.
const MAPPED_POSITIONS: usize = 64;

/// Attention between the first positions before and after the keys are turned, as in [`super::RetargetHead`]. Softmax is
/// over the first 512 positions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetargetedAttention {
    /// The head, of positions alone.
    pub of: HeadId,
    /// Mask of the attention.
    pub cells: AttentionMask,
    /// Number of tokens by which it is to attend further.
    pub shift: i64,
}

/// Maps of the first positions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionChange {
    /// The head as it is.
    pub before: Tile,
    /// The head with turned keys.
    pub after: Tile,
}

impl SingleAnswer for RetargetedAttention {
    /// A sentence instead of maps where the model has no position table or the file no weights.
    type Answer = Result<AttentionChange, String>;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    fn replaces(&self, earlier: &Self) -> bool {
        // While the slider moves, the maps of the last shift stay.
        self.of == earlier.of
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Self::Answer, Failure> {
        match self.maps(context).await {
            Err(failure) if failure.kind == FailureKind::NotThere => Ok(Err(failure.sentence)),
            answer => answer.map(Ok),
        }
    }
}

impl RetargetedAttention {
    async fn maps<H: Host>(
        &self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<AttentionChange, Failure> {
        let of = self.of;
        let (model, input) = (context.session.model_with_input(of.model, of.input)).await?;
        let head = TurnableHead::read(&*model, of, &input, context).await?;
        let queries = head.queries(&*model, of, &input, context).await?;
        let map = async |keys: Array2<f32>| {
            let scores = Scores::Product(LowRank::product(queries.clone(), keys, 0.0), None);
            let drawn = 0..head.n().min(MAPPED_POSITIONS);
            let window = Window {
                rows: drawn.clone(),
                cols: drawn,
            };
            head_attention(&scores, &Kernels::default(), self.cells, window, 1, context).await
        };
        Ok(AttentionChange {
            before: map(head.turn(0).await?.keys).await,
            after: map(head.turn(self.shift).await?.keys).await,
        })
    }
}
