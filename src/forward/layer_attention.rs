//! Scores and attention of one text in one layer.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};
use row_kernels::{exponentiate, scale};
use std::{ops::Range, rc::Rc};

use super::{
    position_terms::PositionTerms, position_weights::PositionWeights, rotation::RotaryWaves,
    score_weights::ScoreWeights,
};
use crate::math::matrix_product::product_into;

/// Queries and keys of a text in a layer, of which scores and attention are computed head by head.
#[derive(Clone, Debug)]
pub struct LayerAttention<'a> {
    weights: &'a ScoreWeights,
    queries: Array2<f32>,
    keys: Array2<f32>,
    terms: Rc<PositionTerms>,
}

impl<'a> LayerAttention<'a> {
    /// The attention for the states that enter the layer, [n, hidden], before the layer's own norm. For one head alone
    /// it takes a fraction of the time with [`ScoreWeights::select_head`].
    ///
    /// # Panics
    /// If the states do not have the model's width.
    #[must_use]
    pub fn new(weights: &'a ScoreWeights, states: ArrayView2<'_, f32>) -> Self {
        let input = weights.attention_input(states);
        let queries = weights.query.apply_to_few(input.view());
        let keys = weights.key.apply_to_few(input.view());
        let terms = Rc::new(PositionTerms::new(weights, states.nrows()));
        Self::from_products(weights, queries, keys, terms)
    }

    /// The attention from mapped states: norms and rotates queries and keys.
    pub(super) fn from_products(
        weights: &'a ScoreWeights,
        mut queries: Array2<f32>,
        mut keys: Array2<f32>,
        terms: Rc<PositionTerms>,
    ) -> Self {
        weights.norm_heads(&mut queries, &mut keys);
        if let PositionWeights::Rotation(rotation) = &weights.positions {
            let waves = RotaryWaves::new(rotation, keys.nrows());
            waves.rotate(queries.view_mut(), weights.head_width);
            waves.rotate(keys.view_mut(), weights.head_width);
        }
        Self {
            weights,
            queries,
            keys,
            terms,
        }
    }

    /// Number of queries.
    #[must_use]
    pub fn n(&self) -> usize {
        self.queries.nrows()
    }

    /// Number of heads.
    #[must_use]
    pub fn heads(&self) -> usize {
        self.weights.heads
    }

    /// Queries of a head as they meet keys: after norms and rotation, [n, width].
    ///
    /// # Panics
    /// If there is no such head.
    #[must_use]
    pub fn queries(&self, head: usize) -> ArrayView2<'_, f32> {
        let columns = self.weights.query_columns(head);
        self.queries.slice(s![.., columns])
    }

    /// Keys of a head after norms and rotation, [n, width]. Several heads may share them.
    ///
    /// # Panics
    /// If there is no such head.
    #[must_use]
    pub fn keys(&self, head: usize) -> ArrayView2<'_, f32> {
        let columns = self.weights.key_columns(head);
        self.keys.slice(s![.., columns])
    }

    /// Scores of some queries of a head with all keys, before mask and softmax, [rows, n]: scaled products, with every
    /// term of positions.
    ///
    /// # Panics
    /// If there are no such queries or no such head.
    #[must_use]
    pub fn scores(&self, head: usize, rows: Range<usize>) -> Array2<f32> {
        let mut scores = Array2::zeros((rows.len(), self.keys.nrows()));
        self.write_scores(head, rows, scores.view_mut());
        scores
    }

    /// Attention of some queries of a head to all keys, after mask and softmax, [rows, n]. Without a sink a row adds up to
    /// 1; with one it lacks the share of the sink.
    ///
    /// # Panics
    /// As [`Self::scores`].
    #[must_use]
    pub fn attention(&self, head: usize, rows: Range<usize>) -> Array2<f32> {
        let mut cells = self.scores(head, rows.clone());
        self.apply_softmax(head, rows.start, cells.view_mut());
        cells
    }

    /// [`Self::scores`] into a row-major matrix.
    pub(super) fn write_scores(
        &self,
        head: usize,
        rows: Range<usize>,
        mut scores: ArrayViewMut2<'_, f32>,
    ) {
        let n = self.keys.nrows();
        let scale = self.weights.scale as f32;
        let queries = self.queries(head);
        let (q, k) = (queries.slice(s![rows.clone(), ..]), self.keys(head));
        let cells = scores.as_slice_mut().expect("row-major scores");
        product_into(cells, n, q, k.t(), scale, 0.0);
        self.terms.add(scores, head, rows.start, [q, k], scale);
    }

    /// Replaces scores of a head by its attention, for queries from `first` on. Masked cells become 0.
    pub(super) fn apply_softmax(
        &self,
        head: usize,
        first: usize,
        mut cells: ArrayViewMut2<'_, f32>,
    ) {
        let n = cells.ncols();
        let sink = self.weights.sinks.as_ref().map(|sinks| sinks[head]);
        for (row, mut cells) in cells.rows_mut().into_iter().enumerate() {
            let visible = self.visible_keys(first + row);
            let cells = cells.as_slice_mut().expect("row-major scores");
            let (before, rest) = cells.split_at_mut(visible.start.min(n));
            let (seen, after) = rest.split_at_mut(visible.len().min(rest.len()));
            before.fill(0.0);
            after.fill(0.0);
            let (greatest, sum) = exponentiate(seen);
            let of_sink = sink.map(|sink| (f64::from(sink) - f64::from(greatest)).exp());
            scale(seen, (sum + of_sink.unwrap_or(0.0)).recip() as f32);
        }
    }

    /// Keys that a query sees.
    #[must_use]
    pub fn visible_keys(&self, query: usize) -> Range<usize> {
        let n = self.keys.nrows();
        let end = self.weights.mask.visible_keys(query, n);
        match self.weights.reach {
            Some(reach) => {
                let start = query.saturating_sub(reach).min(end);
                start..end.min(query.saturating_add(reach).saturating_add(1))
            }
            None => 0..end,
        }
    }
}
