//! Runs of models over texts: the hidden states that enter each layer's attention.
//!
//! A run holds no scores. Those of a head are computed from the states and the layer's weights when they are asked for.

use super::{Failure, FailureKind, ModelVersion, TextId, TextRunId, TextTokens};
use crate::model::{HiddenStates, LayerScores, ScoreMode};
use ndarray::{Array2, Axis};
use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

/// Maximum count of numbers in the states of all runs: 64 MB.
pub const MOST_STATES: usize = 16 << 20;

/// Failure if a text is to be run in a model whose heads are not products of hidden states alone.
pub(super) fn no_text_scores() -> Failure {
    Failure::not_there(
        "Scores over a text need a model that adds position embeddings to its tokens, with queries and keys that can be read. This model is of another kind; open one such as BERT or GPT-2.",
    )
}

/// Input of one layer's attention.
#[derive(Debug, Clone, PartialEq)]
pub struct EnteringStates {
    /// Hidden states before the layer's own `LayerNorm`, one row per position of the text, [n, hidden].
    pub x: Array2<f32>,
    /// Index of the layer's weights among [`crate::model::PositionModel::layers`]. Layers that share their weights have
    /// the same index.
    pub weights: usize,
}

/// A run of a model over one or more texts.
#[derive(Debug, Clone, PartialEq)]
pub struct TextRun {
    /// The model.
    pub model: ModelVersion,
    /// The input of every layer, for each text.
    pub texts: Vec<Vec<EnteringStates>>,
}

impl TextRun {
    /// Count of numbers in the states.
    #[must_use]
    pub fn numbers(&self) -> usize {
        let layers = self.texts.iter().flatten();
        layers.map(|layer| layer.x.len()).sum()
    }

    /// Fails unless every text has layers with rows of `hidden` finite numbers, and there are `layers` weights.
    fn check(&self, hidden_width: usize, layers: usize) -> Result<(), Failure> {
        for text in &self.texts {
            let rows = text.first().map_or(0, |layer| layer.x.nrows());
            let fits = |layer: &EnteringStates| {
                layer.x.dim() == (rows, hidden_width)
                    && layer.weights < layers
                    && layer.x.iter().all(|value| value.is_finite())
            };
            if rows == 0 || !text.iter().all(fits) {
                return Err(Failure::ours(
                    "The states of a run over a text do not fit the layers of its model.",
                ));
            }
        }
        Ok(())
    }
}

/// States of one text, as far as it has passed the model.
#[derive(Debug, Clone)]
pub(super) struct TextStates {
    tokens: Rc<TextTokens>,
    /// Input of each layer's attention, and the index of the layer's weights.
    layers: Vec<(Rc<HiddenStates>, usize)>,
    /// States after the last layer and the norm behind it, once the text has passed all layers.
    last: Option<Rc<Array2<f32>>>,
    /// Scores by offset of rotary heads for the mean query and key over the text, by layer, as far as they were needed.
    mean_scores: RefCell<BTreeMap<usize, Rc<LayerScores>>>,
}

impl TextStates {
    /// A text that has passed no layer.
    fn new(tokens: TextTokens) -> Self {
        Self {
            tokens: Rc::new(tokens),
            layers: Vec::new(),
            last: None,
            mean_scores: RefCell::default(),
        }
    }

    /// Adds the input of the next layer. The biases and norms of the layers are always used.
    fn push(&mut self, layer: EnteringStates) {
        let states = HiddenStates {
            x: layer.x,
            mean: None,
            uses_biases: true,
            uses_norms: true,
        };
        self.layers.push((Rc::new(states), layer.weights));
    }

    /// The tokens; none for states that came without a text.
    pub(super) fn tokens(&self) -> &Rc<TextTokens> {
        &self.tokens
    }

    /// Number of layers whose input is stored.
    pub(super) fn layers(&self) -> usize {
        self.layers.len()
    }

