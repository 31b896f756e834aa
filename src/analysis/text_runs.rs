//! Runs of models over texts: the hidden states that enter each layer's attention.
//!
//! A run holds no scores. Those of a head are computed from the states and the layer's weights when they are asked for.

use super::{Failure, FailureKind, ModelVersion, TextId, TextRunId};
use crate::model::{HiddenStates, ScoreMode};
use ndarray::Array2;
use std::{cell::RefCell, rc::Rc};

/// Maximum count of numbers in the states of all runs: 64 MB.
pub const MOST_STATES: usize = 16 << 20;

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

/// Inputs of all layers for one text.
#[derive(Debug)]
pub(super) struct TextStates(Vec<(Rc<HiddenStates>, usize)>);

impl TextStates {
    /// The biases and norms of the layers are always used.
    fn new(layers: Vec<EnteringStates>) -> Self {
        let states = |layer: EnteringStates| {
            let states = HiddenStates {
                x: layer.x,
                mean: None,
                uses_biases: true,
                uses_norms: true,
            };
            (Rc::new(states), layer.weights)
        };
        Self(layers.into_iter().map(states).collect())
    }

    /// Number of layers that the text passed.
    pub(super) fn layers(&self) -> usize {
        self.0.len()
    }

    /// Number of positions.
    pub(super) fn n(&self) -> usize {
        let first = self.0.first();
        first.map_or(0, |(states, _)| states.x.nrows())
    }

    /// Input of a layer, counted from 0, and the index of its weights.
    pub(super) fn layer(&self, layer: usize) -> Result<(Rc<HiddenStates>, usize), Failure> {
        let input = self.0.get(layer).cloned();
        input.ok_or_else(|| {
            Failure::not_there(format!(
                "The run over this text has no layer {}.",
                layer + 1
            ))
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
        let numbers = run.numbers();
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
            model: run.model,
            texts: (run.texts.into_iter().map(TextStates::new).map(Rc::new)).collect(),
            numbers,
        });
        Ok(())
    }

    /// States of a text, of which a model's scores are to be computed.
    ///
    /// # Errors
    /// If the run is not stored, is one of another model version, or has no such text.
    pub(super) fn text(&self, model: ModelVersion, id: TextId) -> Result<Rc<TextStates>, Failure> {
        let mut runs = self.runs.borrow_mut();
        let at = runs.iter().position(|run| run.id == id.run);
        let run = runs.remove(at.ok_or_else(no_run)?);
        let text = if run.model == model {
            let text = run.texts.get(id.index as usize).cloned();
            text.ok_or_else(|| {
                Failure::not_there(format!("That run has no text {}.", id.index + 1))
            })
        } else {
            Err(Failure::not_there(
                "That run over a text was made with another model, or with other options. Run the text again.",
            ))
        };
        runs.push(run);
        text
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
        FailureKind::Closed,
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
