//! Finer blocks of a matrix for export. On the page the matrix may be shown in coarser blocks.

use crate::{
    analysis::{Failure, MatrixTile},
    app::{
        figure::{matrix_source::ShownMatrix, view::AnyFigure},
        query_client::{MutationEvent, QueryClient},
    },
    export::Sheet,
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
    figure: &AnyFigure,
    matrix: Option<&ShownMatrix>,
    dots: Option<usize>,
) -> Result<Option<AnyFigure>, Failure> {
    let (Some(map), Some(matrix), Some(limit)) = (figure.as_heatmap(), matrix, dots) else {
        return Ok(None);
    };
    let map = map.clone().without_reserve();
    if !map.is_coarser_than(limit) {
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

/// Requests finer blocks for the panels of a figure, and returns the figure as it is saved at this width. `None` if its
/// blocks are fine enough, or if it has no panels of matrices.
///
/// # Errors
/// If the worker cannot compute the blocks.
pub(super) async fn with_finer_panels(
    client: QueryClient,
    figure: &AnyFigure,
    width: f64,
) -> Result<Option<AnyFigure>, Failure> {
    let questions = figure.finer_tiles(width, Sheet::DOTS);
    let mut tiles = Vec::with_capacity(questions.len());
    for (panel, question) in questions {
        tiles.push((panel, answer(client, question).await?));
    }
    Ok((!tiles.is_empty())
        .then(|| figure.with_tiles(tiles))
        .flatten())
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
