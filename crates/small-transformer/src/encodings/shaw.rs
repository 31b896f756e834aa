//! A learned key for each offset, which meets the queries: score(i, j) = (q_i·k_j + q_i·a_{j−i}) / √`d_k` (Shaw et al.
//! 2018, eq. 4). All heads of a layer share the keys. Offsets beyond the trained length have the last key.

use super::{HeadQueries, MOST_LENGTHS, PositionalEncoding, add_table};
use crate::{
    Real, TransformerShape,
    operations::product::product,
    parameters::{LearningGroup, ParameterLayout, ParameterRange},
};
use gemmkit::{MatMut, MatRef};

/// The keys of every layer \[2n − 1, `d_k`\], one row for each i − j = −(n−1) … n−1, as BERT with `relative_key` has
/// them.
#[derive(Clone, Debug)]
pub(super) struct RelativeKeyTable {
    tables: Vec<ParameterRange>,
    n: usize,
    head_width: usize,
}

impl RelativeKeyTable {
    pub(super) fn new(shape: &TransformerShape, layout: &mut ParameterLayout) -> Self {
        let mut table = |layer: usize| {
            let name =
                format!("bert.encoder.layer.{layer}.attention.self.distance_embedding.weight");
            add_table(
                layout,
                &name,
                &[2 * shape.n - 1, shape.head_width()],
                LearningGroup::Matrix,
            )
        };
        Self {
            tables: (0..shape.layers).map(&mut table).collect(),
            n: shape.n,
            head_width: shape.head_width(),
        }
    }

    /// Number of keys of a layer.
    fn keys(&self) -> usize {
        2 * self.n - 1
    }

    /// The row of the key that query i and key j share.
    fn row(&self, i: usize, j: usize) -> usize {
        let last = self.n - 1;
        if i >= j {
            last + (i - j).min(last)
        } else {
            last - (j - i).min(last)
        }
    }
}

impl<T: Real> PositionalEncoding<T> for RelativeKeyTable {
    fn add_to_scores(
        &self,
        weights: &[T],
        head: &HeadQueries<'_, T>,
        scores: &mut [T],
        scratch: &mut Vec<T>,
    ) {
        let (rows, keys) = (head.view.rows, self.keys());
        scratch.resize(rows * keys, T::ZERO);
        let table =
            MatRef::from_col_major(self.tables[head.layer].of(weights), self.head_width, keys);
        let products = MatMut::from_row_major(scratch, rows, keys);
        product(
            products,
            head.view.of(head.queries),
            table,
            head.scale,
            T::ZERO,
        );
        for (i, (scores, products)) in scores
            .chunks_exact_mut(rows)
            .zip(scratch.chunks_exact(keys))
            .enumerate()
        {
            for (j, score) in scores.iter_mut().enumerate() {
                *score += products[self.row(i, j)];
            }
        }
    }

    fn add_score_gradient(
        &self,
        weights: &[T],
        head: &HeadQueries<'_, T>,
        scores: &[T],
        queries: &mut [T],
        gradients: &mut [T],
        scratch: &mut Vec<T>,
    ) {
        let (rows, keys) = (head.view.rows, self.keys());
        scratch.clear();
        scratch.resize(rows * keys, T::ZERO);
        for (i, (scores, products)) in scores
            .chunks_exact(rows)
            .zip(scratch.chunks_exact_mut(keys))
            .enumerate()
        {
            for (j, score) in scores.iter().enumerate() {
                products[self.row(i, j)] += *score;
            }
        }
        let range = self.tables[head.layer];
        let table = MatRef::from_row_major(range.of(weights), keys, self.head_width);
        let products = MatRef::from_row_major(scratch, rows, keys);
        product(
            head.view.of_mut(queries),
            products,
            table,
            head.scale,
            T::ONE,
        );
        let transposed = MatRef::from_col_major(scratch, keys, rows);
        let table = MatMut::from_row_major(range.of_mut(gradients), keys, self.head_width);
        product(
            table,
            transposed,
            head.view.of(head.queries),
            head.scale,
            T::ONE,
        );
    }

    fn longest(&self) -> usize {
        MOST_LENGTHS * self.n
    }
}
