//! The heads of the image demonstration side by side, at one pixel.

use super::prelude::*;
use crate::analysis::{FilterSetting, HeadConcatenation};

/// Computes the output of every head at a pixel and its projection; refers to no model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConcatenateHeads {
    /// Image, kernel and heads.
    pub of: FilterSetting,
    /// The pixel, row and column.
    pub query: (usize, usize),
}

impl SingleAnswer for ConcatenateHeads {
    type Answer = HeadConcatenation;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        None
    }

    fn replaces(&self, _earlier: &Self) -> bool {
        // While a head is dragged, the previous numbers stay.
        true
    }

    async fn answer<H: Host>(
        self,
        _: &AnswerContext<'_, Self, H>,
    ) -> Result<HeadConcatenation, Failure> {
        HeadConcatenation::compute(&self.of, self.query)
            .ok_or_else(|| Failure::not_there("A weight of the kernel is not a finite number."))
    }
}
