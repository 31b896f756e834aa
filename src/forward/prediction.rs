//! Predictions of words from last states, a slice of the vocabulary at a time.

use futures_util::{StreamExt, stream};
use ndarray::{Array2, ArrayView2};
use row_kernels::exponentiate;
use std::pin::pin;

use super::{
    ForwardError, ForwardPass, LinearMap,
    activation::ActivationFunction,
    score_weights::map_tensors,
    tensor_numbers::{TensorNumbers, misfit, rows_per_slice},
    word_rows::rows_by_id,
};
use crate::{
    checkpoint::{Order, TensorInfo, Weights},
    model::{Cut, HeadTransform, PredictionHead, read::refuse_non_numbers},
};

/// Prediction at one position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WordPrediction {
    /// The words with the greatest scores, the greatest first.
    pub top: Vec<WordScore>,
    /// The word that is there, if it was given.
    pub truth: Option<TrueWord>,
}

/// A word with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordScore {
    /// Id of the word.
    pub word: u32,
    /// Its score, before the softmax over all words.
    pub score: f64,
    /// Its probability.
    pub probability: f64,
}

/// The word that is at a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrueWord {
    /// Number of words with greater scores.
    pub rank: usize,
    /// −log₂ of its probability, in bits.
    pub surprise: f64,
}

/// Greatest number of positions whose scores of a slice are in memory at once.
const POSITIONS: usize = 128;

impl ForwardPass {
    /// Whether the file predicts words.
    #[must_use]
    pub fn predicts_words(&self) -> bool {
        self.description.head.is_some()
    }

    /// Number of words that are predicted.
    ///
    /// # Errors
    /// If the model predicts none, or the table is missing.
    pub async fn vocabulary<W: Weights>(&self, checkpoint: &W) -> Result<usize, ForwardError> {
        let head = self.description.head.as_ref();
        let head = head.ok_or(ForwardError::NoPrediction)?;
        let words = checkpoint.locate(&head.words).await?;
        Ok(words.shape.first().map_or(0, |rows| *rows as usize))
    }

    /// Applies what follows the last layer: its norm, and the map to the width of words. States are [n, hidden].
    ///
    /// # Errors
    /// If tensors are missing, do not fit, cannot be read, or are not finite.
    pub async fn last_states<W: Weights>(
        &self,
        checkpoint: &W,
        states: ArrayView2<'_, f32>,
        pause: &impl AsyncFn(),
    ) -> Result<Array2<f32>, ForwardError> {
        let description = &self.description;
        description
            .check_head(checkpoint, self.hidden_width())
            .await?;
        let norms = description
            .final_norm
            .iter()
            .flat_map(|norm| norm.tensors());
        let mut tensors: Vec<(&str, Cut)> = norms.map(|name| (name, Cut::ROWS)).collect();
        tensors.extend(description.final_map.iter().flat_map(map_tensors));
        let mut numbers = TensorNumbers::read(checkpoint, &tensors, pause).await?;
        let mut states = states.to_owned();
        if let Some(norm) = numbers.optional_norm(description.final_norm.as_ref())? {
            norm.apply(states.view_mut());
        }
        if let Some(map) = &description.final_map {
            states = numbers.take_map(map, 1)?.apply(states.view(), pause).await;
        }
        Ok(states)
    }

    /// Predicts words from states that left the last layer, [positions, hidden]. `truth` is the word at each position,
    /// where it is known, and `top` the number of words to list.
    ///
    /// # Errors
    /// If the model predicts no words, has no such word, or its tensors are missing, do not fit, cannot be read, or are
    /// not finite.
    ///
    /// # Panics
    /// If there is another number of words than of positions.
    pub async fn predict<W: Weights>(
        &self,
        checkpoint: &W,
        states: ArrayView2<'_, f32>,
        truth: &[Option<u32>],
        top: usize,
        pause: &impl AsyncFn(),
    ) -> Result<Vec<WordPrediction>, ForwardError> {
        assert_eq!(states.nrows(), truth.len(), "one word per position");
        let head = self.description.head.as_ref();
        let head = head.ok_or(ForwardError::NoPrediction)?;
        let mut states = self.last_states(checkpoint, states, pause).await?;
        if let Some(transform) = &head.transform {
            states = apply_transform(checkpoint, transform, states, pause).await?;
        }
        let words = checkpoint.locate(&head.words).await?;
        let bias = read_bias(checkpoint, head, pause).await?;
        let true_scores = true_scores(checkpoint, &words, &bias, &states, truth).await?;
        let mut rankings: Vec<Ranking> = Vec::new();
        for score in true_scores {
            rankings.push(Ranking::new(top, score));
        }
        let count = words.shape.first().copied().unwrap_or(0);
        let step = match words.order {
            Order::ColumnMajor => count.max(1),
            _ => rows_per_slice(&words),
        };
        let slices = (0..count).step_by(step as usize);
        let reads = slices.map(async |first| {
            let slice = first..count.min(first + step);
            let numbers = checkpoint.read_rows(&words, slice.clone()).await;
            (slice, numbers)
        });
        // The next slice is read while one is multiplied.
        let mut reads = pin!(stream::iter(reads).buffered(2));
        while let Some((slice, numbers)) = reads.next().await {
            let (first, numbers) = (slice.start, numbers?);
            refuse_non_numbers(&numbers, &words, first, states.ncols())?;
            let table =
                Array2::from_shape_vec(((slice.end - first) as usize, states.ncols()), numbers);
            let table = table.map_err(|_misfit| misfit(&words.name))?;
            let range = first as usize..slice.end as usize;
            let map = LinearMap {
                weight: table.reversed_axes(),
                bias: bias.as_ref().map(|bias| bias[range].to_vec()),
            };
            for (at, rankings) in rankings.chunks_mut(POSITIONS).enumerate() {
                let rows = at * POSITIONS..at * POSITIONS + rankings.len();
                let scores = map.apply(states.slice(ndarray::s![rows, ..]), pause).await;
                for (ranking, scores) in rankings.iter_mut().zip(scores.rows()) {
                    ranking.add(first as u32, scores.to_vec());
                }
                pause().await;
            }
        }
        let predictions: Option<Vec<_>> = rankings.into_iter().map(Ranking::finish).collect();
        let layer = self.layers().checked_sub(1);
        predictions.ok_or(ForwardError::Overflow { layer })
    }
}

