//! Kernels fitted to every head of a layer or of a model.

use crate::{
    analysis::{
        Compute, Desk, Failure, FitOptions, HeadId, KernelFit, Opened, Question, Reply, Urgency,
        Watch,
        compute::Job,
        kernel_fit::{Fitting, refused},
        questions::Fits,
        reading::no_heads,
    },
    checkpoint::ByteSource,
    encoding::MAX_KERNELS,
    model::ScoreMode,
};
use serde::{Deserialize, Serialize};

/// Kernels fitted to every head of a layer or, without one, of a model: a fit at a time, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadFits {
    /// The model.
    pub of: Opened,
    /// Paper's equations or the model's own computation.
    pub mode: ScoreMode,
    /// One layer, or all.
    pub layer: Option<usize>,
    /// How they are fitted.
    pub options: FitOptions,
}

impl Question for HeadFits {
    type Piece = Result<KernelFit, String>;
    type Answer = Fits;
    const URGENCY: Urgency = Urgency::Later;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    fn succeeds(&self, earlier: &Self) -> bool {
        self == earlier
    }

    fn collect(so_far: Option<Self::Answer>, piece: Self::Piece) -> Self::Answer {
        so_far.unwrap_or_default().with(piece)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<(), Failure> {
        let model = desk.session.model(self.of).await?;
        let (layers, heads) = model.size().ok_or_else(no_heads)?;
        let layers = match self.layer {
            Some(layer) => layer..layer + 1,
            None => 0..layers,
        };
        let plans = model.plans();
        let start = (desk.session.late.fits)().await?;
        for layer in layers {
            for head in 0..heads {
                let id = HeadId {
                    model: self.of,
                    mode: self.mode,
                    layer,
                    head,
                };
                let fits = desk.session.head(id, desk).await?.fits(&plans);
                let fit = match Fitting::new(&fits, &self.options, (layer, head), start) {
                    Ok(fitting) => Ok(desk
                        .compute(FitKernels(fitting, self.options.kernels))
                        .await),
                    Err(why) => Err(refused((layer, head), why)),
                };
                desk.send(&fit);
            }
        }
        Ok(())
    }
}

/// A whole search.
struct FitKernels(Fitting, usize);

impl Job for FitKernels {
    type Output = KernelFit;

    async fn run(self, watch: &impl Watch) -> KernelFit {
        let Self(mut fitting, kernels) = self;
        for _ in 0..kernels.clamp(1, MAX_KERNELS) {
            fitting.step();
            watch.pause().await;
        }
        fitting.fit()
    }
}
