//! A window of any matrix that a figure shows, at the resolution of a saved picture.

use super::prelude::*;
use crate::{
    analysis::{FINEST_TILE, MatrixId, Session, kernel_attention, reading::no_table},
    math::{AttentionMask, RowBlocks, Tile, Window},
};

/// A window of a matrix as block means, which equal those on the page for the same number of blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MatrixTile {
    /// The matrix.
    pub of: MatrixId,
    /// Rows and columns; `None` for all.
    pub window: Option<Window>,
    /// Maximum number of blocks per side.
    pub limit: usize,
}

impl SingleAnswer for MatrixTile {
    type Answer = Tile;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        self.of.model()
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<Tile, Failure> {
        let limit = self.limit.clamp(1, FINEST_TILE);
        let within = |rows: usize, columns: usize| match &self.window {
            Some(window) => window.within(rows, columns),
            None => Window::whole(rows, columns),
        };
        let masked = |tile: Tile, cells| match cells {
            AttentionMask::Whole => tile,
            AttentionMask::Causal => tile.causal(),
        };
        // Block means of Toeplitz matrices and of products of thin matrices need no cells.
        match self.of {
            MatrixId::Table(model) => {
                let model = context.session.model(model).await?;
                let table = model.positions().rows().ok_or_else(no_table)?;
                let (rows, columns) = table.dim();
                Ok(Tile::from_matrix(
                    table.view(),
                    within(rows, columns),
                    limit,
                ))
            }
            MatrixId::Positions(model, similarity, part) => {
                let model = context.session.model(model).await?;
                let compared = model.compare_positions(similarity, context).await?;
                let n = compared.p.n();
                context
                    .part_tile(&compared, part, &within(n, n), limit)
                    .await
            }
            MatrixId::Head(head, cells) => {
                let scores = context.session.head(head, context).await?;
                let window = within(scores.n(), scores.n());
                Ok(masked(context.tile(&scores, window, limit).await?, cells))
            }
            MatrixId::HeadDifference(first, second, cells) => {
                let pair = context.session.head_pair((first, second), context).await?;
                let window = within(pair.n(), pair.n());
                Ok(masked(
                    pair.difference_tile(window, limit, context).await?,
                    cells,
                ))
            }
            MatrixId::Kernels(kernels, n, cells) => {
                let (f, window) = (kernels.scores(n), within(n, n));
                let range = f.cell_range(&window, cells);
                Ok(masked(f.tile(window, limit), cells).with_cells(range))
            }
            MatrixId::Added(kernels, n, cells, head) => {
                let scores = context.session.head(head, context).await?;
                let n = n.clamp(1, scores.n());
                let window = within(n, n);
                let f = kernels.scores(n).tile(window.clone(), limit);
                let scores = context
                    .tile(&scores.leading_block(n), window, limit)
                    .await?;
                let sum = scores.plus(&f);
                let sum = sum.ok_or_else(|| Failure::ours("Blocks of two matrices differ."))?;
                Ok(masked(sum, cells))
            }
            MatrixId::Attention(kernels, n, cells, None) => {
                Ok(kernel_attention(&kernels, n, cells, within(n, n), limit))
            }
            of @ (MatrixId::Attention(.., Some(_)) | MatrixId::FirstLayer(..)) => {
                by_rows(context.session, of, within, limit, context).await
            }
        }
    }
}

/// Block means of attention with content, from every cell of the window's rows.
async fn by_rows<H: Host>(
    session: &Session<H>,
    of: MatrixId,
    within: impl Fn(usize, usize) -> Window,
    limit: usize,
    watch: &impl Progress,
) -> Result<Tile, Failure> {
    let cells = match &of {
        MatrixId::Attention(_, _, cells, _) => *cells,
        MatrixId::FirstLayer(attention, _) => attention.cells,
        _ => AttentionMask::Whole,
    };
    let matrix = session.matrix_rows(of, watch).await?;
    let (n, columns) = matrix.size;
    let window = within(n, columns);
    let whole_rows = Window {
        rows: window.rows.clone(),
        cols: 0..columns,
    };
    let mut blocks = RowBlocks::new(window.clone(), limit, cells);
    let mut row = Vec::new();
    let mut i = window.rows.start;
    for block in matrix.blocks(&whole_rows) {
        for values in block.rows() {
            row.clear();
            row.extend(values.iter().copied());
            // Masked keys get no attention, so they count as zero in a block on the diagonal.
            row[cells.visible_keys(i, columns)..].fill(0.0);
            blocks.add(i, &row);
            i += 1;
        }
        watch.pause().await;
    }
    Ok(blocks.finish())
}
