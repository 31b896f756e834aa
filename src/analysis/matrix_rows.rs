//! Rows of any matrix that a figure shows, in full precision.

use super::{
    Failure, Host, MAX_LENGTH, MatrixId, MatrixPart, MixedAttention, Progress, Session,
    reading::{hide_unseen, no_table},
};
use crate::{
    encoding::Kernels,
    math::{AttentionMask, Scores, Window, cut},
};
use ndarray::{Array2, s};
use std::{fmt, ops::Range};

/// Rows that are formed at a time: a block of them stays in the cache, and a question is dropped between two.
const AT_ONCE: usize = super::progress::ROWS_AT_ONCE;

/// A matrix whose rows are formed on demand. Masked cells of a causal model are NaN, as they are blank in the figure.
pub(super) struct MatrixRows {
    /// Rows and columns.
    pub(super) size: (usize, usize),
    rows: Box<dyn Fn(Range<usize>) -> Array2<f32>>,
}

impl fmt::Debug for MatrixRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatrixRows")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl MatrixRows {
    fn new(size: (usize, usize), rows: impl Fn(Range<usize>) -> Array2<f32> + 'static) -> Self {
        Self {
            size,
            rows: Box::new(rows),
        }
    }

    /// The part of a window that lies in the matrix; the whole matrix without a window.
    pub(super) fn part(&self, window: Option<&Window>) -> Window {
        let (height, width) = self.size;
        window.map_or_else(
            || Window::whole(height, width),
            |window| window.within(height, width),
        )
    }

    /// A window of the matrix, some rows at a time.
    pub(super) fn blocks(&self, window: &Window) -> impl Iterator<Item = Array2<f32>> {
        let cols = window.cols.clone();
        cut(&window.rows, AT_ONCE)
            .into_iter()
            .map(move |rows| (self.rows)(rows).slice_move(s![.., cols.clone()]))
    }
}

impl<H: Host> Session<H> {
    /// Prepares the rows of a matrix.
    pub(super) async fn matrix_rows(
        &self,
        of: MatrixId,
        watch: &impl Progress,
    ) -> Result<MatrixRows, Failure> {
        Ok(match of {
            MatrixId::Table(model) => {
                let model = self.model(model).await?;
                let table = model.positions().rows().ok_or_else(no_table)?;
                let table = table.into_owned();
                MatrixRows::new(table.dim(), move |rows| {
                    table.slice(s![rows, ..]).to_owned()
                })
            }
            MatrixId::Positions(model, similarity, part) => {
                let model = self.model(model).await?;
                let compared = model.compare_positions(similarity, watch).await?;
                let n = compared.p.n();
                MatrixRows::new((n, n), move |rows| {
                    let f = |i: usize, j: usize| compared.fit().f[j + n - 1 - i] as f32;
                    let first = rows.start;
                    match part {
                        MatrixPart::Whole => compared.p.rows(rows),
                        MatrixPart::Toeplitz => {
                            Array2::from_shape_fn((rows.len(), n), |(i, j)| f(first + i, j))
                        }
                        MatrixPart::Residual => {
                            let mut block = compared.p.rows(rows);
                            for ((i, j), value) in block.indexed_iter_mut() {
                                *value -= f(first + i, j);
                            }
                            block
                        }
                    }
                })
            }
            MatrixId::Head(id, cells) => {
                let scores = self.head(id, watch).await?;
                let n = scores.n();
                MatrixRows::new((n, n), move |rows| {
                    let first = rows.start;
                    hide_unseen(scores.rows(rows), first, cells)
                })
            }
            MatrixId::HeadDifference(first, second, cells) => {
                let pair = self.head_pair((first, second), watch).await?;
                let n = pair.n();
                MatrixRows::new((n, n), move |rows| {
                    let first = rows.start;
                    hide_unseen(pair.difference_rows(rows), first, cells)
                })
            }
            MatrixId::Kernels(kernels, n, cells) => {
                let f = kernels.scores(n);
                MatrixRows::new((n, n), move |rows| {
                    let first = rows.start;
                    hide_unseen(f.rows(rows), first, cells)
                })
            }
            MatrixId::Added(kernels, n, cells, head) => {
                let scores = self.head(head, watch).await?;
                let n = n.clamp(1, scores.n());
                let (scores, f) = (scores.leading_block(n), kernels.scores(n));
                MatrixRows::new((n, n), move |rows| {
                    let first = rows.start;
                    let sum = scores.rows(rows.clone()) + f.rows(rows);
                    hide_unseen(sum, first, cells)
                })
            }
            MatrixId::Attention(kernels, n, cells, head) => {
                let scores = match head {
                    Some(id) => Some(self.head(id, watch).await?),
                    None => None,
                };
                attention_rows(scores.as_ref(), &kernels, n, cells)
            }
            MatrixId::FirstLayer(attention, way) => {
                let model = self.model(attention.of.model).await?;
                let (head, words) = (attention.of, &attention.words);
                let [with, without] = model.first_layer(head, attention.n, words, watch).await?;
                let scores = if way.has_embeddings() { with } else { without };
                let kernels = if way.has_kernels() {
                    attention.kernels
                } else {
                    Kernels::default()
                };
                attention_rows(Some(&scores), &kernels, scores.n(), attention.cells)
            }
        })
    }
}

/// Attention among n positions from `F_P` of kernels, added to a head's scores if there are any. Cells beyond the
/// positions of the scores are NaN.
fn attention_rows(
    scores: Option<&Scores>,
    kernels: &Kernels,
    n: usize,
    cells: AttentionMask,
) -> MatrixRows {
    let n = n.clamp(1, MAX_LENGTH);
    let there = scores.map_or(n, |scores| scores.n().min(n));
    let scores = scores.map(|scores| scores.leading_block(there));
    let attention = MixedAttention::new(kernels, there, cells);
    MatrixRows::new((n, n), move |rows| {
        let first = rows.start;
        let present = rows.start.min(there)..rows.end.min(there);
        let mut block = match &scores {
            Some(scores) => scores.rows(present.clone()),
            None => Array2::zeros((present.len(), there)),
        };
        if let Some(scores) = block.as_slice_mut() {
            attention.attend(present.clone(), scores);
        }
        if there < n {
            let mut all = Array2::from_elem((rows.len(), n), f32::NAN);
            all.slice_mut(s![..present.len(), ..there]).assign(&block);
            block = all;
        }
        hide_unseen(block, first, cells)
    })
}
