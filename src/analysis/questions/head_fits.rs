//! Kernels fitted to every head of a layer or of a model.

use super::Fits;
use super::prelude::*;
use crate::{
    analysis::{
        FitOptions, KernelFit, ScoreInput,
        kernel_fit::{add_kernel, current_fit, refusal, start_fit},
        reading::no_heads,
    },
    encoding::MAX_KERNELS,
    math::Scores,
};
use futures_util::TryStreamExt;

/// Fits kernels to every head of a layer or, without one, of a model. Each chunk is a fit, or a sentence that explains
/// why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadFits {
    /// The model.
    pub of: ModelVersion,
    /// Input of the scores.
    pub input: ScoreInput,
    /// The layer; `None` for all layers.
    pub layer: Option<usize>,
    /// Options of the fits.
    pub options: FitOptions,
}

impl Question for HeadFits {
    type Chunk = Result<KernelFit, String>;
    type Answer = Fits;
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    fn replaces(&self, earlier: &Self) -> bool {
        self == earlier
    }

    fn fold(so_far: Option<Self::Answer>, piece: Self::Chunk) -> Self::Answer {
        so_far.unwrap_or_default().with(piece)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let (model, input) = (context.session.model_with_input(self.of, self.input)).await?;
        let (layers, _) = model.size(&input).ok_or_else(no_heads)?;
        let layers = match self.layer {
            Some(layer) => layer..layer + 1,
            None => 0..layers,
        };
        let heads = model.heads(&input, layers, context);
        let jobs = heads.map_ok(|(place, scores)| FitHead::new(scores, place, self.options));
        context.send_each(jobs).await
    }
}

/// Runs the whole search for one head.
#[derive(Clone, Serialize, Deserialize)]
pub(in crate::analysis) struct FitHead {
    scores: Scores,
    place: (usize, usize),
    options: FitOptions,
}

impl FitHead {
    /// The fit to a head's scores; `place` is its layer and head.
    pub(in crate::analysis) fn new(
        scores: Scores,
        place: (usize, usize),
        options: FitOptions,
    ) -> Self {
        Self {
            scores,
            place,
            options,
        }
    }
}

impl PortableJob for FitHead {
    type Output = Result<KernelFit, String>;

    async fn run(self, watch: &impl Progress) -> Result<Self::Output, LoadError> {
        let fits = self.scores.fits(&self.scores.plans());
        let mut fitting = match start_fit(&fits, &self.options, self.place).await? {
            Ok(fitting) => fitting,
            Err(why) => return Ok(Err(refusal(self.place, why))),
        };
        for _ in 0..self.options.kernels.clamp(1, MAX_KERNELS) {
            add_kernel(&mut fitting).await?;
            watch.pause().await;
        }
        Ok(Ok(current_fit(&mut fitting).await?))
    }
}
