//! Kernels fitted to the open head, with one more each.

use crate::{
    analysis::{
        AnswerContext, Compute, Failure, FitOptions, HeadId, KernelFit, ModelVersion, Progress,
        Question, ResponseSink, Urgency,
        compute::Job,
        kernel_fit::{IncrementalFit, most_kernels, refused},
    },
    checkpoint::ByteSource,
};
use serde::{Deserialize, Serialize};

/// Kernels fitted to a head: as many as the options say, or as its offsets can decide, first; then 1, 2, … up to as
/// many as they can decide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadFit {
    /// The head.
    pub of: HeadId,
    /// How they are fitted.
    pub options: FitOptions,
}

impl Question for HeadFit {
    type Chunk = Result<KernelFit, String>;
    type Answer = Fits;
    const URGENCY: Urgency = Urgency::Soon;

    fn about(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    /// Kernels of another head, or found otherwise, are no kernels of this one.
    fn succeeds(&self, earlier: &Self) -> bool {
        self == earlier
    }

    fn collect(so_far: Option<Self::Answer>, piece: Self::Chunk) -> Self::Answer {
        so_far.unwrap_or_default().with(piece)
    }

    async fn answer<L: ByteSource, C: Compute, R: ResponseSink>(
        self,
        context: &AnswerContext<'_, Self, L, C, R>,
    ) -> Result<(), Failure> {
        let scores = context.session.head(self.of, context).await?;
        let fits = scores.fits(&scores.plans());
        let place = (self.of.layer, self.of.head);
        // One search passes all counts: the curve of R² over kernels costs little more than its last point. What
        // was asked for is said first, and what came on the way then.
        let most = most_kernels(&fits, &self.options);
        let options = FitOptions {
            kernels: most,
            ..self.options
        };
        let wanted = self.options.kernels.min(most);
        let start = (context.session.late.fits)().await?;
        let mut fitting = match IncrementalFit::new(&fits, &options, place, start) {
            Ok(fitting) => fitting,
            // That a head cannot be fitted is an answer about it: nothing has gone wrong.
            Err(why) => {
                context.send(&Err(refused(place, why)));
                return Ok(());
            }
        };
        let mut on_the_way = Vec::new();
        for count in 1..=most {
            let fit;
            (fitting, fit) = context.compute(AddKernel(fitting)).await;
            if count < wanted {
                on_the_way.push(fit);
                continue;
            }
            context.send(&Ok(fit));
            for fit in on_the_way.drain(..) {
                context.send(&Ok(fit));
            }
        }
        Ok(())
    }
}

/// A search with one kernel more, and the fit with the kernels there are then.
struct AddKernel(IncrementalFit);

impl Job for AddKernel {
    type Output = (IncrementalFit, KernelFit);

    async fn run(self, watch: &impl Progress) -> (IncrementalFit, KernelFit) {
        let Self(mut fitting) = self;
        fitting.step();
        watch.pause().await;
        let fit = fitting.fit();
        (fitting, fit)
    }
}

/// Fits as they arrive, in the order of layer, head and number of kernels.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fits {
    /// The fits.
    pub fits: Vec<KernelFit>,
    /// Sentences about heads that cannot be fitted.
    pub refused: Vec<String>,
}

impl Fits {
    /// With a fit more, in its place, or with a head more that cannot be fitted.
    #[must_use]
    pub fn with(mut self, piece: Result<KernelFit, String>) -> Self {
        match piece {
            Ok(fit) => self.insert(fit),
            Err(sentence) => self.refused.push(sentence),
        }
        self
    }

    /// The first fit of so many kernels.
    #[must_use]
    pub fn of_kernels(&self, kernels: usize) -> Option<&KernelFit> {
        self.fits.iter().find(|fit| fit.kernels.0.len() == kernels)
    }

    fn insert(&mut self, fit: KernelFit) {
        let place = |fit: &KernelFit| (fit.layer, fit.head, fit.kernels.0.len());
        let at = self
            .fits
            .partition_point(|other| place(other) < place(&fit));
        self.fits.insert(at, fit);
    }
}
