//! States that enter the first layer, and the parts of which they are made.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, concatenate, s};

use super::{
    Batch, ForwardError, LinearMap, NormWeights,
    score_weights::map_tensors,
    tensor_numbers::{TensorNumbers, misfit},
    word_rows::rows_by_id,
};
use crate::{
    checkpoint::{TensorInfo, Weights},
    model::{
        Cut, EmbeddingContent, EmbeddingDescription, LinearTensors, ModelError,
        read::refuse_non_numbers,
    },
};

/// Parts of the states that enter the first layer: map(norm(content + positions + token type)).
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// Rows of words or patches of all texts, one text under another, as they are added to positions, [sum of lengths,
    /// width].
    pub content: Array2<f32>,
    /// Rows of the first positions, [longest length, width]; `None` without a table.
    pub positions: Option<Array2<f32>>,
    /// The row of token type 0.
    pub token_type: Option<Vec<f32>>,
    /// Norm of the sum.
    pub norm: Option<NormWeights>,
    /// Map from the width of the sum to that of the layers.
    pub map: Option<LinearMap>,
    /// Number of tokens of each text.
    pub lengths: Vec<usize>,
}

impl Embedding {
    /// Sums of content, positions and token type, before norm and map, [sum of lengths, width].
    #[must_use]
    pub fn sums(&self) -> Array2<f32> {
        let mut sums = self.content.clone();
        let mut first = 0;
        for length in &self.lengths {
            let mut text = sums.slice_mut(s![first..first + length, ..]);
            if let Some(positions) = &self.positions {
                text += &positions.slice(s![..*length, ..]);
            }
            if let Some(row) = &self.token_type {
                text += &ArrayView1::from(row);
            }
            first += length;
        }
        sums
    }

    /// States that enter the first layer.
    #[must_use]
    pub fn states(&self) -> Batch {
        let mut rows = self.sums();
        if let Some(norm) = &self.norm {
            norm.apply(rows.view_mut());
        }
        if let Some(map) = &self.map {
            rows = map.apply_to_few(rows.view());
        }
        Batch::new(rows, &self.lengths)
    }
}

/// Content of a run's texts.
#[derive(Clone, Copy, Debug)]
pub(super) enum TextContent<'a> {
    /// Ids of words.
    Ids(&'a [Vec<u32>]),
    /// Rows that are added to positions.
    Rows(&'a [ArrayView2<'a, f32>]),
}

impl TextContent<'_> {
    /// Number of tokens of each text.
    pub(super) fn lengths(&self) -> Vec<usize> {
        match self {
            Self::Ids(texts) => texts.iter().map(Vec::len).collect(),
            Self::Rows(texts) => texts.iter().map(ArrayView2::nrows).collect(),
        }
    }
}

/// Reads the parts of an embedding for some texts, none of which is longer than the table of positions.
pub(super) async fn read<W: Weights>(
    checkpoint: &W,
    embedding: &EmbeddingDescription,
    content: TextContent<'_>,
    pause: &impl AsyncFn(),
) -> Result<Embedding, ForwardError> {
    let lengths = content.lengths();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let positions = match &embedding.positions {
        Some(name) => {
            let tensor = checkpoint.locate(name).await?;
            Some(position_rows(checkpoint, &tensor, embedding.first_position, longest).await?)
        }
        None => None,
    };
    let token_type = match &embedding.token_types {
        Some(name) => {
            let tensor = as_rows(checkpoint.locate(name).await?);
            let row = checkpoint.read_rows(&tensor, 0..1).await?;
            refuse_non_numbers(&row, &tensor, 0, row.len())?;
            Some(row)
        }
        None => None,
    };
    let content = match content {
        TextContent::Ids(texts) => {
            let ids = texts.concat();
            word_rows(checkpoint, embedding, &ids, pause).await?
        }
        TextContent::Rows(texts) => {
            let rows = concatenate(Axis(0), texts);
            rows.map_err(|_misfit| misfit(embedding.positions.as_deref().unwrap_or_default()))?
        }
    };
    let norm_tensors = embedding.norm.iter().flat_map(|norm| norm.tensors());
    let mut tensors: Vec<(&str, Cut)> = norm_tensors.map(|name| (name, Cut::ROWS)).collect();
    let maps = embedding.map.iter().flat_map(map_tensors);
    tensors.extend(maps);
    let mut numbers = TensorNumbers::read(checkpoint, &tensors, pause).await?;
    let parts = Embedding {
        content,
        positions,
        token_type,
        norm: numbers.optional_norm(embedding.norm.as_ref())?,
        map: match &embedding.map {
            Some(map) => Some(numbers.take_map(map, 1)?),
            None => None,
        },
        lengths,
    };
    if parts.sums().iter().all(|number| number.is_finite()) {
        Ok(parts)
    } else {
        Err(ForwardError::Overflow { layer: None })
    }
}

/// Rows of words as they are added to positions: scaled and mapped, [ids, width].
pub(super) async fn word_rows<W: Weights>(
    checkpoint: &W,
    embedding: &EmbeddingDescription,
    ids: &[u32],
    pause: &impl AsyncFn(),
) -> Result<Array2<f32>, ForwardError> {
    let Some(EmbeddingContent::Words {
        tensor,
        is_scaled,
        map,
    }) = &embedding.content
    else {
        return Err(ModelError::NoWords.into());
    };
    let tensor = checkpoint.locate(tensor).await?;
    let mut rows = rows_by_id(checkpoint, &tensor, ids).await?;
    if let Some(map) = map {
        let map = read_map(checkpoint, map, pause).await?;
        rows = map.apply(rows.view(), pause).await;
    }
    if *is_scaled {
        let width = rows.ncols() as f64;
        rows *= width.sqrt() as f32;
    }
    Ok(rows)
}

/// Reads the map from the width of the words to that of the positions.
pub(super) async fn read_map<W: Weights>(
    checkpoint: &W,
    map: &LinearTensors,
    pause: &impl AsyncFn(),
) -> Result<LinearMap, ForwardError> {
    let tensors: Vec<_> = map_tensors(map).collect();
    let mut numbers = TensorNumbers::read(checkpoint, &tensors, pause).await?;
    numbers.take_map(map, 1)
}

/// Rows of a table for the first `length` positions.
async fn position_rows<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    first: u64,
    length: usize,
) -> Result<Array2<f32>, ForwardError> {
    let tensor = as_rows(tensor.clone());
    let rows = checkpoint
        .read_rows(&tensor, first..first + length as u64)
        .await?;
    let columns = rows.len() / length.max(1);
    refuse_non_numbers(&rows, &tensor, first, columns)?;
    Array2::from_shape_vec((length, columns), rows).map_err(|_misfit| misfit(&tensor.name))
}

/// Number of rows of a table.
pub(super) fn row_count(tensor: &TensorInfo) -> usize {
    let rows = as_rows(tensor.clone()).shape.first().copied();
    usize::try_from(rows.unwrap_or(0)).unwrap_or(usize::MAX)
}

/// A table without leading dimensions of size 1.
fn as_rows(mut tensor: TensorInfo) -> TensorInfo {
    while tensor.shape.len() > 2 && tensor.shape[0] == 1 {
        tensor.shape.remove(0);
    }
    tensor
}
