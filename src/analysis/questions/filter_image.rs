//! An image filtered by heads, and by the convolution that they should equal.

use super::prelude::*;
use crate::analysis::{FilterSetting, FilteredImage};

/// Filters an image both ways; refers to no model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilterImage {
    /// Image, kernel and heads.
    pub of: FilterSetting,
}

impl SingleAnswer for FilterImage {
    type Answer = FilteredImage;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        None
    }

    fn replaces(&self, _earlier: &Self) -> bool {
        // While a head is dragged, the previous picture stays.
        true
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<FilteredImage, Failure> {
        Ok(context.compute(Filter(self.of)).await)
    }
}

struct Filter(FilterSetting);

impl Job for Filter {
    type Output = FilteredImage;

    async fn run(self, watch: &impl Progress) -> FilteredImage {
        self.0.filter(watch).await
    }
}