/// Scores of all words at one position, as they come.
struct Ranking {
    /// Number of words to list.
    most: usize,
    /// Words with the greatest scores so far, the greatest first.
    top: Vec<(u32, f32)>,
    greatest: f32,
    /// Sum of exp(score − greatest).
    sum: f64,
    /// The true word and its score.
    truth: Option<(u32, f32)>,
    /// Number of words with scores above the true one.
    above: usize,
}

impl Ranking {
    fn new(most: usize, truth: Option<(u32, f32)>) -> Self {
        Self {
            most,
            top: Vec::new(),
            greatest: f32::NEG_INFINITY,
            sum: 0.0,
            truth,
            above: 0,
        }
    }

    /// Adds the scores of consecutive words.
    fn add(&mut self, first: u32, mut scores: Vec<f32>) {
        for (word, score) in (first..).zip(&scores) {
            match self.truth {
                // Its score was computed in another order of additions, which may differ in the last digit.
                Some((truth, _)) if truth == word => self.truth = Some((word, *score)),
                Some((_, truth)) => self.above += usize::from(*score > truth),
                None => {}
            }
            let is_full = self.top.len() >= self.most;
            if is_full && self.top.last().is_none_or(|(_, least)| *score <= *least) {
                continue;
            }
            let at = self.top.partition_point(|(_, other)| *other >= *score);
            self.top.insert(at, (word, *score));
            self.top.truncate(self.most);
        }
        let (greatest, sum) = exponentiate(&mut scores);
        let most = self.greatest.max(greatest);
        let rescaled = |sum: f64, greatest: f32| {
            if sum > 0.0 {
                sum * f64::from(greatest - most).exp()
            } else {
                sum
            }
        };
        self.sum = rescaled(self.sum, self.greatest) + rescaled(sum, greatest);
        self.greatest = most;
    }

    /// The prediction; `None` if scores are outside single precision.
    fn finish(self) -> Option<WordPrediction> {
        if !self.sum.is_finite() || !self.greatest.is_finite() {
            return None;
        }
        let log_total = f64::from(self.greatest) + self.sum.ln();
        let log_probability = |score: f32| f64::from(score) - log_total;
        let word = |(word, score): (u32, f32)| WordScore {
            word,
            score: f64::from(score),
            probability: log_probability(score).exp(),
        };
        Some(WordPrediction {
            truth: self.truth.map(|(_, score)| TrueWord {
                rank: self.above,
                surprise: -log_probability(score) / std::f64::consts::LN_2,
            }),
            top: self.top.into_iter().map(word).collect(),
        })
    }
}

async fn apply_transform<W: Weights>(
    checkpoint: &W,
    transform: &HeadTransform,
    states: Array2<f32>,
    pause: &impl AsyncFn(),
) -> Result<Array2<f32>, ForwardError> {
    let activation = ActivationFunction::find(&transform.activation)?;
    let norm = transform.norm.tensors().map(|name| (name, Cut::ROWS));
    let tensors: Vec<(&str, Cut)> = map_tensors(&transform.dense).chain(norm).collect();
    let mut numbers = TensorNumbers::read(checkpoint, &tensors, pause).await?;
    let norm = numbers.norm(&transform.norm)?;
    let dense = numbers.take_map(&transform.dense, 1)?;
    let mut states = dense.apply(states.view(), pause).await;
    activation.apply_to_rows(&mut states);
    norm.apply(states.view_mut());
    Ok(states)
}

async fn read_bias<W: Weights>(
    checkpoint: &W,
    head: &PredictionHead,
    pause: &impl AsyncFn(),
) -> Result<Option<Vec<f32>>, ForwardError> {
    let Some(name) = &head.bias else {
        return Ok(None);
    };
    let numbers = TensorNumbers::read(checkpoint, &[(name, Cut::ROWS)], pause).await?;
    Ok(Some(numbers.vector(name)?))
}

/// The true word at every position and its score.
async fn true_scores<W: Weights>(
    checkpoint: &W,
    words: &TensorInfo,
    bias: &Option<Vec<f32>>,
    states: &Array2<f32>,
    truth: &[Option<u32>],
) -> Result<Vec<Option<(u32, f32)>>, ForwardError> {
    let ids: Vec<u32> = truth.iter().copied().flatten().collect();
    let rows = rows_by_id(checkpoint, words, &ids).await?;
    if rows.ncols() != states.ncols() {
        return Err(misfit(&words.name));
    }
    let mut rows = rows.rows().into_iter();
    let score = |(id, state): (&Option<u32>, ndarray::ArrayView1<'_, f32>)| {
        let id = (*id)?;
        let products = rows.next()?.into_iter().zip(state);
        let product: f64 = products.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        let bias = bias.as_ref().and_then(|bias| bias.get(id as usize));
        let bias = bias.map_or(0.0, |bias| f64::from(*bias));
        Some((id, (product + bias) as f32))
    };
    Ok(truth.iter().zip(states.rows()).map(score).collect())
}
