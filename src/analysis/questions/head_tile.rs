//! A window of a head's scores.

use super::prelude::*;
use crate::{
    analysis::FINEST_TILE,
    math::{Tile, Window},
};

/// A window of a head's scores as block means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadTile {
    /// The head.
    pub of: HeadId,
    /// Rows and columns of the window.
    pub window: Window,
    /// Maximum number of blocks per side.
    pub limit: usize,
}

impl SingleAnswer for HeadTile {
    type Answer = Tile;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of.model)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<Tile, Failure> {
        let scores = context.session.head(self.of, context).await?;
        let window = self.window.within(scores.n(), scores.n());
        Ok(scores.tile(window, self.limit.min(FINEST_TILE)))
    }
}
