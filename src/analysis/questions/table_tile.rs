//! The position table.

use crate::{
    analysis::{
        AnswerContext, Compute, FINEST_TILE, Failure, ModelVersion, ResponseSink, SingleAnswer,
        Urgency, reading::no_table,
    },
    checkpoint::ByteSource,
    math::{Tile, Window},
};
use serde::{Deserialize, Serialize};

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

    async fn answer<L: ByteSource, C: Compute, R: ResponseSink>(
        self,
        context: &AnswerContext<'_, Self, L, C, R>,
    ) -> Result<Tile, Failure> {
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
