//! Inputs of the first attention: what is added to a position table, and the steps that the sum passes through.

use ndarray::{Array1, Array2, ArrayView1, Axis};
use serde::{Deserialize, Serialize};

use super::{
    ContentInput, Correction, Estimate, ModelError, ModelOptions, PreprocessStep,
    SourceDescription,
    read::{self, narrow},
    words,
};
use crate::{
    checkpoint::{TensorInfo, Weights},
    math::matrix_product::product,
};

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
        let x = table.mapv(f64::from) + &mean;
        match mode {
            ScoreMode::Paper => {
                let mean = self.linear_part(mean.insert_axis(Axis(0)));
                HiddenStates {
                    x: self.linear_part(x).mapv(narrow),
                    mean: Some(mean.iter().copied().map(narrow).collect()),
                    uses_biases: false,
                    uses_norms: false,
                }
            }
            ScoreMode::AsComputed => self.computed_states(x),
        }
    }

    /// The position table without words; only a projection's linear part is applied.
    ///
    /// # Panics
    /// As in [`Self::hidden_states`].
    #[must_use]
    pub fn stored_states(&self, table: &Array2<f32>) -> HiddenStates {
        HiddenStates {
            x: self.linear_part(table.mapv(f64::from)).mapv(narrow),
            mean: None,
            uses_biases: false,
            uses_norms: false,
        }
    }

    /// The hidden states before the first attention from sums of words and positions, one row per position.
    ///
    /// # Panics
    /// If rows differ in width from the table for which these inputs were read.
    #[must_use]
    pub fn computed_states(&self, sums: Array2<f64>) -> HiddenStates {
        HiddenStates {
            x: self.computed(sums).mapv(narrow),
            mean: None,
            uses_biases: self.choice.does(Correction::Biases),
            uses_norms: self.choice.does(Correction::LayerNorm),
        }
    }

    /// x̄ after all steps, as the hidden state of one position. For relative positions, which have no rows.
    pub fn content(&self) -> Vec<f32> {
        let mean = wide(&self.mean_word).insert_axis(Axis(0));
        self.computed(mean).iter().copied().map(narrow).collect()
    }

    fn linear_part(&self, rows: Array2<f64>) -> Array2<f64> {
        self.steps.iter().fold(rows, |rows, step| match step {
            InputStep::Map(map) => rows.dot(&map.weight.mapv(f64::from)),
            InputStep::Add(_) | InputStep::Norm(_) => rows,
        })
    }

    fn computed(&self, mut x: Array2<f64>) -> Array2<f64> {
        for step in &self.steps {
            match step {
                InputStep::Add(row) if self.choice.does(Correction::AddedRow) => x += &wide(row),
                InputStep::Norm(norm) if self.choice.does(Correction::LayerNorm) => {
                    norm.apply(&mut x);
                }
                InputStep::Map(map) => {
                    x = x.dot(&map.weight.mapv(f64::from));
                    let bias = map.bias.as_ref();
                    if let Some(bias) = bias.filter(|_| self.choice.does(Correction::Biases)) {
                        x += &wide(bias);
                    }
                }
                InputStep::Add(_) | InputStep::Norm(_) => {}
            }
        }
        x
    }
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

