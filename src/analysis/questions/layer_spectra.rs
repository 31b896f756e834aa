//! Which frequencies do the queries and keys of each layer hold?

use crate::{
    analysis::{
        Compute, Desk, Failure, FindWaves, HeadId, LayerSpectrum, Opened, Question, Reply, Urgency,
        Watch, compute::Job, wave_matrices::HeadMatrices,
    },
    checkpoint::ByteSource,
    math::NoWaves,
    model::ScoreMode,
};
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
        let (layers, heads) = model.some_heads()?;
        let waves = (desk.session.late.waves)().await?;
        desk.session.forget_other_layers(self.of.id);
        for layer in 0..layers {
            let mut found = LayerSpectrum::empty(layer);
            for head in 0..heads {
                let id = HeadId {
                    model: self.of,
                    mode: self.mode,
                    layer,
                    head,
                };
                let matrices = model.head_matrices(id, desk).await?;
                found.add(desk.compute(Maxima(matrices, waves)).await);
                desk.pause().await;
            }
            desk.send(&found);
        }
        Ok(())
    }
}

/// Decomposes a head.
struct Maxima(HeadMatrices, &'static dyn FindWaves);

impl Job for Maxima {
    type Output = Result<[Vec<f64>; 2], NoWaves>;

    async fn run(self, _watch: &impl Watch) -> Self::Output {
        self.1.maxima(self.0.input())
    }
}
