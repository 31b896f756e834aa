//! A window of a head's scores.

use crate::{
    analysis::{Compute, Desk, Failure, HeadId, Opened, Question, Reply, TILE_LIMIT, Urgency},
    checkpoint::{ByteSource, Fetch},
    math::{Tile, Window},
};
use serde::{Deserialize, Serialize};

/// A window of a head's scores as block means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadTile {
    /// The head.
    pub of: HeadId,
    /// Rows and columns.
    pub window: Window,
}

impl Question for HeadTile {
    type Piece = Tile;
    type Answer = Tile;
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        Some(self.of.model)
    }

    fn collect(so_far: Option<Self::Answer>, piece: Self::Piece) -> Self::Answer {
        super::only(so_far, piece)
    }

    async fn answer<L: ByteSource, F: Fetch, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, F, C, R>,
    ) -> Result<(), Failure> {
        let scores = desk.session.head(self.of, desk).await?;
        let window = self.window.within(scores.n(), scores.n());
        desk.send(&scores.tile(window, TILE_LIMIT));
        Ok(())
    }
}
