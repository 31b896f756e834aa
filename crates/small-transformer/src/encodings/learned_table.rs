//! A learned row for each position, added to the words.

use super::{PositionalEncoding, add_table};
use crate::{
    Real, TransformerShape,
    parameters::{LearningGroup, ParameterLayout, ParameterRange},
    real::add,
};

/// A table of positions \[n, d\] under BERT's name.
#[derive(Clone, Copy, Debug)]
pub(super) struct LearnedTable {
    table: ParameterRange,
    rows: usize,
}

/// BERT's name of the table.
pub(super) const TABLE: &str = "bert.embeddings.position_embeddings.weight";

impl LearnedTable {
    pub(super) fn new(shape: &TransformerShape, layout: &mut ParameterLayout) -> Self {
        Self {
            table: add_table(layout, TABLE, &[shape.n, shape.d], LearningGroup::Matrix),
            rows: shape.n,
        }
    }
}

impl<T: Real> PositionalEncoding<T> for LearnedTable {
    fn add_to_inputs(&self, weights: &[T], inputs: &mut [T]) {
        add(inputs, self.table.of(weights));
    }

    fn add_input_gradient(&self, inputs: &[T], gradients: &mut [T]) {
        add(self.table.of_mut(gradients), inputs);
    }

    fn longest(&self) -> usize {
        self.rows
    }
}
