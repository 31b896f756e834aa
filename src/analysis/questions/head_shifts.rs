//! The shift from queries to keys of every head.

use super::prelude::*;
use crate::{
    analysis::{
        RotationDetail, ScoreInput,
        wave_matrices::LayerMatrices,
        waves::{head_rotation, load_waves},
    },
    math::PhaseLine,
};
use futures_util::{StreamExt, stream};

/// The line through the angles of every head's rotation, layer by layer: a chunk holds the heads of a layer. The numbers
/// are those of [`super::HeadRotation`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadShifts {
    /// The model.
    pub of: ModelVersion,
    /// Input of the heads: the position table as it is stored or as the model computes it, or a text.
    pub input: ScoreInput,
}

/// A head with its shift.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadShift {
    /// Layer, from 0.
    pub layer: usize,
    /// Head of the layer, from 0.
    pub head: usize,
    /// The best shift, or a sentence on why the head has no rotation.
    pub best: Result<BestShift, String>,
}

/// The shift that describes the angles of a head's rotation best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestShift {
    /// The line; `None` if nothing varies along position.
    pub line: Option<PhaseLine>,
    /// Δ in tokens, if one shift describes the head, see [`RotationDetail::shift`].
    pub delta: Option<f64>,
    /// Offset at which the scores, summed along their diagonals, are greatest.
    pub peak: i64,
}

impl From<&RotationDetail> for BestShift {
    fn from(rotation: &RotationDetail) -> Self {
        Self {
            line: rotation.line,
            delta: rotation.shift(),
            peak: rotation.peak,
        }
    }
}

impl Question for HeadShifts {
    list_answer!(HeadShift);
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let (model, input) = (context.session.model_with_input(self.of, self.input)).await?;
        let (layers, _) = model.some_heads(&input)?;
        context.session.forget_other_layers(self.of.id);
        let (model, input) = (&model, &input);
        let jobs = stream::iter(0..layers).then(|layer| async move {
            let matrices = model.layer_matrices(input, layer, context).await?;
            Ok(FindShifts { matrices, layer })
        });
        context.send_each(jobs).await
    }
}

/// Finds the rotations of the heads of a layer.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct FindShifts {
    matrices: LayerMatrices,
    layer: usize,
}

impl PortableJob for FindShifts {
    type Output = Vec<HeadShift>;

    async fn run(self, watch: &impl Progress) -> Result<Vec<HeadShift>, LoadError> {
        load_waves().await?;
        let mut shifts = Vec::new();
        for head in 0..self.matrices.heads() {
            let rotation = head_rotation(self.matrices.of_head(head)).await?;
            shifts.push(HeadShift {
                layer: self.layer,
                head,
                best: match rotation {
                    Ok(rotation) => Ok(BestShift::from(&rotation)),
                    Err(why) => Err(why.to_string()),
                },
            });
            watch.pause().await;
        }
        Ok(shifts)
    }
}
