//! Inputs of the first attention: what is added to a position table, and the steps that the sum passes through.

use super::{Correction, Estimate, ModelOptions, read::narrow};
use ndarray::{Array1, Array2, ArrayView1, Axis};
use serde::{Deserialize, Serialize};

/// Formula of a head's positional scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ScoreMode {
    /// TISA paper, eqs. 9–12: no biases, no `LayerNorm`, no token type; of a projection only its linear part.
    #[default]
    Paper,
    /// The model's own scores when every word is the mean word, with token type 0, `LayerNorm`, projection and biases.
    AsComputed,
}

/// Result of [`super::PositionModel::read_inputs`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    /// x̄, the mean over all rows of the word embeddings, as the model adds it to positions; zeros if the file has
    /// none.
    pub mean_word: Vec<f32>,
    /// Accuracy of x̄; `None` if it is exact.
    pub estimate: Option<Estimate>,
    /// Steps between the sum and the first layer, in order.
    pub steps: Vec<InputStep>,
    /// Decides whether as-computed scores include the `LayerNorm`s inside the layers and the biases of queries and
    /// keys.
    pub(super) choice: ModelOptions,
}

impl Inputs {
    /// Count of stored numbers.
    #[must_use]
    pub fn numbers(&self) -> usize {
        let steps = self.steps.iter().map(|step| match step {
            InputStep::Add(row) => row.len(),
            InputStep::Norm(norm) => norm.weight.len() + norm.bias.len(),
            InputStep::Map(map) => map.weight.len(),
        });
        self.mean_word.len() + steps.sum::<usize>()
    }

    /// Applies the steps of `mode` to a position table with the mean word added. All sums are in `f64`.
    ///
    /// # Panics
    /// If `table` differs in width from the table for which these inputs were read.
    pub fn hidden_states(&self, table: &Array2<f32>, mode: ScoreMode) -> HiddenStates {
        let mean = wide(&self.mean_word);
        let states = self.states(table.mapv(f64::from) + &mean, mode);
        let mean = (mode == ScoreMode::Paper).then(|| {
            let mean = self.linear_part(mean.insert_axis(Axis(0)));
            mean.iter().copied().map(narrow).collect()
        });
        HiddenStates { mean, ..states }
    }

    /// The position table without words; only a projection's linear part is applied.
    ///
    /// # Panics
    /// As in [`Self::hidden_states`].
    #[must_use]
    pub fn stored_states(&self, table: &Array2<f32>) -> HiddenStates {
        self.states(table.mapv(f64::from), ScoreMode::Paper)
    }

    /// The hidden states before the first attention from sums of words and positions, one row per position.
    ///
    /// # Panics
    /// If rows differ in width from the table for which these inputs were read.
    #[must_use]
    pub fn states(&self, sums: Array2<f64>, mode: ScoreMode) -> HiddenStates {
        let [uses_biases, uses_norms] = self.uses_biases_and_norms(mode);
        HiddenStates {
            x: self.apply(sums, mode).mapv(narrow),
            mean: None,
            uses_biases,
            uses_norms,
        }
    }

    /// Whether a mode adds the biases of queries and keys, and whether it applies the norms of the layers.
    #[must_use]
    pub fn uses_biases_and_norms(&self, mode: ScoreMode) -> [bool; 2] {
        [Correction::Biases, Correction::LayerNorm]
            .map(|correction| mode == ScoreMode::AsComputed && self.choice.does(correction))
    }

    /// The steps of a mode, in order: of the paper's equations, the maps alone, without their biases.
    #[must_use]
    pub fn steps_of(&self, mode: ScoreMode) -> Vec<InputStep> {
        let does = |correction| mode == ScoreMode::AsComputed && self.choice.does(correction);
        let steps = self.steps.iter().filter_map(|step| match step {
            InputStep::Add(_) => does(Correction::AddedRow).then(|| step.clone()),
            InputStep::Norm(_) => does(Correction::LayerNorm).then(|| step.clone()),
            InputStep::Map(map) => Some(InputStep::Map(Projection {
                weight: map.weight.clone(),
                bias: map.bias.clone().filter(|_| does(Correction::Biases)),
            })),
        });
        steps.collect()
    }

    /// x̄ after all steps, as the hidden state of one position. For relative positions, which have no rows.
    pub fn content(&self) -> Vec<f32> {
        let mean = wide(&self.mean_word).insert_axis(Axis(0));
        let content = self.apply(mean, ScoreMode::AsComputed);
        content.iter().copied().map(narrow).collect()
    }

    fn linear_part(&self, rows: Array2<f64>) -> Array2<f64> {
        self.apply(rows, ScoreMode::Paper)
    }

