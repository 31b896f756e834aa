//! Minimum and maximum over the cells of a downsampled matrix.

use crate::{
    analysis::BlockValueRange,
    app::{
        figure::matrix_source::MatrixSource,
        query_client::{Query, QueryClient},
    },
    math::{Tile, Window},
};
use std::sync::Arc;

/// Query for the value range of the cells behind a downsampled picture. Asked only if the tile does not hold the range.
#[derive(Clone, Copy)]
pub(super) struct CellsBehind(Query<BlockValueRange>);

impl CellsBehind {
    /// Queries the range of the displayed part of a matrix.
    pub(super) fn ask(
        matrix: MatrixSource,
        tile: impl Fn() -> Option<Arc<Tile>> + Send + Sync + 'static,
    ) -> Self {
        Self(QueryClient::from_context().ask(move || {
            let tile = tile()?;
            let current = matrix.current()?;
            let (rows, cols) = current.size;
            let window = current.window.map_or_else(
                || Window::whole(rows, cols),
                |window| window.within(rows, cols),
            );
            // Until the tile of the new window arrives, the tile of the previous one is displayed; ask nothing for it.
            let is_shown = tile.window == window;
            (is_shown && !tile.is_exact() && tile.cells.is_none()).then_some(BlockValueRange {
                of: current.of,
                window,
            })
        }))
    }

    /// Returns the minimum and maximum, once they have arrived.
    pub(super) fn range(self) -> Option<(f32, f32)> {
        *self.0.get()?
    }
}
