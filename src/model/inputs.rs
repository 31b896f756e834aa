//! What a position table is added to and sent through before the first attention.

use ndarray::{Array1, Array2, ArrayView1, Axis};
use serde::{Deserialize, Serialize};

use super::{
    ModelError,
    plan::{MeanWord, Plan},
    read,
};
use crate::checkpoint::{ByteSource, Checkpoint, TensorInfo};

/// The most of a word table that is held at once.
const CHUNK: u64 = 4 << 20;

/// Which scores are meant wherever a head's positional scores are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ScoreMode {
    /// TISA paper, eqs. 9–12: no biases, no `LayerNorm`, no token type; only a projection's linear part.
    #[default]
    Paper,
    /// What the model computes when every word is the mean word: token type 0, `LayerNorm`, projection
    /// and biases included.
    AsComputed,
}

/// What [`super::PositionModel::read_inputs`] read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs {
    /// x̄, the mean over all rows of the word embeddings; zeros where the file has none.
    pub mean_word: Vec<f32>,
    /// Embedding of token type 0.
    pub token_type: Option<Vec<f32>>,
    /// The `LayerNorm` before the first attention.
    pub layer_norm: Option<LayerNorm>,
    /// The map from the embeddings' width to the layers'.
    pub projection: Option<Projection>,
}

/// Normalises a row to mean 0 and variance 1, then scales and shifts its columns.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerNorm {
    /// Scale of each column.
    pub weight: Vec<f32>,
    /// Shift of each column.
    pub bias: Vec<f32>,
    /// Added to the variance.
    pub epsilon: f64,
}

/// x·W + b.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// W, [in, out].
    pub weight: Array2<f32>,
    /// b.
    pub bias: Option<Vec<f32>>,
}

/// What enters the attention at every position.
#[derive(Clone, Debug, PartialEq)]
pub struct HiddenStates {
    /// One row a position, [n, hidden].
    pub x: Array2<f32>,
    /// In paper mode x̄ after the projection's linear part: then
    /// `(x·W_Q)(x·W_K)ᵀ − (x̄·W_Q)(x̄·W_K)ᵀ`, over `√d_k`, is eqs. 9–12.
    pub mean: Option<Vec<f32>>,
    /// Whether the biases of queries and keys are added.
    pub uses_biases: bool,
}

impl Inputs {
    /// Sends a position table through what `mode` says. All sums are taken in `f64`.
    ///
    /// # Panics
    /// When `table` is not as wide as the one these inputs were read for.
    pub fn hidden_states(&self, table: &Array2<f32>, mode: ScoreMode) -> HiddenStates {
        let mean = wide(&self.mean_word);
        match mode {
            ScoreMode::Paper => {
                let x = table.mapv(f64::from) + &mean;
                let project = |rows: Array2<f64>| match &self.projection {
                    Some(projection) => rows.dot(&projection.weight.mapv(f64::from)),
                    None => rows,
                };
                let mean = project(mean.insert_axis(Axis(0)));
                HiddenStates {
                    x: project(x).mapv(narrow),
                    mean: Some(mean.iter().copied().map(narrow).collect()),
                    uses_biases: false,
                }
            }
            ScoreMode::AsComputed => {
                let constant = match &self.token_type {
                    Some(token_type) => mean + wide(token_type),
                    None => mean,
                };
                let mut x = table.mapv(f64::from) + constant;
                if let Some(layer_norm) = &self.layer_norm {
                    layer_norm.apply(&mut x);
                }
                if let Some(projection) = &self.projection {
                    x = x.dot(&projection.weight.mapv(f64::from));
                    if let Some(bias) = &projection.bias {
                        x += &wide(bias);
                    }
                }
                HiddenStates {
                    x: x.mapv(narrow),
                    mean: None,
                    uses_biases: true,
                }
            }
        }
    }
}