    fn apply(&self, mut x: Array2<f64>, mode: ScoreMode) -> Array2<f64> {
        for step in self.steps_of(mode) {
            match step {
                InputStep::Add(row) => x += &wide(&row),
                InputStep::Norm(norm) => norm.apply(&mut x),
                InputStep::Map(map) => {
                    x = x.dot(&map.weight.mapv(f64::from));
                    if let Some(bias) = map.bias {
                        x += &wide(&bias);
                    }
                }
            }
        }
        x
    }
}

impl Inputs {
    /// Shares of position, added row and mean word in the input of the first `LayerNorm`; `None` if another step comes
    /// first or the input is zero.
    ///
    /// # Panics
    /// As in [`Self::hidden_states`].
    #[must_use]
    pub fn shares(&self, table: &Array2<f32>) -> Option<InputShares> {
        let norm = (self.steps.iter()).position(|step| !matches!(step, InputStep::Add(_)))?;
        if !matches!(self.steps[norm], InputStep::Norm(_)) || table.is_empty() {
            return None;
        }
        let mut added = Array1::<f64>::zeros(table.ncols());
        for step in &self.steps[..norm] {
            if let InputStep::Add(row) = step
                && self.choice.does(Correction::AddedRow)
            {
                added += &wide(row);
            }
        }
        let word = wide(&self.mean_word);
        let constant = &added + &word;
        let (mut position, mut whole) = (0.0, 0.0);
        for row in table.rows() {
            let row = row.mapv(f64::from);
            whole += squared_about_mean(&row + &constant);
            position += squared_about_mean(row);
        }
        let rows = table.nrows() as f64;
        (whole > 0.0).then(|| InputShares {
            position: position / whole,
            added_row: rows * squared_about_mean(added) / whole,
            mean_word: rows * squared_about_mean(word) / whole,
        })
    }
}

/// A step that the sum of word and position passes through.
#[derive(Clone, Debug, PartialEq)]
pub enum InputStep {
    /// Adds a row to every position, such as token type 0.
    Add(Vec<f32>),
    /// A `LayerNorm`.
    Norm(LayerNorm),
    /// A projection to another width.
    Map(Projection),
}

/// Normalises a row to mean 0 and variance 1, then scales and shifts its columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerNorm {
    /// Scale of each column.
    pub weight: Vec<f32>,
    /// Shift of each column.
    pub bias: Vec<f32>,
    /// Epsilon, added to the variance.
    pub epsilon: f64,
}

impl LayerNorm {
    /// Normalises every row.
    ///
    /// # Panics
    /// If rows differ in width from the scales.
    pub fn apply(&self, x: &mut Array2<f64>) {
        let (weight, bias) = (wide(&self.weight), wide(&self.bias));
        for mut row in x.rows_mut() {
            let mean = row.mean().unwrap_or(0.0);
            row -= mean;
            let variance = row.dot(&row) / row.len() as f64;
            row /= (variance + self.epsilon).sqrt();
            row *= &weight;
            row += &bias;
        }
    }
}

/// The linear map x·W + b.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// W, [in, out].
    pub weight: Array2<f32>,
    /// b.
    pub bias: Option<Vec<f32>>,
}

/// Hidden states that enter the attention.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HiddenStates {
    /// One row per position, [n, hidden].
    #[serde(with = "crate::math::as_bytes")]
    pub x: Array2<f32>,
    /// In paper mode x̄ after the projection's linear part. `(x·W_Q)(x·W_K)ᵀ − (x̄·W_Q)(x̄·W_K)ᵀ`, divided by `√d_k`,
    /// is then eqs. 9–12.
    pub mean: Option<Vec<f32>>,
    /// Whether the biases of queries and keys are added.
    pub uses_biases: bool,
    /// Whether a layer's own `LayerNorm` is applied before its queries and keys.
    pub uses_norms: bool,
}

/// Shares of the mean squared length of an input after its mean over the columns is removed, by which the first
/// `LayerNorm` divides. Cross terms between the parts make up the difference to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputShares {
    /// Share of the position.
    pub position: f64,
    /// Share of the row that is added to every position, such as token type 0.
    pub added_row: f64,
    /// Share of the mean word.
    pub mean_word: f64,
}

/// Σ (v − mean v)².
fn squared_about_mean(mut row: Array1<f64>) -> f64 {
    row -= row.mean().unwrap_or(0.0);
    row.dot(&row)
}

pub(super) fn wide(numbers: &[f32]) -> Array1<f64> {
    ArrayView1::from(numbers).mapv(f64::from)
}
