//! Errors of heads against the convolution that they should equal, by their sharpness.

use super::prelude::*;
use crate::analysis::{ErrorAtAlpha, FilterSetting};

/// Errors of round heads in the given centres by α, from the sharpest to the widest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConvolutionErrors {
    /// Image, kernel and heads. The widths of the heads are ignored.
    pub of: FilterSetting,
}

impl Question for ConvolutionErrors {
    list_answer!(ErrorAtAlpha);
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        None
    }

    fn replaces(&self, _earlier: &Self) -> bool {
        true
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        self.of
            .errors(context, |error| context.send(&vec![error]))
            .await;
        Ok(())
    }
}
