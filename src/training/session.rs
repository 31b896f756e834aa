//! A run that trains step by step, and states what it has learned.

use super::{SnapshotState, is_snapshot_step, snapshot_file::weights_file};
use serde::{Deserialize, Serialize};
use small_transformer::{
    HeldOutEvaluation, MOST_LENGTHS, Trainer, TrainingError, TrainingRecipe, TransformerShape,
};
use std::collections::VecDeque;

/// Number of steps whose mean loss a state has: a single batch's loss is too noisy to be compared.
const LOSS_WINDOW: usize = 32;

/// Properties of a run that stay the same from its first step on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunDescription {
    /// The recipe, in its form in links.
    pub recipe: String,
    /// The model's configuration, as the file beside its weights.
    pub config: String,
    /// Number of parameters.
    pub parameters: usize,
    /// Number of symbols, with the one that masks.
    pub symbols: usize,
    /// Loss of the best possible predictor on the held-out sequences, in nats, if it is known.
    pub best_loss: Option<f64>,
    /// Loss of a predictor that knows a sequence as a bag of symbols, in nats.
    pub bag_loss: f64,
}

/// Loss at a length other than the trained one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LengthScore {
    /// Length of the sequences, in tokens.
    pub length: usize,
    /// Loss in nats and accuracy, or a sentence that says why the model cannot read such sequences.
    pub score: Result<(f64, f64), String>,
}

/// A run of a recipe, at some step. It depends on nothing but the recipe and the text.
#[derive(Debug)]
pub struct TrainingSession {
    trainer: Trainer,
    /// Losses of the steps since they were taken last.
    new_losses: Vec<f64>,
    /// Losses of the last steps.
    recent_losses: VecDeque<f64>,
}

impl TrainingSession {
    /// A run at step 0. Only tasks on texts use `text`.
    ///
    /// # Errors
    /// If the recipe is beyond the limits, or the task cannot use the text.
    pub fn new(recipe: &TrainingRecipe, text: &[u8]) -> Result<Self, TrainingError> {
        Ok(Self {
            trainer: Trainer::new(recipe, text)?,
            new_losses: Vec::new(),
            recent_losses: VecDeque::with_capacity(LOSS_WINDOW),
        })
    }

    /// Properties of the run.
    #[must_use]
    pub fn description(&self) -> RunDescription {
        let losses = self.trainer.reference_losses();
        RunDescription {
            recipe: self.trainer.recipe().to_string(),
            config: self.trainer.config_json(),
            parameters: self.trainer.weights().len(),
            symbols: self.trainer.task().symbols(),
            best_loss: losses.best,
            bag_loss: losses.bag,
        }
    }

    /// Number of steps done.
    #[must_use]
    pub fn steps_done(&self) -> u32 {
        self.trainer.steps_done()
    }

    /// Whether the run is complete.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.steps_done() >= self.trainer.recipe().steps
    }

    /// Whether a snapshot is to be taken at the current step.
    #[must_use]
    pub fn is_at_snapshot(&self) -> bool {
        is_snapshot_step(self.steps_done(), self.trainer.recipe().steps)
    }

    /// Trains for one step, unless the run is complete.
    ///
    /// # Errors
    /// If the loss is infinite or no number: the weights stay as they were.
    pub fn step(&mut self) -> Result<(), TrainingError> {
        if self.is_finished() {
            return Ok(());
        }
        let loss = self.trainer.step()?;
        self.new_losses.push(loss);
        if self.recent_losses.len() == LOSS_WINDOW {
            self.recent_losses.pop_front();
        }
        self.recent_losses.push_back(loss);
        Ok(())
    }

    /// Takes the losses of the steps since the last call.
    pub fn take_losses(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.new_losses)
    }

    /// The weights as a safetensors file. See [`RunDescription::config`] for its configuration.
    #[must_use]
    pub fn weights_file(&self) -> Vec<u8> {
        weights_file(&self.trainer)
    }

    /// The state of the model now.
    ///
    /// # Errors
    /// If the loss is infinite or no number.
    pub fn state(&mut self) -> Result<SnapshotState, TrainingError> {
        let mut evaluation = HeldOutEvaluation::default();
        while self.evaluate_batch(&mut evaluation) {}
        self.evaluated_state(evaluation)
    }

    /// Does the next part of the evaluation that [`Self::evaluated_state`] needs. Returns whether more follow. The owner
    /// may do other things in between, or leave the evaluation unfinished.
    pub fn evaluate_batch(&mut self, evaluation: &mut HeldOutEvaluation) -> bool {
        self.trainer.evaluate_batch(evaluation)
    }

    /// The state of the model now, after an evaluation of all batches at this step.
    ///
    /// # Errors
    /// If the loss is infinite or no number.
    pub fn evaluated_state(
        &self,
        evaluation: HeldOutEvaluation,
    ) -> Result<SnapshotState, TrainingError> {
        let losses = &self.recent_losses;
        let train_loss =
            (!losses.is_empty()).then(|| losses.iter().sum::<f64>() / losses.len() as f64);
        let report = self.trainer.evaluation_report(evaluation)?;
        Ok(SnapshotState::new(&self.trainer, train_loss, report))
    }

    /// Losses at lengths from half to four times the trained one.
    #[must_use]
    pub fn lengths(&self) -> Vec<LengthScore> {
        let n = self.trainer.recipe().size.n;
        let halves = [1, 2, 3, 4, 6, 8].map(|halves| (halves * n).div_ceil(2));
        let at = |length: usize| LengthScore {
            length,
            score: match self.trainer.evaluate_at(length) {
                Ok(score) => Ok((score.loss, score.accuracy)),
                Err(error) => Err(error.to_string()),
            },
        };
        let most = MOST_LENGTHS * n;
        halves
            .into_iter()
            .filter(|length| *length <= most)
            .map(at)
            .collect()
    }
}

/// Operations of a step that one thread of WebAssembly does in a second: about what recipe M reaches.
const OPERATIONS_PER_SECOND: f64 = 8e9;

/// Number of symbols of the generated tasks, with the one that masks. Texts have more, which hardly changes the time.
const USUAL_SYMBOLS: usize = 17;

/// Seconds that a step of a recipe takes, by its number of operations.
#[must_use]
pub fn seconds_per_step(recipe: &TrainingRecipe) -> f64 {
    let shape = TransformerShape::new(&recipe.size, USUAL_SYMBOLS, false);
    shape.operations_per_step(recipe.size.tokens()) / OPERATIONS_PER_SECOND
}