    /// Number of positions.
    pub(super) fn n(&self) -> usize {
        let first = self.layers.first();
        first.map_or(0, |(states, _)| states.x.nrows())
    }

    /// Input of a layer, counted from 0, and the index of its weights.
    pub(super) fn layer(&self, layer: usize) -> Result<(Rc<HiddenStates>, usize), Failure> {
        let input = self.layers.get(layer).cloned();
        input.ok_or_else(|| {
            Failure::not_there(format!(
                "The run over this text has no layer {}.",
                layer + 1
            ))
        })
    }

    /// States of the tokens that count in means, before a layer's own norm, [tokens, hidden].
    ///
    /// # Errors
    /// If the text has not passed the layers before, or no token counts.
    pub(super) fn states_of_means(&self, layer: usize) -> Result<Array2<f32>, Failure> {
        let (states, _) = self.layer(layer)?;
        let tokens = self.tokens.of_means();
        if tokens.is_empty() {
            return Err(Failure::not_there(
                "The text has no token besides the first one and special ones, so it has no mean query and key. Run a \
                 longer text.",
            ));
        }
        Ok(states.x.select(Axis(0), &tokens))
    }

    /// Scores of a layer for the mean query and key over the text; `make` computes them once.
    pub(super) async fn mean_scores(
        &self,
        layer: usize,
        make: impl Future<Output = Result<LayerScores, Failure>>,
    ) -> Result<Rc<LayerScores>, Failure> {
        let stored = self.mean_scores.borrow().get(&layer).cloned();
        if let Some(scores) = stored {
            return Ok(scores);
        }
        let scores = Rc::new(make.await?);
        let mut all = self.mean_scores.borrow_mut();
        all.insert(layer, Rc::clone(&scores));
        Ok(scores)
    }

    /// States after the last layer, [n, hidden].
    pub(super) fn last(&self) -> Result<Rc<Array2<f32>>, Failure> {
        self.last.clone().ok_or_else(|| {
            Failure::not_there("This text has not passed the whole model. Run the text again.")
        })
    }
}

/// Input of the queries and keys of a model's layers.
#[derive(Debug, Clone)]
pub(super) enum LayerInput {
    /// Positions alone.
    Positions(ScoreMode),
    /// The states of a text.
    Text(Rc<TextStates>),
}

/// A run with its number.
struct StoredRun {
    id: TextRunId,
    model: ModelVersion,
    texts: Vec<Rc<TextStates>>,
    numbers: usize,
}

/// Runs of the open models, at most [`MOST_STATES`] numbers. Drops the least recently used first.
#[derive(Default)]
pub(super) struct TextRuns {
    /// Runs, the most recently used last.
    runs: RefCell<Vec<StoredRun>>,
}

impl TextRuns {
    /// Begins a run over texts in place of any with its number, and frees memory for `numbers` numbers of states.
    ///
    /// # Errors
    /// If its states will take too much memory.
    pub(super) fn begin(
        &self,
        id: TextRunId,
        model: ModelVersion,
        texts: Vec<TextTokens>,
        numbers: usize,
    ) -> Result<(), Failure> {
        if numbers > MOST_STATES {
            return Err(too_large(numbers));
        }
        let mut runs = self.runs.borrow_mut();
        runs.retain(|other| other.id != id);
        let mut total: usize = runs.iter().map(|run| run.numbers).sum();
        while total + numbers > MOST_STATES {
            total -= runs.remove(0).numbers;
        }
        runs.push(StoredRun {
            id,
            model,
            texts: (texts.into_iter().map(TextStates::new).map(Rc::new)).collect(),
            numbers,
        });
        Ok(())
    }

    /// Adds the input of the next layer for each text of a run.
    ///
    /// # Errors
    /// If the run is no longer stored.
    pub(super) fn push_layer(
        &self,
        id: TextRunId,
        layer: impl IntoIterator<Item = EnteringStates>,
    ) -> Result<(), Failure> {
        self.update(id, layer, TextStates::push)
    }

