//! How sharp must heads be to be a convolution?

use crate::{
    analysis::{
        Compute, Desk, ErrorAtAlpha, Failure, FilterSetting, Opened, Question, Reply, Urgency,
    },
    checkpoint::ByteSource,
};
use serde::{Deserialize, Serialize};

/// The errors of heads in their centres by α, from the sharpest to the widest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConvolutionErrors {
    /// What is filtered, with what. How wide its heads are does not matter.
    pub of: FilterSetting,
}

impl Question for ConvolutionErrors {
    type Piece = ErrorAtAlpha;
    type Answer = Vec<ErrorAtAlpha>;
    const URGENCY: Urgency = Urgency::Soon;

    fn about(&self) -> Option<Opened> {
        None
    }

    fn succeeds(&self, _earlier: &Self) -> bool {
        true
    }

    fn collect(so_far: Option<Self::Answer>, piece: Self::Piece) -> Self::Answer {
        let mut errors = so_far.unwrap_or_default();
        errors.push(piece);
        errors
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<(), Failure> {
        self.of.errors(desk, |error| desk.send(&error)).await;
        Ok(())
    }
}
