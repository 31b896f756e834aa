//! The position table itself.

use crate::{
    analysis::{
        Compute, Desk, Failure, Opened, Question, Reply, TILE_LIMIT, Urgency, reading::no_table,
    },
    checkpoint::{ByteSource, Fetch},
    math::{Tile, Window},
};
use serde::{Deserialize, Serialize};

/// The position table as block means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableTile {
    /// The model.
    pub of: Opened,
}

impl Question for TableTile {
    type Piece = Tile;
    type Answer = Tile;
    const URGENCY: Urgency = Urgency::Soon;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    fn collect(so_far: Option<Self::Answer>, piece: Self::Piece) -> Self::Answer {
        super::only(so_far, piece)
    }

    async fn answer<L: ByteSource, F: Fetch, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, F, C, R>,
    ) -> Result<(), Failure> {
        let model = desk.session.model(self.of).await?;
        let table = model.positions().rows().ok_or_else(no_table)?;
        let (rows, width) = table.dim();
        desk.send(&Tile::of_matrix(
            table.view(),
            Window::whole(rows, width),
            TILE_LIMIT,
        ));
        Ok(())
    }
}
