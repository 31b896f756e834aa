//! Heads and predictions of a text that has passed the layers of an open model.

use super::{
    Failure, FailureKind, MOST_STATES, PredictionKind, Progress, TextShift, TextSupport,
    TextValues, TokenPrediction,
    loaded_model::LoadedModel,
    model_cache::CacheKey,
    text::{KeyWindow, TextHead},
    text_runs::TextStates,
};
use crate::{
    checkpoint::Weights,
    forward::{
        Embedding, ForwardError, ForwardPass, HeadOutputProducts, LayerAttention, LayerSinks,
        ScoreParts, ScoreWeights,
    },
    math::AttentionMask,
};
use ndarray::{Array2, Axis};
use std::rc::Rc;

/// Number of words that a prediction lists.
const TOP: usize = 10;

#[derive(Clone, PartialEq)]
struct OfForwardPass;

impl CacheKey for OfForwardPass {
    type Value = ForwardPass;

    fn numbers(_: &ForwardPass) -> usize {
        0
    }
}

#[derive(Clone, PartialEq)]
struct OfScorePass;

impl CacheKey for OfScorePass {
    type Value = ForwardPass;

    fn numbers(_: &ForwardPass) -> usize {
        0
    }
}

#[derive(Clone, PartialEq)]
struct OfScoreWeights(usize);

impl CacheKey for OfScoreWeights {
    type Value = ScoreWeights;

    fn numbers(value: &ScoreWeights) -> usize {
        value.query.weight.len() + value.key.weight.len()
    }
}

/// Embedding of a text, and the weights of the scores of the first layer.
pub(super) struct FirstTextLayer {
    embedding: Embedding,
    weights: Rc<ScoreWeights>,
}

impl FirstTextLayer {
    /// Queries and keys as sums of parts.
    ///
    /// # Errors
    /// If they are rotated.
    pub(super) fn parts(&self) -> Result<ScoreParts<'_>, Failure> {
        ScoreParts::new(&self.weights, &self.embedding).ok_or_else(|| {
            Failure::not_there(
                "This model rotates queries and keys by their positions, so its scores are not a sum of parts by \
                 content and position.",
            )
        })
    }

    /// Keys that the queries see.
    pub(super) fn window(&self) -> KeyWindow {
        KeyWindow::new(&self.weights)
    }
}

impl<W: Weights> LoadedModel<W> {
    /// The forward pass of the model.
    ///
    /// # Errors
    /// If the model cannot be run, as a sentence.
    pub(super) async fn forward_pass(&self) -> Result<Rc<ForwardPass>, Failure> {
        let (file, model) = self.weights_and_model()?;
        let make = async { Ok(ForwardPass::open(model, &file.checkpoint).await?) };
        self.cache.get(OfForwardPass, Box::pin(make)).await
    }

    /// The forward pass of the model as far as scores need it.
    ///
    /// # Errors
    /// If the scores cannot be read, as a sentence.
    pub(super) async fn score_pass(&self) -> Result<Rc<ForwardPass>, Failure> {
        let (file, model) = self.weights_and_model()?;
        let make = async { Ok(ForwardPass::open_scores(model, &file.checkpoint).await?) };
        self.cache.get(OfScorePass, Box::pin(make)).await
    }

    /// Sizes of the model that matter before a text is run.
    pub(super) async fn text_support(&self) -> Result<TextSupport, Failure> {
        let pass = self.forward_pass().await?;
        let (file, _) = self.weights_and_model()?;
        let checkpoint = &file.checkpoint;
        let by_memory = MOST_STATES / (pass.hidden_width() * (pass.layers() + 1)).max(1);
        let by_positions = pass.longest_text().unwrap_or(usize::MAX);
        let mut layer_bytes = 0;
        for pass in [Some(&*pass), pass.encoder()].into_iter().flatten() {
            let mut counted = Vec::new();
            for layer in 0..pass.layers() {
                if !counted.contains(&pass.weights_of(layer)) {
                    counted.push(pass.weights_of(layer));
                    layer_bytes += pass.layer_bytes(checkpoint, layer).await?;
                }
            }
        }
        Ok(TextSupport {
            layers: pass.layers(),
            heads: pass.heads(),
            longest_text: by_positions.min(by_memory),
            is_limited_by_memory: by_memory < by_positions,
            vocabulary: pass.words(checkpoint).await?,
            layer_bytes,
            is_remote: checkpoint.is_remote(),
            predictions: prediction_kind(&pass),
            mask: mask(&pass),
            shift: text_shift(&pass),
        })
    }

