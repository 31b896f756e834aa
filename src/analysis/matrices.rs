//! Matrices in full, written as files while they are computed, a block of rows at a time.

use super::{
    Answer, MatrixId, Part, Reply, Session,
    export::{MatrixFormat, matrix_csv_header, matrix_csv_row, npy},
    kernels::MixedAttention,
    session::{Failure, ROWS_AT_ONCE, no_table},
};
use crate::{
    checkpoint::{ByteSource, Fetch},
    math::{Cells, Window},
};
use ndarray::Array2;

impl<L: ByteSource, F: Fetch> Session<L, F> {
    /// Sends a window of a matrix as a file.
    pub(super) async fn matrix(
        &self,
        matrix: MatrixId,
        format: MatrixFormat,
        window: Window,
        reply: &impl Reply,
    ) -> Result<(), Failure> {
        match matrix {
            MatrixId::Table(id) => {
                let open = self.model(id)?;
                let table = open.positions().rows().ok_or_else(no_table)?;
                write_matrix(format, window, table.dim(), reply, |rows| {
                    table.slice(ndarray::s![rows, ..]).to_owned()
                })
                .await
            }
            MatrixId::Positions(id, similarity, part) => {
                let compared = self.compared(id, similarity, reply).await?;
                let (p, fit) = (&compared.p, compared.fit());
                let n = p.n();
                write_matrix(format, window, (n, n), reply, |rows| {
                    let first = rows.start;
                    let f = |i: usize, j: usize| fit.f[j + n - 1 - (i + first)] as f32;
                    match part {
                        Part::Whole => p.rows(rows),
                        Part::Toeplitz => Array2::from_shape_fn((rows.len(), n), |(i, j)| f(i, j)),
                        Part::Residual => {
                            let mut block = p.rows(rows);
                            for ((i, j), value) in block.indexed_iter_mut() {
                                *value -= f(i, j);
                            }
                            block
                        }
                    }
                })
                .await
            }
            MatrixId::Head(id, cells) => {
                let a = self.head(id, reply).await?;
                let n = a.n();
                write_matrix(format, window, (n, n), reply, |rows| {
                    let first = rows.start;
                    causal(a.rows(rows), first, cells)
                })
                .await
            }
            MatrixId::Kernels(kernels, n) => {
                let f = kernels.scores(n);
                write_matrix(format, window, (n, n), reply, |rows| {
                    Array2::from_shape_fn((rows.len(), n), |(i, j)| {
                        f.profile()[j + n - 1 - (i + rows.start)] as f32
                    })
                })
                .await
            }
            MatrixId::Attention(kernels, n, cells, head) => {
                let a = match head {
                    Some(id) => Some(self.head(id, reply).await?),
                    None => None,
                };
                let n = a.as_ref().map_or(n, |a| n.min(a.n()));
                let a = a.map(|a| a.leading(n));
                let attention = MixedAttention::new(&kernels, n, cells, Window::whole(n, n), 1);
                write_matrix(format, window, (n, n), reply, |rows| {
                    let mut block = match &a {
                        Some(a) => a.rows(rows.clone()),
                        None => Array2::zeros((rows.len(), n)),
                    };
                    if let Some(scores) = block.as_slice_mut() {
                        attention.attend(rows, scores);
                    }
                    block
                })
                .await
            }
        }
    }
}

async fn write_matrix(
    format: MatrixFormat,
    window: Window,
    (height, width): (usize, usize),
    reply: &impl Reply,
    rows_of: impl Fn(std::ops::Range<usize>) -> Array2<f32>,
) -> Result<(), Failure> {
    let window = window.within(height, width);
    reply.send(Answer::File(match format {
        MatrixFormat::Csv => matrix_csv_header(&window).into_bytes(),
        MatrixFormat::Npy => npy("<f4", &[window.rows.len(), window.cols.len()]),
    }));
    for rows in crate::math::cut(&window.rows, ROWS_AT_ONCE) {
        let block = rows_of(rows);
        let mut bytes = Vec::new();
        for row in block.rows() {
            let row: Vec<f32> = row
                .iter()
                .skip(window.cols.start)
                .take(window.cols.len())
                .copied()
                .collect();
            match format {
                MatrixFormat::Csv => bytes.extend(matrix_csv_row(&row).into_bytes()),
                MatrixFormat::Npy => bytes.extend(row.iter().flat_map(|v| v.to_le_bytes())),
            }
        }
        reply.send(Answer::File(bytes));
        reply.pause().await;
    }
    Ok(())
}

/// Cells a causal head never uses are no numbers.
fn causal(mut block: Array2<f32>, first: usize, cells: Cells) -> Array2<f32> {
    if cells == Cells::Causal {
        for ((i, j), value) in block.indexed_iter_mut() {
            if j > i + first {
                *value = f32::NAN;
            }
        }
    }
    block
}
