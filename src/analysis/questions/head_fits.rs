//! Kernels fitted to every head of a layer or of a model.

use crate::{
    analysis::{
        Compute, Desk, Failure, FitOptions, KernelFit, Late, Opened, PortableJob, Question, Reply,
        Urgency, Watch,
        kernel_fit::{Fitting, refused},
        questions::Fits,
        reading::no_heads,
    },
    checkpoint::ByteSource,
    encoding::MAX_KERNELS,
    late::NotFetched,
    math::Scores,
    model::ScoreMode,
};
use futures_util::TryStreamExt;
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
        let (layers, _) = model.size().ok_or_else(no_heads)?;
        let layers = match self.layer {
            Some(layer) => layer..layer + 1,
            None => 0..layers,
        };
        let heads = model.heads(self.mode, layers, desk);
        let jobs = heads.map_ok(|(place, scores)| FitHead {
            scores,
            place,
            options: self.options,
        });
        let mut fits = desk.spread(jobs);
        while let Some(fit) = fits.try_next().await? {
            desk.send(&fit);
        }
        Ok(())
    }
}

/// A whole search: the kernels of a head, or why there are none.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct FitHead {
    scores: Scores,
    place: (usize, usize),
    options: FitOptions,
}

impl PortableJob for FitHead {
    type Output = Result<KernelFit, String>;

    async fn run(self, late: &Late, watch: &impl Watch) -> Result<Self::Output, NotFetched> {
        let start = (late.fits)().await?;
        let fits = self.scores.fits(&self.scores.plans());
        let mut fitting = match Fitting::new(&fits, &self.options, self.place, start) {
            Ok(fitting) => fitting,
            Err(why) => return Ok(Err(refused(self.place, why))),
        };
        for _ in 0..self.options.kernels.clamp(1, MAX_KERNELS) {
            fitting.step();
            watch.pause().await;
        }
        Ok(Ok(fitting.fit()))
    }
}