/// Σ (v − mean v)².
fn squared_about_mean(mut row: Array1<f64>) -> f64 {
    row -= row.mean().unwrap_or(0.0);
    row.dot(&row)
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

fn wide(numbers: &[f32]) -> Array1<f64> {
    ArrayView1::from(numbers).mapv(f64::from)
}

/// Reads everything that a source names except its positions and layers.
pub(super) async fn read<W: Weights>(
    source: &SourceDescription,
    width: usize,
    epsilon: f64,
    choice: &ModelOptions,
    checkpoint: &W,
    mut progress: impl FnMut(u64, u64),
) -> Result<Inputs, ModelError> {
    let sampled = checkpoint.is_remote() && !choice.does(Correction::ExactWords);
    let content = match &source.content {
        ContentInput::Words { tensor, .. } | ContentInput::Vector { tensor, .. } => {
            Some(checkpoint.locate(tensor).await?)
        }
        ContentInput::Unknown(_) => None,
    };
    let total = match (&source.content, &content) {
        (ContentInput::Words { .. }, Some(tensor)) => words::bytes(tensor, sampled),
        _ => content.as_ref().map_or(0, TensorInfo::bytes),
    };
    let mut done = 0;
    progress(done, total);

    let mut inputs = Inputs {
        choice: choice.clone(),
        ..Inputs::default()
    };
    let mut at = width;
    for step in &source.steps {
        let step = match step {
            PreprocessStep::Add { tensor, .. } => {
                let tensor = checkpoint.locate(tensor).await?;
                InputStep::Add(first_row(checkpoint, &tensor, at).await?)
            }
            PreprocessStep::Norm(stem) => {
                InputStep::Norm(norm(checkpoint, stem, at, epsilon).await?)
            }
            PreprocessStep::Map(stem) => {
                let map = projection(checkpoint, stem, at).await?;
                at = map.weight.ncols();
                InputStep::Map(map)
            }
        };
        inputs.steps.push(step);
    }
    let read_more = |bytes| {
        done += bytes;
        progress(done, total);
    };
    inputs.mean_word = match (&source.content, content) {
        (ContentInput::Words { scaled, map, .. }, Some(tensor)) => {
            let scale = if *scaled { (width as f64).sqrt() } else { 1.0 };
            let map = match map {
                Some(stem) => Some(any_projection(checkpoint, stem).await?),
                None => None,
            };
            let words = map.as_ref().map_or(width, |map| map.weight.nrows());
            let mean = if sampled {
                let (mean, estimate) =
                    words::sampled_mean(checkpoint, &tensor, words, read_more).await?;
                inputs.estimate = estimate;
                mean
            } else {
                words::mean(checkpoint, &tensor, words, read_more).await?
            };
            match map {
                Some(map) => through(&map, &mean, scale, width, &tensor)?,
                None => words::kept(&mean, scale),
            }
        }
        (ContentInput::Vector { .. }, Some(tensor)) => vector(checkpoint, &tensor, width).await?,
        _ => vec![0.0; width],
    };
    Ok(inputs)
}

/// Rows of the word embeddings as the model adds them to positions, [rows, width].
pub(super) async fn words_by_row<W: Weights>(
    source: &SourceDescription,
    width: usize,
    checkpoint: &W,
    rows: &[u32],
) -> Result<Array2<f64>, ModelError> {
    let ContentInput::Words {
        tensor,
        scaled,
        map,
    } = &source.content
    else {
        return Err(ModelError::NoWords);
    };
    let tensor = checkpoint.locate(tensor).await?;
    let scale = if *scaled { (width as f64).sqrt() } else { 1.0 };
    let map = match map {
        Some(stem) => Some(any_projection(checkpoint, stem).await?),
        None => None,
    };
    let columns = map.as_ref().map_or(width, |map| map.weight.nrows());
    let row_count = read::rows_of(&tensor, columns)? as u64;
    let mut words = Array2::zeros((rows.len(), width));
    for (mut word, &row) in words.rows_mut().into_iter().zip(rows) {
        let row = u64::from(row);
        if row >= row_count {
            return Err(ModelError::NoWord { row, of: row_count });
        }
        let numbers = checkpoint.read_rows(&tensor, row..row + 1).await?;
        read::refuse_non_numbers(&numbers, &tensor, row, columns)?;
        let numbers: Vec<f64> = numbers.into_iter().map(f64::from).collect();
        let vector = match &map {
            Some(map) => through(map, &numbers, scale, width, &tensor)?,
            None => words::kept(&numbers, scale),
        };
        word.assign(&wide(&vector));
    }
    Ok(words)
}

/// A table after the linear parts of its maps; `None` if there are none.
pub(super) async fn projected<W: Weights>(
    source: &SourceDescription,
    table: &Array2<f32>,
    checkpoint: &W,
) -> Result<Option<Array2<f32>>, ModelError> {
    let mut rows: Option<Array2<f32>> = None;
    for step in &source.steps {
        if let PreprocessStep::Map(stem) = step {
            let before = rows.as_ref().unwrap_or(table);
            let map = projection(checkpoint, stem, before.ncols()).await?;
            rows = Some(product(before.view(), map.weight.view(), 1.0));
        }
    }
    Ok(rows)
}

/// A mean word after the map that words pass through before positions are added.
fn through(
    map: &Projection,
    mean: &[f64],
    scale: f64,
    width: usize,
    tensor: &TensorInfo,
) -> Result<Vec<f32>, ModelError> {
    if map.weight.ncols() != width {
        return Err(read::wrong_shape(
            tensor,
            format!("mapped to a width of {width}"),
        ));
    }
    let mean = ArrayView1::from(mean).insert_axis(Axis(0));
    let mapped = mean.dot(&map.weight.mapv(f64::from));
    Ok(mapped.iter().map(|value| narrow(value * scale)).collect())
}

/// Reads a tensor of `width` numbers; dimensions of size 1 are ignored.
async fn vector<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    width: usize,
) -> Result<Vec<f32>, ModelError> {
    let flat = TensorInfo {
        shape: tensor
            .shape
            .iter()
            .copied()
            .filter(|length| *length != 1)
            .collect(),
        ..tensor.clone()
    };
    read::vector(checkpoint, &flat, width).await
}

