//! States that enter the first layer, and the parts of which they are made.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, concatenate, s};

use super::{Batch, ForwardError, LinearMap, NormWeights, tensor_numbers::TensorNumbers};
use crate::{
    checkpoint::{TensorInfo, Weights},
    model::{Cut, EmbeddingContent, EmbeddingDescription, ModelError, read::refuse_non_numbers},
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

/// Reads the parts of an embedding for some texts.
pub(super) async fn read<W: Weights>(
    checkpoint: &W,
    embedding: &EmbeddingDescription,
    content: TextContent<'_>,
    pause: &impl AsyncFn(),
) -> Result<Embedding, ForwardError> {
    let lengths: Vec<usize> = match content {
        TextContent::Ids(texts) => texts.iter().map(Vec::len).collect(),
        TextContent::Rows(texts) => texts.iter().map(ArrayView2::nrows).collect(),
    };
    if let Some(text) = lengths.iter().position(|length| *length == 0) {
        return Err(ForwardError::EmptyText { text });
    }
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
            rows.map_err(|_misfit| ForwardError::Tensor {
                tensor: embedding.positions.clone().unwrap_or_default(),
            })?
        }
    };
    let norm_tensors = embedding.norm.iter().flat_map(|norm| norm.tensors());
    let mut tensors: Vec<(&str, Cut)> = norm_tensors.map(|name| (name, Cut::ROWS)).collect();
    let maps = embedding
        .map
        .iter()
        .flat_map(super::score_weights::map_tensors);
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
        let tensors: Vec<_> = super::score_weights::map_tensors(map).collect();
        let mut numbers = TensorNumbers::read(checkpoint, &tensors, pause).await?;
        rows = numbers.take_map(map, 1)?.apply(rows.view(), pause).await;
    }
    if *is_scaled {
        let width = rows.ncols() as f64;
        rows *= width.sqrt() as f32;
    }
    Ok(rows)
}

/// Rows of a word table by id, [ids, columns]. Every row is read once, and rows that lie close together in one go.
pub(super) async fn rows_by_id<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    ids: &[u32],
) -> Result<Array2<f32>, ForwardError> {
    let [row_count, columns] = tensor.shape[..] else {
        return Err(ForwardError::Tensor {
            tensor: tensor.name.clone(),
        });
    };
    if let Some(id) = ids.iter().find(|id| u64::from(**id) >= row_count) {
        return Err(ModelError::NoWord {
            row: u64::from(*id),
            of: row_count,
        }
        .into());
    }
    let mut distinct = ids.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let bytes = tensor.bytes() / row_count.max(1);
    let row = |id: &u32| {
        let begin = tensor.begin + u64::from(*id) * bytes;
        TensorInfo {
            shape: vec![1, columns],
            begin,
            end: begin + bytes,
            ..tensor.clone()
        }
    };
    let infos: Vec<TensorInfo> = distinct.iter().map(row).collect();
    let infos: Vec<&TensorInfo> = infos.iter().collect();
    let numbers = if tensor.order == crate::checkpoint::Order::RowMajor {
        checkpoint.read_many(&infos).await?
    } else {
        let mut rows = Vec::new();
        for id in &distinct {
            let id = u64::from(*id);
            rows.push(checkpoint.read_rows(tensor, id..id + 1).await?);
        }
        rows
    };
    let mut rows = Array2::zeros((ids.len(), columns as usize));
    for (mut row, id) in rows.rows_mut().into_iter().zip(ids) {
        // Every id is among the distinct ones.
        let at = distinct.binary_search(id).unwrap_or(0);
        refuse_non_numbers(&numbers[at], tensor, u64::from(*id), columns as usize)?;
        row.assign(&ArrayView1::from(&numbers[at]));
    }
    Ok(rows)
}

/// Rows of a table for the first `length` positions.
async fn position_rows<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    first: u64,
    length: usize,
) -> Result<Array2<f32>, ForwardError> {
    let tensor = as_rows(tensor.clone());
    let longest = positions_in(&tensor, first);
    if length > longest {
        return Err(ForwardError::TooLong {
            tokens: length,
            longest,
        });
    }
    let rows = checkpoint
        .read_rows(&tensor, first..first + length as u64)
        .await?;
    let columns = rows.len() / length.max(1);
    refuse_non_numbers(&rows, &tensor, first, columns)?;
    Array2::from_shape_vec((length, columns), rows).map_err(|_misfit| ForwardError::Tensor {
        tensor: tensor.name.clone(),
    })
}

/// Number of positions of a table whose first position is in row `first`.
pub(super) fn positions_in(tensor: &TensorInfo, first: u64) -> usize {
    let rows = as_rows(tensor.clone()).shape.first().copied().unwrap_or(0);
    usize::try_from(rows.saturating_sub(first)).unwrap_or(usize::MAX)
}

/// A table without leading dimensions of size 1.
fn as_rows(mut tensor: TensorInfo) -> TensorInfo {
    while tensor.shape.len() > 2 && tensor.shape[0] == 1 {
        tensor.shape.remove(0);
    }
    tensor
}
