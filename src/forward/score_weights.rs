//! Weights of an attention's scores: all that turns states into queries and keys.

use ndarray::{Array2, ArrayView2, s};
use std::ops::Range;

use super::{
    ForwardError, LinearMap, NormWeights,
    position_weights::{PositionWeights, key_head},
    tensor_numbers::TensorNumbers,
};
use crate::{
    math::AttentionMask,
    model::{
        AttentionDescription, BlockSizes, Cut, HeadLayout, Inputs, LayerWeights, LinearTensors,
        ScoreMode,
    },
};

/// Weights of an attention's scores.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreWeights {
    /// Norm of the states before queries, keys and values.
    pub input_norm: Option<NormWeights>,
    /// Map to queries, [hidden, heads·width].
    pub query: LinearMap,
    /// Map to keys, [hidden, key heads·width].
    pub key: LinearMap,
    pub(super) query_norm: Option<NormWeights>,
    pub(super) key_norm: Option<NormWeights>,
    /// Whether queries and keys are normed head by head, instead of all heads as one row.
    pub(super) norms_heads: bool,
    pub(super) positions: PositionWeights,
    /// Factor of the scores.
    pub scale: f64,
    /// Keys that each query sees.
    pub mask: AttentionMask,
    /// Greatest distance |j − i| at which a query sees a key.
    pub reach: Option<usize>,
    /// Scores of the sinks, one per query head. A sink takes e^score of the sum by which softmax divides.
    pub sinks: Option<Vec<f32>>,
    /// Number of query heads.
    pub heads: usize,
    /// Number of key heads.
    pub key_heads: usize,
    /// Number of columns of a head.
    pub head_width: usize,
}

impl ScoreWeights {
    /// Tensors of the scores alone, with the parts of them that are used.
    pub(super) fn tensors(attention: &AttentionDescription) -> Vec<(&str, Cut)> {
        let positions = attention.positions.maps();
        let maps = [&attention.query, &attention.key]
            .into_iter()
            .chain(positions);
        let mut tensors: Vec<(&str, Cut)> = maps.flat_map(map_tensors).collect();
        let norms = attention
            .query_key_norms
            .iter()
            .flat_map(|n| [&n.query, &n.key]);
        let norms = norms.chain(&attention.residual.input_norm);
        let whole = norms.flat_map(|norm| norm.tensors());
        let whole = whole.chain(attention.positions.tables());
        let whole = whole.chain(attention.sinks.as_deref());
        tensors.extend(whole.map(|name| (name, Cut::ROWS)));
        tensors
    }

    /// Takes the weights out of the numbers that were read.
    pub(super) fn take(
        numbers: &mut TensorNumbers,
        attention: &AttentionDescription,
        sizes: BlockSizes,
    ) -> Result<Self, ForwardError> {
        let norms = attention.query_key_norms.as_ref();
        Ok(Self {
            input_norm: numbers.optional_norm(attention.residual.input_norm.as_ref())?,
            query: numbers.take_map(&attention.query, sizes.heads)?,
            key: numbers.take_map(&attention.key, sizes.heads)?,
            query_norm: numbers.optional_norm(norms.map(|norms| &norms.query))?,
            key_norm: numbers.optional_norm(norms.map(|norms| &norms.key))?,
            norms_heads: norms.is_some_and(|norms| norms.is_per_head),
            positions: PositionWeights::take(numbers, &attention.positions, sizes.heads)?,
            scale: attention.scale.factor(sizes.head_width),
            mask: attention.mask,
            reach: attention.reach.map(|reach| reach as usize),
            sinks: numbers.optional_vector(attention.sinks.as_deref())?,
            heads: sizes.heads,
            key_heads: sizes.key_heads,
            head_width: sizes.head_width,
        })
    }

