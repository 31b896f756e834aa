//! Which frequencies do the queries and keys of each layer hold?

use crate::{
    analysis::{
        Compute, Desk, Failure, Late, LayerSpectrum, Opened, PortableJob, Question, Reply, Urgency,
        Watch, wave_matrices::LayerMatrices,
    },
    checkpoint::ByteSource,
    late::NotFetched,
    model::ScoreMode,
};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};

/// The frequency-wise maxima of every layer's spectra, a layer at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerSpectra {
    /// The model.
    pub of: Opened,
    /// The position table as it is stored, or as the model computes it.
    pub mode: ScoreMode,
}

impl Question for LayerSpectra {
    type Piece = LayerSpectrum;
    type Answer = Vec<LayerSpectrum>;
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
        let (layers, _) = model.some_heads()?;
        desk.session.forget_other_layers(self.of.id);
        let (model, mode) = (&model, self.mode);
        let jobs = stream::iter(0..layers).then(|layer| async move {
            let matrices = model.layer_matrices(mode, layer, desk).await?;
            Ok(FindMaxima { matrices, layer })
        });
        let mut found = desk.spread(jobs);
        while let Some(layer) = found.try_next().await? {
            desk.send(&layer);
        }
        Ok(())
    }
}

/// Decomposes the heads of a layer.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct FindMaxima {
    matrices: LayerMatrices,
    layer: usize,
}

impl PortableJob for FindMaxima {
    type Output = LayerSpectrum;

    async fn run(self, late: &Late, watch: &impl Watch) -> Result<LayerSpectrum, NotFetched> {
        let waves = (late.waves)().await?;
        let mut found = LayerSpectrum::empty(self.layer);
        for head in 0..self.matrices.heads() {
            found.add(waves.maxima(self.matrices.of_head(head)));
            watch.pause().await;
        }
        Ok(found)
    }
}