/// Reads a `LayerNorm` under the current or the oldest names; an RMS norm has no shift.
pub(super) async fn norm<W: Weights>(
    checkpoint: &W,
    stem: &str,
    width: usize,
    epsilon: f64,
) -> Result<LayerNorm, ModelError> {
    let name = |ends: [&str; 2]| {
        let names = ends.map(|end| format!("{stem}.{end}"));
        names.into_iter().find(|name| checkpoint.has(name))
    };
    let weight = name(["weight", "gamma"]).unwrap_or_else(|| format!("{stem}.weight"));
    let weight = checkpoint.locate(&weight).await?;
    let weight = read::vector(checkpoint, &weight, width).await?;
    let bias = match name(["bias", "beta"]) {
        Some(bias) => {
            let bias = checkpoint.locate(&bias).await?;
            read::vector(checkpoint, &bias, width).await?
        }
        None => vec![0.0; width],
    };
    Ok(LayerNorm {
        weight,
        bias,
        epsilon,
    })
}

async fn projection<W: Weights>(
    checkpoint: &W,
    stem: &str,
    width: usize,
) -> Result<Projection, ModelError> {
    let weight = checkpoint.locate(&format!("{stem}.weight")).await?;
    let weight = read::linear(checkpoint, &weight, width).await?;
    let name = format!("{stem}.bias");
    let bias = if checkpoint.has(&name) {
        let bias = checkpoint.locate(&name).await?;
        Some(read::vector(checkpoint, &bias, weight.ncols()).await?)
    } else {
        None
    };
    Ok(Projection { weight, bias })
}

/// Reads a projection of any input width.
async fn any_projection<W: Weights>(checkpoint: &W, stem: &str) -> Result<Projection, ModelError> {
    let weight = checkpoint.locate(&format!("{stem}.weight")).await?;
    let width = weight.shape.last().map_or(0, |width| *width as usize);
    projection(checkpoint, stem, width).await
}

async fn first_row<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    width: usize,
) -> Result<Vec<f32>, ModelError> {
    read::rows_of(tensor, width)?;
    let row = checkpoint.read_rows(tensor, 0..1).await?;
    read::refuse_non_numbers(&row, tensor, 0, width)?;
    Ok(row)
}
