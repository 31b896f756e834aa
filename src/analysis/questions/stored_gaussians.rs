//! Centres and widths of the Gaussian heads of a checkpoint.

use super::prelude::*;
use crate::math::PixelHead;

/// Reads the centres and widths that a checkpoint stores for every head, layer by layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredGaussians {
    /// The model.
    pub of: ModelVersion,
}

impl SingleAnswer for StoredGaussians {
    /// The heads, or a sentence that explains why the model stores none.
    type Answer = Result<Vec<Vec<PixelHead>>, String>;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Self::Answer, Failure> {
        let model = context.session.model(self.of).await?;
        let (file, positions) = model.weights_and_model()?;
        let mut layers = Vec::with_capacity(positions.layers);
        for layer in 0..positions.layers {
            let heads = positions.read_gaussian_heads(&file.checkpoint, layer);
            let Some(heads) = heads.await? else {
                return Ok(Err(NO_GAUSSIANS.to_owned()));
            };
            layers.push(heads);
        }
        Ok(Ok(layers))
    }
}

/// An answer, not a failure: a view asks this of every such model, and the page would announce a failure.
const NO_GAUSSIANS: &str = "The heads of this model are not stored as Gaussians. Checkpoints of attention-cnn with attention_centers are.";