    /// Adds the states after the last layer for each text of a run.
    ///
    /// # Errors
    /// If the run is no longer stored.
    pub(super) fn finish(
        &self,
        id: TextRunId,
        states: impl IntoIterator<Item = Array2<f32>>,
    ) -> Result<(), Failure> {
        self.update(id, states, |text, states| text.last = Some(Rc::new(states)))
    }

    fn update<T>(
        &self,
        id: TextRunId,
        values: impl IntoIterator<Item = T>,
        change: fn(&mut TextStates, T),
    ) -> Result<(), Failure> {
        let mut runs = self.runs.borrow_mut();
        let run = runs
            .iter_mut()
            .find(|run| run.id == id)
            .ok_or_else(no_run)?;
        for (text, value) in run.texts.iter_mut().zip(values) {
            // Questions that are being answered go on with the text as it was.
            change(Rc::make_mut(text), value);
        }
        Ok(())
    }

    /// Stores a run of a model with rows of `hidden` numbers and `layers` weights, in place of any with its number.
    ///
    /// # Errors
    /// If its states do not fit the model or take too much memory.
    pub(super) fn add(
        &self,
        id: TextRunId,
        run: TextRun,
        hidden: usize,
        layers: usize,
    ) -> Result<(), Failure> {
        run.check(hidden, layers)?;
        let texts = vec![TextTokens::default(); run.texts.len()];
        self.begin(id, run.model, texts, run.numbers())?;
        let mut texts: Vec<_> = run.texts.into_iter().map(Vec::into_iter).collect();
        let longest = texts.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        for _ in 0..longest {
            self.update(id, texts.iter_mut().map(Iterator::next), |text, layer| {
                layer.into_iter().for_each(|layer| text.push(layer));
            })?;
        }
        Ok(())
    }

    /// All texts of a run of a model.
    ///
    /// # Errors
    /// If the run is not stored, or is one of another model version.
    pub(super) fn texts(
        &self,
        model: ModelVersion,
        id: TextRunId,
    ) -> Result<Vec<Rc<TextStates>>, Failure> {
        let mut runs = self.runs.borrow_mut();
        let at = runs.iter().position(|run| run.id == id);
        let run = runs.remove(at.ok_or_else(no_run)?);
        let texts = if run.model == model {
            Ok(run.texts.clone())
        } else {
            Err(Failure::not_there(
                "That run over a text was made with another model, or with other options. Run the text again.",
            ))
        };
        runs.push(run);
        texts
    }

    /// States of a text, of which a model's scores are to be computed.
    ///
    /// # Errors
    /// If the run is not stored, is one of another model version, or has no such text.
    pub(super) fn text(&self, model: ModelVersion, id: TextId) -> Result<Rc<TextStates>, Failure> {
        let text = self
            .texts(model, id.run)?
            .into_iter()
            .nth(id.index as usize);
        text.ok_or_else(|| Failure::not_there(format!("That run has no text {}.", id.index + 1)))
    }

    /// Drops the runs of a model in any version except `current`.
    pub(super) fn drop_others(&self, model: u32, current: Option<ModelVersion>) {
        self.runs
            .borrow_mut()
            .retain(|run| run.model.id != model || Some(run.model) == current);
    }
}

fn no_run() -> Failure {
    Failure::new(
        FailureKind::RunGone,
        "That run over a text is no longer in memory. Run the text again.",
    )
}

fn too_large(numbers: usize) -> Failure {
    let megabytes = |numbers: usize| numbers * size_of::<f32>() / (1 << 20);
    Failure::new(
        FailureKind::TooLarge,
        format!(
            "The states of this run would take {} MB of memory, and at most {} MB are used for runs. Choose a shorter \
             text, or fewer texts.",
            megabytes(numbers),
            megabytes(MOST_STATES)
        ),
    )
}
