//! Reads the inputs of the first attention from a checkpoint.

use super::{
    ContentInput, Correction, ModelError, ModelOptions, PreprocessStep, SourceDescription,
    inputs::{InputStep, Inputs, LayerNorm, Projection},
    read::{self, narrow},
    words,
};
use crate::{
    checkpoint::{TensorInfo, Weights},
    math::matrix_product::product,
};
use futures_util::StreamExt;
use ndarray::{Array2, ArrayView1, Axis};
use std::{ops::Range, pin::pin};

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
    let mut bytes_read = 0;
    progress(bytes_read, total);

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
        bytes_read += bytes;
        progress(bytes_read, total);
    };
    inputs.mean_word = match (&source.content, content) {
        (
            ContentInput::Words {
                is_scaled: scaled,
                map,
                ..
            },
            Some(tensor),
        ) => {
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
                None => words::scale_mean(&mean, scale),
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
    let words = WordTable::open(source, width, checkpoint).await?;
    let ranges = rows.iter().map(|row| u64::from(*row)..u64::from(*row) + 1);
    words.read(checkpoint, ranges.collect()).await
}

/// Words of a vocabulary as the model adds them to positions, [rows, width]: all of a small one, otherwise at most
/// [`words::SAMPLE_BLOCKS`] blocks of rows, spread evenly.
pub(super) async fn word_sample<W: Weights>(
    source: &SourceDescription,
    width: usize,
    checkpoint: &W,
) -> Result<Array2<f64>, ModelError> {
    let words = WordTable::open(source, width, checkpoint).await?;
    let blocks = match checkpoint.is_remote() {
        true => words::BLOCKS,
        false => words::SAMPLE_BLOCKS,
    };
    let ranges = match words.count > words::BLOCK * blocks {
        true => words::sample_rows(words.count, blocks),
        false => words::all_rows(&words.tensor, words.count),
    };
    words.read(checkpoint, ranges).await
}

/// Table of words, and what is applied to its rows before positions are added.
struct WordTable {
    tensor: TensorInfo,
    /// Number of words.
    count: u64,
    /// Columns of the table.
    columns: usize,
    /// Columns of the positions.
    width: usize,
    scale: f64,
    map: Option<Projection>,
}

impl WordTable {
    async fn open<W: Weights>(
        source: &SourceDescription,
        width: usize,
        checkpoint: &W,
    ) -> Result<Self, ModelError> {
        let ContentInput::Words {
            tensor,
            is_scaled,
            map,
        } = &source.content
        else {
            return Err(ModelError::NoWords);
        };
        let tensor = checkpoint.locate(tensor).await?;
        let map = match map {
            Some(stem) => Some(any_projection(checkpoint, stem).await?),
            None => None,
        };
        let columns = map.as_ref().map_or(width, |map| map.weight.nrows());
        Ok(Self {
            count: read::rows_of(&tensor, columns)? as u64,
            scale: if *is_scaled {
                (width as f64).sqrt()
            } else {
                1.0
            },
            tensor,
            columns,
            width,
            map,
        })
    }

    /// Reads ranges of rows, one under another.
    async fn read<W: Weights>(
        &self,
        checkpoint: &W,
        ranges: Vec<Range<u64>>,
    ) -> Result<Array2<f64>, ModelError> {
        if let Some(range) = ranges.iter().find(|range| range.end > self.count) {
            return Err(ModelError::NoWord {
                row: range.end - 1,
                of: self.count,
            });
        }
        let mut cells = Vec::new();
        let mut reads = pin!(words::read_ranges(checkpoint, &self.tensor, ranges));
        while let Some(rows) = reads.next().await {
            let (range, numbers) = rows?;
            read::refuse_non_numbers(&numbers, &self.tensor, range.start, self.columns)?;
            for row in numbers.chunks_exact(self.columns) {
                let numbers: Vec<f64> = row.iter().copied().map(f64::from).collect();
                let word = match &self.map {
                    Some(map) => through(map, &numbers, self.scale, self.width, &self.tensor)?,
                    None => words::scale_mean(&numbers, self.scale),
                };
                cells.extend(word.into_iter().map(f64::from));
            }
        }
        let rows = cells.len() / self.width.max(1);
        Ok(Array2::from_shape_vec((rows, self.width), cells).expect("whole rows"))
    }
}

/// A table after the linear parts of its maps; `None` if there are none.
pub(super) async fn project_table<W: Weights>(
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

/// Names in the file of the scale and the shift of a norm with a stem, under the current or the oldest names. An RMS norm
/// has no shift. If the file has neither, the usual name of the scale.
#[must_use]
pub fn norm_tensors<W: Weights>(checkpoint: &W, stem: &str) -> (String, Option<String>) {
    let name = |ends: [&str; 3]| {
        // Flax has slashes before the last part of a name, Transformer Engine an underscore.
        let names = ["/", ".", "_"].map(|mark| ends.map(|end| format!("{stem}{mark}{end}")));
        let mut names = names.into_iter().flatten();
        names.find(|name| checkpoint.has(name))
    };
    let scale = name(["weight", "gamma", "scale"]);
    let scale = scale.unwrap_or_else(|| format!("{stem}.weight"));
    (scale, name(["bias", "beta", "shift"]))
}

/// Reads a `LayerNorm`; see [`norm_tensors`].
pub(super) async fn norm<W: Weights>(
    checkpoint: &W,
    stem: &str,
    width: usize,
    epsilon: f64,
) -> Result<LayerNorm, ModelError> {
    let (weight, bias) = norm_tensors(checkpoint, stem);
    let weight = checkpoint.locate(&weight).await?;
    let weight = read::vector(checkpoint, &weight, width).await?;
    let bias = match bias {
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
