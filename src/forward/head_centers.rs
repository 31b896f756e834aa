//! Mean queries and keys of a layer's heads, and the scores by offset that rotation makes of them.
//!
//! With query and key words independent, the mean score of a rotary head at offset k depends on the means of its
//! queries and keys alone: E s(k) = f(k), see [`RotaryScores`]. In the first layer the states are words, so the means
//! are over the vocabulary. In any layer with biases, β·W + b is the part that all words share, from the bias β of the
//! norm before the maps and their own biases b. In any layer that a text has passed, the means may be those over its
//! tokens.

use ndarray::{Array2, ArrayView1, Axis};

use super::{
    ForwardError, ForwardPass, LinearMap, RotaryHeads, ScoreWeights,
    tensor_numbers::{TensorNumbers, misfit},
    word_states::WordStates,
};
use crate::{
    checkpoint::Weights,
    encoding::RotaryScores,
    model::{CenterSource, Cut, Estimate, words::BlockMeans},
};

/// Mean query and key of every head of a layer, before they are rotated.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadCenters {
    /// Mean queries, [heads, width].
    pub queries: Array2<f64>,
    /// Mean keys, [key heads, width].
    pub keys: Array2<f64>,
    /// Accuracy of a mean over a sample of words; `None` if it is exact.
    pub estimate: Option<Estimate>,
}

impl ForwardPass {
    /// Reads the centres of a layer's heads, and their rotation. `is_exact` takes the mean over all words even if that
    /// takes long. Calls `progress` with the bytes of words read and their total.
    ///
    /// # Errors
    /// If the centres depend on a text ([`ModelDescription::center_source`](crate::model::ModelDescription)), as
    /// [`Self::read_scores`], and if words cannot be read or are not finite.
    pub async fn read_centers<W: Weights>(
        &self,
        checkpoint: &W,
        layer: usize,
        is_exact: bool,
        mut progress: impl FnMut(u64, u64),
        pause: &impl AsyncFn(),
    ) -> Result<(RotaryHeads, HeadCenters), ForwardError> {
        match self.description.center_source(layer) {
            None => Err(ForwardError::NoCenters { layer }),
            Some(CenterSource::Biases) => {
                if let Some(shift) = self.description.input_shift(layer) {
                    let weights = self.read_scores(checkpoint, layer, pause).await?;
                    let numbers = [(shift, Cut::ROWS)];
                    let numbers = TensorNumbers::read(checkpoint, &numbers, pause).await?;
                    let input: Vec<f64> =
                        numbers.vector(shift)?.into_iter().map(f64::from).collect();
                    if input.len() != weights.query.weight.nrows() {
                        return Err(misfit(shift));
                    }
                    let centers = HeadCenters::from_input(&weights, &input, None);
                    return Ok((weights.rotary_heads(), centers));
                }
                let (heads, biases) = self.read_biases(checkpoint, layer, pause).await?;
                let [queries, keys] = biases.map(|bias| bias.into_iter().map(f64::from).collect());
                let centers = HeadCenters::new(&heads, queries, keys, None);
                Ok((heads, centers))
            }
            Some(CenterSource::Words) => {
                let weights = self.read_scores(checkpoint, layer, pause).await?;
                let words = WordStates::open(checkpoint, self, pause).await?;
                let centers =
                    HeadCenters::from_words(words, &weights, is_exact, &mut progress, pause)
                        .await?;
                Ok((weights.rotary_heads(), centers))
            }
        }
    }
}

impl RotaryHeads {
    /// Scores by offset of every head for given centres, with the angles of a text of `length` tokens: as the file says
    /// if `is_scaled`, else those of training.
    ///
    /// # Panics
    /// If the centres are those of other heads.
    #[must_use]
    pub fn scores(
        &self,
        centers: &HeadCenters,
        length: usize,
        is_scaled: bool,
    ) -> Vec<RotaryScores> {
        let rotation = self.key_rotation(length, is_scaled);
        let head = |head: usize| {
            let query = centers.queries.row(head).to_vec();
            let key = centers.keys.row(self.key_head(head)).to_vec();
            RotaryScores::new((&query, &key), &rotation)
        };
        (0..self.heads).map(head).collect()
    }
}

impl HeadCenters {
    /// Centres from those of all heads in one row.
    fn new(
        heads: &RotaryHeads,
        queries: Vec<f64>,
        keys: Vec<f64>,
        estimate: Option<Estimate>,
    ) -> Self {
        let rows = |count, row| {
            let shape = (count, heads.head_width);
            Array2::from_shape_vec(shape, row).expect("all heads have one width")
        };
        Self {
            queries: rows(heads.heads, queries),
            keys: rows(heads.key_heads, keys),
            estimate,
        }
    }

