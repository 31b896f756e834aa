//! Frequencies in the queries and keys of each layer.

use super::prelude::*;
use crate::analysis::{
    LayerSpectrum, ScoreInput, wave_matrices::LayerMatrices, waves::spectral_maxima,
};
use futures_util::{StreamExt, stream};

/// Frequency-wise maxima of every layer's spectra, one layer per chunk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerSpectra {
    /// The model.
    pub of: ModelVersion,
    /// Input of the layers: the position table as it is stored or as the model computes it, or a text.
    pub input: ScoreInput,
}

impl Question for LayerSpectra {
    list_answer!(LayerSpectrum);
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
            Ok(FindMaxima { matrices, layer })
        });
        context.send_each(jobs).await
    }
}

/// Decomposes the heads of a layer and collects the maxima of their spectra.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct FindMaxima {
    matrices: LayerMatrices,
    layer: usize,
}

impl PortableJob for FindMaxima {
    type Output = Vec<LayerSpectrum>;

    async fn run(self, watch: &impl Progress) -> Result<Vec<LayerSpectrum>, LoadError> {
        let mut spectrum = LayerSpectrum::empty(self.layer);
        for head in 0..self.matrices.heads() {
            spectrum.add(spectral_maxima(self.matrices.of_head(head)).await?);
            watch.pause().await;
        }
        Ok(vec![spectrum])
    }
}