impl LayerNorm {
    fn apply(&self, x: &mut Array2<f64>) {
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

#[expect(clippy::cast_possible_truncation, reason = "numbers are kept as f32")]
fn narrow(number: f64) -> f32 {
    number as f32
}

/// Reads everything a plan names besides the layers.
pub(super) async fn read<S: ByteSource>(
    plan: &Plan,
    width: usize,
    checkpoint: &Checkpoint<S>,
    mut progress: impl FnMut(u64, u64),
) -> Result<Inputs, ModelError> {
    let token_type_bytes = plan.token_type.as_ref().map_or(0, row_bytes);
    let whole = [
        plan.layer_norm.as_ref().map(|(weight, ..)| weight),
        plan.layer_norm.as_ref().map(|(_, bias, _)| bias),
        plan.projection.as_ref().map(|(weight, _)| weight),
        plan.projection.as_ref().and_then(|(_, bias)| bias.as_ref()),
        plan.mean_word.tensor(),
    ];
    let total = whole
        .into_iter()
        .flatten()
        .map(TensorInfo::bytes)
        .sum::<u64>()
        + token_type_bytes;
    let mut done = 0;
    progress(done, total);
    let mut read_more = |bytes: u64| {
        done += bytes;
        progress(done, total);
    };

    let layer_norm = match &plan.layer_norm {
        Some((weight, bias, epsilon)) => {
            let norm = LayerNorm {
                weight: read::vector(checkpoint, weight, width).await?,
                bias: read::vector(checkpoint, bias, width).await?,
                epsilon: *epsilon,
            };
            read_more(weight.bytes() + bias.bytes());
            Some(norm)
        }
        None => None,
    };
    let token_type = match &plan.token_type {
        Some(tensor) => {
            let row = first_row(checkpoint, tensor, width).await?;
            read_more(token_type_bytes);
            Some(row)
        }
        None => None,
    };
    let projection = match &plan.projection {
        Some((weight, bias)) => {
            let map = read::linear(checkpoint, weight, width).await?;
            read_more(weight.bytes());
            let shift = match bias {
                Some(bias) => Some(read::vector(checkpoint, bias, map.ncols()).await?),
                None => None,
            };
            read_more(bias.as_ref().map_or(0, TensorInfo::bytes));
            Some(Projection {
                weight: map,
                bias: shift,
            })
        }
        None => None,
    };
    let mean_word = match &plan.mean_word {
        MeanWord::Stored(tensor) => {
            let mean = read::vector(checkpoint, tensor, width).await?;
            read_more(tensor.bytes());
            mean
        }
        MeanWord::Of(tensor) => mean_row(checkpoint, tensor, width, read_more).await?,
        MeanWord::Absent => vec![0.0; width],
    };
    Ok(Inputs {
        mean_word,
        token_type,
        layer_norm,
        projection,
    })
}

fn row_bytes(tensor: &TensorInfo) -> u64 {
    tensor
        .shape
        .first()
        .map_or(0, |rows| tensor.bytes() / (*rows).max(1))
}

async fn first_row<S: ByteSource>(
    checkpoint: &Checkpoint<S>,
    tensor: &TensorInfo,
    width: usize,
) -> Result<Vec<f32>, ModelError> {
    read::rows_of(tensor, width)?;
    let row = checkpoint.read_rows(tensor, 0..1).await?;
    read::refuse_non_numbers(&row, tensor, 0, width)?;
    Ok(row)
}

/// The mean of all rows, read a few MiB at a time: sums are all that is kept of the largest tensor of a file.
async fn mean_row<S: ByteSource>(
    checkpoint: &Checkpoint<S>,
    tensor: &TensorInfo,
    width: usize,
    mut read_more: impl FnMut(u64),
) -> Result<Vec<f32>, ModelError> {
    let rows = read::rows_of(tensor, width)? as u64;
    let row_bytes = row_bytes(tensor).max(1);
    let step = (CHUNK / row_bytes).max(1);
    let mut sums = vec![0.0_f64; width];
    let mut first = 0;
    while first < rows {
        let end = rows.min(first + step);
        let numbers = checkpoint.read_rows(tensor, first..end).await?;
        read::refuse_non_numbers(&numbers, tensor, first, width)?;
        for row in numbers.chunks_exact(width) {
            for (sum, number) in sums.iter_mut().zip(row) {
                *sum += f64::from(*number);
            }
        }
        read_more((end - first) * row_bytes);
        first = end;
    }
    Ok(sums
        .into_iter()
        .map(|sum| narrow(sum / rows as f64))
        .collect())
}