    /// Centres from the mean input of queries and keys, [hidden], which are its linear maps.
    fn from_input(weights: &ScoreWeights, input: &[f64], estimate: Option<Estimate>) -> Self {
        let input = ArrayView1::from(input);
        let apply = |map: &LinearMap| -> Vec<f64> {
            // One head at a time, so that no weight is copied whole in double precision.
            let heads = map.weight.axis_chunks_iter(Axis(1), weights.head_width);
            let mut row: Vec<f64> = heads
                .flat_map(|weight| input.dot(&weight.mapv(f64::from)))
                .collect();
            for (value, bias) in row.iter_mut().zip(map.bias.iter().flatten()) {
                *value += f64::from(*bias);
            }
            row
        };
        let heads = weights.rotary_heads();
        Self::new(&heads, apply(&weights.query), apply(&weights.key), estimate)
    }

    /// Means over the tokens of a text, whose states enter the layer, [n, hidden]: before rotation, after any norms of
    /// queries and keys. NaN without tokens.
    pub async fn from_states(
        weights: &ScoreWeights,
        states: &Array2<f32>,
        pause: &impl AsyncFn(),
    ) -> Self {
        let count = states.nrows() as f64;
        let sides = weights.words(states, pause).await;
        let [queries, keys] = sides.map(|rows| {
            let sums = column_sums(rows).into_iter();
            sums.map(|sum| sum / count).collect::<Vec<f64>>()
        });
        Self::new(&weights.rotary_heads(), queries, keys, None)
    }

    /// Means over the vocabulary. Where queries and keys are linear in their input, the mean input is mapped; otherwise
    /// every word is.
    async fn from_words<W: Weights>(
        mut words: WordStates<'_, W>,
        weights: &ScoreWeights,
        is_exact: bool,
        progress: &mut impl FnMut(u64, u64),
        pause: &impl AsyncFn(),
    ) -> Result<Self, ForwardError> {
        let is_linear = weights.is_linear();
        let rows = words.rows(weights, !is_linear, is_exact);
        let (mut sums, mut blocks) = (Vec::new(), BlockMeans::default());
        let add = async |states: Array2<f32>| {
            let summands = if is_linear {
                vec![weights.attention_input(states.view())]
            } else {
                weights.words(&states, pause).await.to_vec()
            };
            let sum: Vec<f64> = summands.into_iter().flat_map(column_sums).collect();
            if rows.is_sample {
                let count = states.nrows() as f64;
                let mean: Vec<f64> = sum.iter().map(|sum| sum / count).collect();
                blocks.add(&mean);
            }
            sums.resize(sum.len(), 0.0);
            for (all, value) in sums.iter_mut().zip(sum) {
                *all += value;
            }
        };
        words.read(&rows, add, progress, pause).await?;
        let (mean, estimate) = if rows.is_sample {
            let (mean, estimate) = blocks.finish(words.count);
            (mean, Some(estimate))
        } else {
            let count = words.count as f64;
            (sums.iter().map(|sum| sum / count).collect(), None)
        };
        if is_linear {
            return Ok(Self::from_input(weights, &mean, estimate));
        }
        let (queries, keys) = mean.split_at(weights.query.weight.ncols());
        Ok(Self::new(
            &weights.rotary_heads(),
            queries.to_vec(),
            keys.to_vec(),
            estimate,
        ))
    }
}

impl ScoreWeights {
    /// Queries and keys of words before they are rotated, from the states that enter the layer.
    pub(super) async fn words(
        &self,
        states: &Array2<f32>,
        pause: &impl AsyncFn(),
    ) -> [Array2<f32>; 2] {
        let input = self.attention_input(states.view());
        let mut queries = self.query.apply(input.view(), pause).await;
        let mut keys = self.key.apply(input.view(), pause).await;
        self.norm_heads(&mut queries, &mut keys);
        [queries, keys]
    }

    /// Whether queries and keys are linear in their input.
    fn is_linear(&self) -> bool {
        self.query_norm.is_none() && self.key_norm.is_none()
    }
}

fn column_sums(rows: Array2<f32>) -> Vec<f64> {
    let mut sums = vec![0.0; rows.ncols()];
    for row in rows.rows() {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += f64::from(*value);
        }
    }
    sums
}
