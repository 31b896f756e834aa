//! The position table.

use super::prelude::*;
use crate::{
    analysis::{FINEST_TILE, reading::no_table},
    math::{Tile, Window},
};

/// The position table as block means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableTile {
    /// The model.
    pub of: ModelVersion,
    /// Maximum number of blocks per side; rows and columns are divided independently.
    pub limit: usize,
}

impl SingleAnswer for TableTile {
    type Answer = Tile;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<Tile, Failure> {
        let model = context.session.model(self.of).await?;
        let table = model.positions().rows().ok_or_else(no_table)?;
        let (rows, width) = table.dim();
        Ok(Tile::from_matrix(
            table.view(),
            Window::whole(rows, width),
            self.limit.min(FINEST_TILE),
        ))
    }
}
