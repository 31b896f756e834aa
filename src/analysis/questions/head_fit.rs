//! Kernels fitted to the open head, for every number of kernels.

use super::prelude::*;
use crate::analysis::{
    FitOptions, KernelFit,
    kernel_fit::{IncrementalFit, add_kernel, current_fit, most_kernels, refusal, start_fit},
};

/// Fits kernels to a head. The first fit has as many kernels as the options say, or as the head's offsets can determine
/// if that is fewer. Fits with 1, 2, … kernels follow, up to the number that the offsets can determine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadFit {
    /// The head.
    pub of: HeadId,
    /// Options of the fits.
    pub options: FitOptions,
}

impl Question for HeadFit {
    type Chunk = Result<KernelFit, String>;
    type Answer = Fits;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    /// Kernels of another head, or with other options, would be wrong.
    fn replaces(&self, earlier: &Self) -> bool {
        self == earlier
    }

    fn fold(so_far: Option<Self::Answer>, piece: Self::Chunk) -> Self::Answer {
        so_far.unwrap_or_default().with(piece)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let scores = context.session.head(self.of, context).await?;
        let fits = scores.fits(&scores.plans());
        let place = (self.of.layer, self.of.head);
        // One search passes all counts: the curve of R² over kernels costs little more than its last point. The
        // requested fit is sent first, then those of fewer kernels.
        let most = most_kernels(&fits, &self.options);
        let options = FitOptions {
            kernels: most,
            ..self.options
        };
        let requested = self.options.kernels.min(most);
        let mut fitting = match start_fit(&fits, &options, place).await? {
            Ok(fitting) => fitting,
            // A head that cannot be fitted is an answer, not a failure.
            Err(why) => {
                context.send(&Err(refusal(place, why)));
                return Ok(());
            }
        };
        let mut smaller_fits = Vec::new();
        for count in 1..=most {
            let fit;
            (fitting, fit) = context.compute(AddKernel(fitting)).await?;
            if count < requested {
                smaller_fits.push(fit);
                continue;
            }
            context.send(&Ok(fit));
            for fit in smaller_fits.drain(..) {
                context.send(&Ok(fit));
            }
        }
        Ok(())
    }
}

/// Adds a kernel to a search and computes the fit with the kernels so far.
struct AddKernel(IncrementalFit);

impl Job for AddKernel {
    type Output = Result<(IncrementalFit, KernelFit), LoadError>;

    async fn run(self, watch: &impl Progress) -> Self::Output {
        let Self(mut fitting) = self;
        add_kernel(&mut fitting).await?;
        watch.pause().await;
        let fit = current_fit(&mut fitting).await?;
        Ok((fitting, fit))
    }
}

/// Fits received so far, in the order of layer, head and number of kernels.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fits {
    /// The fits.
    pub fits: Vec<KernelFit>,
    /// Sentences about heads that cannot be fitted.
    pub refusals: Vec<String>,
}

impl Fits {
    /// Inserts a fit in its place, or adds the sentence about a head that cannot be fitted.
    #[must_use]
    pub fn with(mut self, piece: Result<KernelFit, String>) -> Self {
        match piece {
            Ok(fit) => self.insert(fit),
            Err(sentence) => self.refusals.push(sentence),
        }
        self
    }

    /// The first fit with so many kernels.
    #[must_use]
    pub fn with_kernels(&self, kernels: usize) -> Option<&KernelFit> {
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
