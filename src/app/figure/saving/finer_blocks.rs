//! Finer blocks of a matrix for export. On the page the matrix may be shown in coarser blocks.

use super::request::ExportRequest;
use crate::{
    analysis::{Failure, MatrixTile},
    app::{
        figure::view::AnyFigure,
        query_client::{MutationEvent, QueryClient},
    },
    math::Tile,
};
use futures_channel::oneshot;
use std::{cell::RefCell, sync::Arc};

/// Requests the matrix of a figure at a resolution of `dots` blocks per side unless its blocks are already as fine, and
/// returns the figure as it is saved. `None` if it is not a heatmap of a matrix.
///
/// # Errors
/// If the worker cannot compute the blocks.
pub(super) async fn with_finer_blocks(
    client: QueryClient,
    save: &ExportRequest,
    dots: Option<usize>,
) -> Result<Option<AnyFigure>, Failure> {
    let (Some(map), Some(matrix), Some(limit)) = (save.figure.as_heatmap(), &save.matrix, dots)
    else {
        return Ok(None);
    };
    let map = map.clone().without_reserve();
    let tile = map.tile();
    let step = |cells: usize| cells.div_ceil(limit.max(1));
    let is_fine = tile.row_step <= step(tile.window.rows.len())
        && tile.col_step <= step(tile.window.cols.len());
    if tile.is_exact() || is_fine {
        return Ok(Some(Arc::new(map)));
    }
    let question = MatrixTile {
        of: matrix.of.clone(),
        window: matrix.window.clone(),
        limit,
    };
    let tile = answer(client, question).await?;
    Ok(Some(Arc::new(map.with_tile(Arc::new(tile)))))
}

/// Asks a question once and waits for the answer.
async fn answer(client: QueryClient, question: MatrixTile) -> Result<Tile, Failure> {
    let (sender, receiver) = oneshot::channel();
    let sender = RefCell::new(Some(sender));
    client.run(question, Vec::new(), move |event| {
        let result = match event {
            MutationEvent::Chunk(tile) => Ok(tile),
            MutationEvent::Failed(failure) => Err(failure),
            MutationEvent::Bytes(_) | MutationEvent::Done => return,
        };
        if let Some(sender) = sender.borrow_mut().take() {
            // Ignored: the receiver waits below.
            let _ = sender.send(result);
        }
    });
    let failure =
        || Failure::ours("The part of this page that computes gave no answer. Try again.");
    receiver.await.unwrap_or_else(|_| Err(failure()))
}