    /// Weights of the scores of a layer.
    pub(super) async fn score_weights(
        &self,
        pass: &ForwardPass,
        layer: usize,
        watch: &impl Progress,
    ) -> Result<Rc<ScoreWeights>, Failure> {
        let (file, _) = self.weights_and_model()?;
        let checkpoint = &file.checkpoint;
        let pause = async || watch.pause().await;
        let make = async { Ok::<_, Failure>(pass.read_scores(checkpoint, layer, &pause).await?) };
        let key = OfScoreWeights(pass.weights_of(layer));
        let weights = self.cache.get(key, Box::pin(make)).await?;
        watch.progress(checkpoint.bytes_read(), checkpoint.size());
        Ok(weights)
    }

    /// Scores or attention of a head over a text.
    ///
    /// # Errors
    /// If the text has not passed the layers before, the layer has no such head, or weights cannot be read.
    pub(super) async fn text_head(
        &self,
        text: &TextStates,
        (layer, head): (usize, usize),
        values: TextValues,
        watch: &impl Progress,
    ) -> Result<TextHead, Failure> {
        let pass = self.forward_pass().await?;
        let (states, _) = text.layer(layer)?;
        let weights = self.score_weights(&pass, layer, watch).await?;
        if head >= weights.heads {
            return Err(Failure::not_there(format!(
                "Layer {} has {} heads, so there is no head {}.",
                layer + 1,
                weights.heads,
                head + 1
            )));
        }
        watch.pause().await;
        // Only the queries and keys of this head are formed, where it can be separated from the others.
        let alone = weights.select_head(head);
        let (weights, head) = match &alone {
            Some(alone) => (alone, 0),
            None => (&*weights, head),
        };
        let attention = LayerAttention::new(weights, states.x.view());
        let n = attention.n();
        Ok(TextHead {
            cells: match values {
                TextValues::Attention => attention.attention(head, 0..n),
                TextValues::Scores => attention.scores(head, 0..n),
            },
            window: KeyWindow::new(weights),
        })
    }

    /// Sinks of a layer of the pass; `None` if its heads have none.
    ///
    /// # Errors
    /// If they are missing or cannot be read.
    pub(super) async fn sinks(
        &self,
        layer: usize,
        watch: &impl Progress,
    ) -> Result<Option<LayerSinks>, Failure> {
        let pass = self.score_pass().await?;
        let (file, _) = self.weights_and_model()?;
        let pause = async || watch.pause().await;
        Ok(pass.read_sinks(&file.checkpoint, layer, &pause).await?)
    }

    /// Embedding of a text, and the weights of the scores of the first layer.
    ///
    /// # Errors
    /// If the states came without a text, or tensors cannot be read.
    pub(super) async fn first_text_layer(
        &self,
        text: &TextStates,
        watch: &impl Progress,
    ) -> Result<FirstTextLayer, Failure> {
        let pass = self.forward_pass().await?;
        let (file, _) = self.weights_and_model()?;
        let pause = async || watch.pause().await;
        let ids = [text.tokens().ids.clone()];
        let embedding = pass.embed(&file.checkpoint, &ids, &pause).await?;
        let weights = self.score_weights(&pass, 0, watch).await?;
        Ok(FirstTextLayer { embedding, weights })
    }

    /// Products of the maps from states to the outputs of the heads of a layer.
    ///
    /// # Errors
    /// If tensors are missing or cannot be read.
    pub(super) async fn output_products(
        &self,
        layer: usize,
        watch: &impl Progress,
    ) -> Result<HeadOutputProducts, Failure> {
        let (file, model) = self.weights_and_model()?;
        let pass = ForwardPass::open_attention(model, &file.checkpoint).await?;
        let pause = async || watch.pause().await;
        let products = pass.read_output_products(&file.checkpoint, layer, &pause);
        Ok(products.await?)
    }

