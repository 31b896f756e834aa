//! A matrix in full, written as a file while it is computed, a block of rows at a time.

use crate::{
    analysis::{
        Compute, Desk, Failure, MatrixFormat, MatrixId, MatrixPart, MixedAttention, Opened, Reply,
        SingleAnswer, Urgency, Watch,
        export::{matrix_csv_header, matrix_csv_row, npy},
        reading::{hide_unseen, no_table},
        session::ROWS_AT_ONCE,
    },
    checkpoint::ByteSource,
    math::{Window, cut},
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A window of a matrix in full precision, as a file. Cells that a causal model does not use are no numbers, as
/// they are blank in the figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WholeMatrix {
    /// Which matrix.
    pub of: MatrixId,
    /// The file's format.
    pub format: MatrixFormat,
    /// Rows and columns; all of them where there is none.
    pub window: Option<Window>,
}

impl SingleAnswer for WholeMatrix {
    type Answer = ();
    const URGENCY: Urgency = Urgency::Soon;

    fn about(&self) -> Option<Opened> {
        self.of.about()
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<(), Failure> {
        let file = File {
            format: self.format,
            window: self.window,
        };
        match self.of {
            MatrixId::Table(model) => {
                let model = desk.session.model(model).await?;
                let table = model.positions().rows().ok_or_else(no_table)?;
                let rows = |rows| table.slice(ndarray::s![rows, ..]).to_owned();
                file.write(desk, table.dim(), rows).await;
            }
            MatrixId::Positions(model, similarity, part) => {
                let model = desk.session.model(model).await?;
                let compared = model.compared(similarity, desk).await?;
                let (p, fit) = (&compared.p, compared.fit());
                let n = p.n();
                let f = |i: usize, j: usize| fit.f[j + n - 1 - i] as f32;
                let rows = |rows: Range<usize>| match part {
                    MatrixPart::Whole => p.rows(rows),
                    MatrixPart::Toeplitz => {
                        Array2::from_shape_fn((rows.len(), n), |(i, j)| f(rows.start + i, j))
                    }
                    MatrixPart::Residual => {
                        let first = rows.start;
                        let mut block = p.rows(rows);
                        for ((i, j), value) in block.indexed_iter_mut() {
                            *value -= f(first + i, j);
                        }
                        block
                    }
                };
                file.write(desk, (n, n), rows).await;
            }
            MatrixId::Head(id, cells) => {
                let scores = desk.session.head(id, desk).await?;
                let n = scores.n();
                let rows = |rows: Range<usize>| {
                    let first = rows.start;
                    hide_unseen(scores.rows(rows), first, cells)
                };
                file.write(desk, (n, n), rows).await;
            }
            MatrixId::Kernels(kernels, n, cells) => {
                let f = kernels.scores(n);
                let rows = |rows: Range<usize>| {
                    let first = rows.start;
                    let block = Array2::from_shape_fn((rows.len(), n), |(i, j)| {
                        f.profile()[j + n - 1 - (i + first)] as f32
                    });
                    hide_unseen(block, first, cells)
                };
                file.write(desk, (n, n), rows).await;
            }
            MatrixId::Attention(kernels, n, cells, head) => {
                let scores = match head {
                    Some(id) => Some(desk.session.head(id, desk).await?),
                    None => None,
                };
                let n = scores.as_ref().map_or(n, |scores| n.min(scores.n()));
                let scores = scores.map(|scores| scores.leading(n));
                let attention = MixedAttention::new(&kernels, n, cells, Window::whole(n, n), 1);
                let rows = |rows: Range<usize>| {
                    let first = rows.start;
                    let mut block = match &scores {
                        Some(scores) => scores.rows(rows.clone()),
                        None => Array2::zeros((rows.len(), n)),
                    };
                    if let Some(scores) = block.as_slice_mut() {
                        attention.attend(rows, scores);
                    }
                    hide_unseen(block, first, cells)
                };
                file.write(desk, (n, n), rows).await;
            }
        }
        Ok(())
    }
}

/// The file that is written.
struct File {
    format: MatrixFormat,
    window: Option<Window>,
}

impl File {
    /// Sends the window of a matrix of this size, whose rows come a block at a time.
    async fn write<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, WholeMatrix, L, C, R>,
        (height, width): (usize, usize),
        rows_of: impl Fn(Range<usize>) -> Array2<f32>,
    ) {
        let window = match self.window {
            Some(window) => window.within(height, width),
            None => Window::whole(height, width),
        };
        desk.send_bytes(match self.format {
            MatrixFormat::Csv => matrix_csv_header(&window).into_bytes(),
            MatrixFormat::Npy => npy("<f4", &[window.rows.len(), window.cols.len()]),
        });
        for rows in cut(&window.rows, ROWS_AT_ONCE) {
            let block = rows_of(rows);
            let mut bytes = Vec::new();
            for row in block.slice(ndarray::s![.., window.cols.clone()]).rows() {
                match self.format {
                    MatrixFormat::Csv => bytes.extend(matrix_csv_row(row).into_bytes()),
                    MatrixFormat::Npy => bytes.extend(row.iter().flat_map(|v| v.to_le_bytes())),
                }
            }
            desk.send_bytes(bytes);
            desk.pause().await;
        }
    }
}
