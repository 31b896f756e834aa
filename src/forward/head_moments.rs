//! Means and covariances of a layer's queries and keys over words, and what they say of position and content.

use ndarray::{Array1, Array2, ArrayView2, s};

use super::{
    ForwardError, ForwardPass, LinearMap, ScoreWeights, position_weights::key_head,
    word_states::WordStates,
};
use crate::{
    checkpoint::Weights,
    math::{KeyRotation, PositionBudget, VectorMoments, matrix_product::product},
    model::CenterSource,
};

/// Moments of every head of a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadMoments {
    /// Queries, one per head.
    pub queries: Vec<VectorMoments>,
    /// Keys, one per key head.
    pub keys: Vec<VectorMoments>,
    /// Number of words over which the moments are taken, and of all words; 0 for isotropic states.
    pub words: (u64, u64),
}

/// Sums over words of the vectors and of the outer products of one kind of heads.
struct MomentSums {
    width: usize,
    sums: Vec<Array1<f64>>,
    products: Vec<Array2<f64>>,
}

impl ForwardPass {
    /// Moments of the queries and keys of the first layer over the vocabulary, or over a sample of it unless `is_exact`.
    /// `weights` are those of that layer.
    ///
    /// # Errors
    /// As [`Self::read_centers`].
    pub async fn read_moments<W: Weights>(
        &self,
        checkpoint: &W,
        weights: &ScoreWeights,
        is_exact: bool,
        mut progress: impl FnMut(u64, u64),
        pause: &impl AsyncFn(),
    ) -> Result<HeadMoments, ForwardError> {
        if self.description.center_source(0) != Some(CenterSource::Words) {
            return Err(ForwardError::NoCenters { layer: 0 });
        }
        let mut words = WordStates::open(checkpoint, self, pause).await?;
        let rows = words.rows(weights, true, is_exact);
        let [mut queries, mut keys] = MomentSums::of_heads(weights);
        let add = async |states: Array2<f32>| {
            let [q, k] = weights.words(&states, pause).await;
            queries.add(q.view());
            keys.add(k.view());
        };
        words.read(&rows, add, &mut progress, pause).await?;
        let count = rows.count();
        Ok(HeadMoments {
            queries: queries.finish(count as f64),
            keys: keys.finish(count as f64),
            words: (count, words.count),
        })
    }
}

impl MomentSums {
    /// Empty sums of the queries and of the keys of a layer.
    fn of_heads(weights: &ScoreWeights) -> [Self; 2] {
        [weights.heads, weights.key_heads].map(|heads| Self::new(heads, weights.head_width))
    }

    fn new(heads: usize, width: usize) -> Self {
        Self {
            width,
            sums: vec![Array1::zeros(width); heads],
            products: vec![Array2::zeros((width, width)); heads],
        }
    }

    fn add(&mut self, rows: ArrayView2<'_, f32>) {
        let heads = self.sums.iter_mut().zip(&mut self.products);
        for (head, (sum, products)) in heads.enumerate() {
            let columns = head * self.width..(head + 1) * self.width;
            let rows = rows.slice(s![.., columns]);
            for row in rows.rows() {
                *sum += &row.mapv(f64::from);
            }
            *products += &product(rows.t(), rows, 1.0).mapv(f64::from);
        }
    }

    fn finish(self, count: f64) -> Vec<VectorMoments> {
        let heads = self.sums.iter().zip(&self.products);
        heads
            .map(|(sum, products)| VectorMoments::from_sums(sum, products, count))
            .collect()
    }
}

impl HeadMoments {
    /// Moments over the tokens of a text, whose states enter the layer, [n, hidden].
    pub async fn from_states(
        weights: &ScoreWeights,
        states: &Array2<f32>,
        pause: &impl AsyncFn(),
    ) -> Self {
        let [mut queries, mut keys] = MomentSums::of_heads(weights);
        let [q, k] = weights.words(states, pause).await;
        queries.add(q.view());
        keys.add(k.view());
        let count = states.nrows() as u64;
        Self {
            queries: queries.finish(count as f64),
            keys: keys.finish(count as f64),
            words: (count, count),
        }
    }

    /// Moments for isotropic states in front of the scales of a layer's norm: G = W·Wᵀ of every head, without words.
    #[must_use]
    pub fn isotropic(weights: &ScoreWeights) -> Self {
        let scales = weights.input_norm.as_ref().map(|norm| &norm.scales);
        let heads = |map: &LinearMap, count: usize| {
            let head = |head: usize| {
                let columns = head * weights.head_width..(head + 1) * weights.head_width;
                let mut weight = map.weight.slice(s![.., columns]).to_owned();
                for (mut row, scale) in weight
                    .rows_mut()
                    .into_iter()
                    .zip(scales.into_iter().flatten())
                {
                    row *= *scale;
                }
                VectorMoments::isotropic(product(weight.t(), weight.view(), 1.0).mapv(f64::from))
            };
            (0..count).map(head).collect()
        };
        Self {
            queries: heads(&weights.query, weights.heads),
            keys: heads(&weights.key, weights.key_heads),
            words: (0, 0),
        }
    }

    /// Budget of a head over offsets that are equally frequent.
    ///
    /// # Panics
    /// If there is no such head, or there are no offsets.
    #[must_use]
    pub fn budget(
        &self,
        rotation: &KeyRotation,
        head: usize,
        offsets: impl IntoIterator<Item = i64>,
    ) -> PositionBudget {
        let key = key_head(head, self.queries.len(), self.keys.len());
        PositionBudget::compute(&self.queries[head], &self.keys[key], rotation, offsets)
    }
}