    /// Weights of a layer whose positions are added to words. `inputs` and `mode` decide whether its norm and its biases
    /// are used.
    #[must_use]
    pub fn from_layer(
        weights: &LayerWeights,
        layout: HeadLayout,
        inputs: &Inputs,
        mode: ScoreMode,
    ) -> Self {
        let [uses_biases, uses_norms] = inputs.uses_biases_and_norms(mode);
        let map = |weight: &Array2<f32>, bias: &Option<Vec<f32>>| LinearMap {
            weight: weight.clone(),
            bias: bias.clone().filter(|_| uses_biases),
        };
        let head_width = weights.query.ncols() / layout.heads.max(1);
        let norm = weights.norm.as_ref().filter(|_| uses_norms);
        Self {
            input_norm: norm.map(NormWeights::from),
            query: map(&weights.query, &weights.query_bias),
            key: map(&weights.key, &weights.key_bias),
            query_norm: None,
            key_norm: None,
            norms_heads: false,
            positions: PositionWeights::None,
            scale: if layout.is_scaled {
                (head_width as f64).sqrt().recip()
            } else {
                1.0
            },
            mask: AttentionMask::Whole,
            reach: None,
            sinks: None,
            heads: layout.heads,
            key_heads: layout.heads,
            head_width,
        }
    }

    /// Weights of one head alone, as those of a layer with one head; `None` if there is no such head, or if heads
    /// cannot be separated because all are normed as one row.
    #[must_use]
    pub fn select_head(&self, head: usize) -> Option<Self> {
        let is_one_row = self.query_norm.is_some() && !self.norms_heads;
        if head >= self.heads || is_one_row {
            return None;
        }
        let (columns, key_columns) = (self.query_columns(head), self.key_columns(head));
        Some(Self {
            input_norm: self.input_norm.clone(),
            query: self.query.select_outputs(columns.clone()),
            key: self.key.select_outputs(key_columns.clone()),
            query_norm: self.query_norm.clone(),
            key_norm: self.key_norm.clone(),
            positions: self.positions.select_head(head, columns, key_columns),
            sinks: self.sinks.as_ref().map(|sinks| vec![sinks[head]]),
            heads: 1,
            key_heads: 1,
            ..*self
        })
    }

    /// Applies the norms of queries and keys, if there are any, to rows of all heads.
    pub(super) fn norm_heads(&self, queries: &mut Array2<f32>, keys: &mut Array2<f32>) {
        let norms = [&self.query_norm, &self.key_norm];
        for (norm, rows) in norms.into_iter().zip([queries, keys]) {
            match norm {
                Some(norm) if self.norms_heads => {
                    for first in (0..rows.ncols()).step_by(self.head_width) {
                        norm.apply(rows.slice_mut(s![.., first..first + self.head_width]));
                    }
                }
                Some(norm) => norm.apply(rows.view_mut()),
                None => {}
            }
        }
    }

    /// Columns of a head's queries among those of all.
    pub(super) fn query_columns(&self, head: usize) -> Range<usize> {
        head * self.head_width..(head + 1) * self.head_width
    }

    /// The key head that a query head meets.
    #[must_use]
    pub fn key_head(&self, head: usize) -> usize {
        key_head(head, self.heads, self.key_heads)
    }

    /// Columns of a head's keys, and of its values, among those of all. Several heads may share them.
    pub(super) fn key_columns(&self, head: usize) -> Range<usize> {
        let key_head = self.key_head(head);
        key_head * self.head_width..(key_head + 1) * self.head_width
    }

    /// Input of queries, keys and values: the states after the attention's own norm, if it has one, [n, hidden].
    ///
    /// # Panics
    /// If the states do not have the model's width.
    #[must_use]
    pub fn attention_input(&self, states: ArrayView2<'_, f32>) -> Array2<f32> {
        NormWeights::apply_optional(self.input_norm.as_ref(), states)
    }
}

/// Tensors of a linear map.
pub(super) fn map_tensors(map: &LinearTensors) -> impl Iterator<Item = (&str, Cut)> {
    let names = [Some(&map.weight), map.bias.as_ref()];
    names
        .into_iter()
        .flatten()
        .map(|name| (name.as_str(), map.cut))
}
