//! Between which numbers the cells lie that a matrix shows the block means of.

use crate::{
    analysis::BlockValueRange,
    app::{
        figure::matrix_source::MatrixSource,
        query_client::{Query, QueryClient},
    },
    math::{Tile, Window},
};
use std::sync::Arc;

/// The range of the cells behind a picture, asked for where the picture itself does not know it.
#[derive(Clone, Copy)]
pub(super) struct CellsBehind(Query<BlockValueRange>);

impl CellsBehind {
    /// Behind the shown part of a matrix.
    pub(super) fn ask(
        matrix: MatrixSource,
        tile: impl Fn() -> Option<Arc<Tile>> + Send + Sync + 'static,
    ) -> Self {
        Self(QueryClient::from_context().ask(move || {
            let tile = tile()?;
            let shown = matrix.shown()?;
            let (rows, cols) = shown.size;
            let window = shown.window.map_or_else(
                || Window::whole(rows, cols),
                |window| window.within(rows, cols),
            );
            // The picture of the window before this one is still there.
            let is_shown = tile.window == window;
            (is_shown && !tile.is_exact() && tile.cells.is_none()).then_some(BlockValueRange {
                of: shown.of,
                window,
            })
        }))
    }

    /// The range, once it is known.
    pub(super) fn range(self) -> Option<(f32, f32)> {
        *self.0.get()?
    }
}