    /// Predictions at some positions of a text.
    ///
    /// # Errors
    /// If the text has not passed the whole model, has no such position, or the model predicts no tokens.
    pub(super) async fn predict_tokens(
        &self,
        text: &TextStates,
        positions: &[usize],
        watch: &impl Progress,
    ) -> Result<Vec<TokenPrediction>, Failure> {
        let pass = self.forward_pass().await?;
        let (file, _) = self.weights_and_model()?;
        let kind = prediction_kind(&pass).ok_or(ForwardError::NoPrediction)?;
        let (states, tokens) = (text.last()?, text.tokens());
        if let Some(position) = positions.iter().find(|at| **at >= states.nrows()) {
            return Err(Failure::not_there(format!(
                "The text has {} tokens, so there is no token {}.",
                states.nrows(),
                position + 1
            )));
        }
        let rows: Array2<f32> = states.select(Axis(0), positions);
        let pause = async || watch.pause().await;
        let checkpoint = &file.checkpoint;
        if kind == PredictionKind::Replaced {
            let found = pass
                .detect_replaced_words(checkpoint, rows.view(), &pause)
                .await?;
            let found = positions.iter().zip(found);
            let prediction = |(position, probability): (&usize, f64)| TokenPrediction {
                position: *position,
                kind,
                top: vec![(tokens.ids.get(*position).copied().unwrap_or(0), probability)],
                rank: None,
                surprise: f64::NAN,
            };
            return Ok(found.map(prediction).collect());
        }
        let truth_at = |position: usize| match kind {
            PredictionKind::Next => tokens.ids.get(position + 1).copied(),
            PredictionKind::Masked | PredictionKind::Replaced => tokens.ids.get(position).copied(),
        };
        let truth: Vec<Option<u32>> = positions.iter().map(|at| truth_at(*at)).collect();
        let found = pass
            .predict(checkpoint, rows.view(), &truth, TOP, &pause)
            .await?;
        watch.progress(checkpoint.bytes_read(), checkpoint.size());
        let found = positions.iter().zip(truth).zip(found);
        let prediction = found.map(|((position, truth), found)| TokenPrediction {
            position: *position,
            kind,
            top: (found.top.iter().map(|word| (word.word, word.probability))).collect(),
            rank: truth
                .zip(found.truth)
                .map(|(id, truth)| (id, truth.rank + 1)),
            surprise: found.truth.map_or(f64::NAN, |truth| truth.surprise),
        });
        Ok(prediction.collect())
    }
}

/// Meaning of a model's predictions.
fn prediction_kind(pass: &ForwardPass) -> Option<PredictionKind> {
    if pass.detects_replaced_words() {
        Some(PredictionKind::Replaced)
    } else if !pass.predicts_words() {
        None
    } else if pass.is_causal() {
        Some(PredictionKind::Next)
    } else {
        Some(PredictionKind::Masked)
    }
}

/// How the layers of a model see a text.
pub(super) fn text_shift(pass: &ForwardPass) -> TextShift {
    match (pass.encoder(), pass.start_word()) {
        (None, _) => TextShift::Whole,
        (Some(_), Some(word)) => TextShift::BehindWord(word),
        (Some(_), None) => TextShift::LastFirst,
    }
}

fn mask(pass: &ForwardPass) -> AttentionMask {
    if pass.is_causal() {
        AttentionMask::Causal
    } else {
        AttentionMask::Whole
    }
}

impl From<ForwardError> for Failure {
    fn from(error: ForwardError) -> Self {
        match error {
            ForwardError::Model(error) => error.into(),
            ForwardError::NotDescribed { .. }
            | ForwardError::NoPrediction
            | ForwardError::NoDetector
            | ForwardError::NoEncoder
            | ForwardError::NoCenters { .. }
            | ForwardError::NoOutputs { .. }
            | ForwardError::EmptyText { .. } => Self::not_there(error.to_string()),
            ForwardError::TooLong { .. } => Self::new(FailureKind::TooLarge, error.to_string()),
            ForwardError::LargeExperts { .. } => {
                Self::new(FailureKind::TooLarge, error.to_string())
            }
            ForwardError::Activation { .. }
            | ForwardError::PackedExperts { .. }
            | ForwardError::Overflow { .. }
            | ForwardError::Tensor { .. } => Self::new(FailureKind::RefusedFile, error.to_string()),
        }
    }
}
