//! Reader of query and key weights. Parts of weights are read in as few requests as possible and transposed to act as
//! `x·W`. Only the axes are swapped; the memory order stays as stored.

use serde::{Deserialize, Serialize};
use std::{borrow::Cow, ops::Range};

use ndarray::{Array2, ArrayView2, Axis, concatenate, s};

use super::{Cut, HiddenStates, LayerTensors, LinearTensors, ModelError, read};
use crate::checkpoint::{Order, TensorInfo, Weights};

/// Query and key weights of one layer, with the heads in adjacent columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerWeights {
    /// Query weight, [in, out].
    #[serde(with = "crate::math::as_bytes")]
    pub query: Array2<f32>,
    /// Key weight, [in, out].
    #[serde(with = "crate::math::as_bytes")]
    pub key: Array2<f32>,
    /// Query bias, one number per output, if the model has one.
    pub query_bias: Option<Vec<f32>>,
    /// Key bias, one number per output, if the model has one.
    pub key_bias: Option<Vec<f32>>,
    /// `LayerNorm` at the beginning of the layer, if it has one.
    pub norm: Option<super::LayerNorm>,
}

impl LayerWeights {
    /// Input of queries and keys: the hidden states, after the layer's own `LayerNorm` if they use it.
    #[must_use]
    pub fn attention_input<'a>(&self, states: &'a HiddenStates) -> Cow<'a, Array2<f32>> {
        match self.norm.as_ref().filter(|_| states.uses_norms) {
            Some(norm) => {
                let mut x = states.x.mapv(f64::from);
                norm.apply(&mut x);
                Cow::Owned(x.mapv(read::narrow))
            }
            None => Cow::Borrowed(&states.x),
        }
    }

    /// `W_Q` and `W_K` of one of `heads` heads, [d, `d_k`] each.
    ///
    /// # Panics
    /// If there is no such head.
    #[must_use]
    pub fn of_head(&self, head: usize, heads: usize) -> [ArrayView2<'_, f32>; 2] {
        let columns = self.columns(head..head + 1, heads);
        [
            self.query.slice(s![.., columns.clone()]),
            self.key.slice(s![.., columns]),
        ]
    }

    /// The weights of some of `heads` heads, as a layer without the others.
    ///
    /// # Panics
    /// If there are no such heads.
    #[must_use]
    pub fn of_heads(&self, some: Range<usize>, heads: usize) -> Self {
        let columns = self.columns(some, heads);
        let matrix = |all: &Array2<f32>| all.slice(s![.., columns.clone()]).to_owned();
        let bias = |all: &Option<Vec<f32>>| all.as_ref().map(|all| all[columns.clone()].to_vec());
        Self {
            query: matrix(&self.query),
            key: matrix(&self.key),
            query_bias: bias(&self.query_bias),
            key_bias: bias(&self.key_bias),
            norm: self.norm.clone(),
        }
    }

    /// Columns of some of `heads` heads.
    fn columns(&self, some: Range<usize>, heads: usize) -> Range<usize> {
        let width = self.query.ncols() / heads.max(1);
        some.start * width..some.end * width
    }
}

/// A weight of Flax, [in, heads, `d_k`], as [in, out]. Other weights stay as they are.
pub(super) fn as_matrix(tensor: TensorInfo, cut: Cut) -> TensorInfo {
    match (cut, &tensor.shape[..]) {
        (Cut::Columns { .. }, &[inputs, heads, width]) if tensor.order == Order::RowMajor => {
            let shape = vec![inputs, heads.saturating_mul(width)];
            TensorInfo { shape, ..tensor }
        }
        _ => tensor,
    }
}

/// A bias of Flax, [heads, `d_k`], as a vector.
fn as_vector(tensor: TensorInfo) -> TensorInfo {
    match &tensor.shape[..] {
        &[heads, width] if tensor.order == Order::RowMajor => {
            let shape = vec![heads.saturating_mul(width)];
            TensorInfo { shape, ..tensor }
        }
        _ => tensor,
    }
}

/// Number of heads in the shape of a weight of Flax, [in, heads, `d_k`]; `None` for other weights.
pub(super) fn heads_in_shape(tensor: &TensorInfo, cut: Cut) -> Option<u32> {
    match (cut, &tensor.shape[..]) {
        (Cut::Columns { of: 1, .. }, &[_, heads, _]) if heads > 0 => u32::try_from(heads).ok(),
        _ => None,
    }
}

/// Number of outputs of a linear map, from the shape of its weight.
pub(super) fn outputs(tensor: &TensorInfo, cut: Cut) -> Option<usize> {
    let tensor = as_matrix(tensor.clone(), cut);
    let [rows, columns] = tensor.shape[..] else {
        return None;
    };
    let out = match cut {
        Cut::Rows { of, .. } | Cut::HeadRows { of, .. } => rows / of,
        Cut::Columns { of, .. } => columns / of,
    };
    usize::try_from(out).ok().filter(|out| *out > 0)
}

/// Reads the query and key maps of a layer for inputs of `width` columns.
pub(super) async fn pair<W: Weights>(
    checkpoint: &W,
    layer: &LayerTensors,
    width: usize,
    heads: usize,
) -> Result<[(Array2<f32>, Option<Vec<f32>>); 2], ModelError> {
    let [query, key] = maps(checkpoint, &[&layer.query, &layer.key], width, heads)
        .await?
        .try_into()
        // `maps` returns as many maps as were requested.
        .unwrap_or_else(|_| [(Array2::zeros((0, 0)), None), (Array2::zeros((0, 0)), None)]);
    Ok([query, key])
}

/// Reads linear maps for inputs of `width` columns, as a matrix [in, out] and a bias per output.
pub(super) async fn maps<W: Weights>(
    checkpoint: &W,
    maps: &[&LinearTensors],
    width: usize,
    heads: usize,
) -> Result<Vec<(Array2<f32>, Option<Vec<f32>>)>, ModelError> {
    let mut parts = Vec::new();
    for map in maps {
        let weight = as_matrix(checkpoint.locate(&map.weight).await?, map.cut);
        check_shape(&weight, map.cut, width, heads)?;
        parts.push(part_of(&weight, map.cut));
        if let Some(bias) = &map.bias {
            parts.push(as_vector(checkpoint.locate(bias).await?));
        }
    }
    // Weights that are named twice are read once.
    let mut distinct: Vec<&TensorInfo> = Vec::new();
    for part in &parts {
        if !distinct.contains(&part) {
            distinct.push(part);
        }
    }
    let numbers = checkpoint.read_many(&distinct).await?;
    for (tensor, numbers) in distinct.iter().zip(&numbers) {
        let columns = tensor.shape.last().map_or(1, |columns| *columns as usize);
        read::refuse_non_numbers(numbers, tensor, 0, columns)?;
    }
    let numbers_of = |tensor: &TensorInfo| {
        let at = distinct.iter().position(|other| *other == tensor);
        at.map_or(&[][..], |at| numbers[at].as_slice())
    };
    let mut parts = parts.iter();
    let mut result = Vec::new();
    for map in maps {
        let Some(weight) = parts.next() else { break };
        let array = matrix(numbers_of(weight), weight, map.cut, heads)?;
        let bias = match &map.bias {
            Some(_) => parts.next(),
            None => None,
        };
        let bias = bias
            .map(|bias| bias_of(numbers_of(bias), bias, map.cut, array.ncols(), heads))
            .transpose()?;
        result.push((array, bias));
    }
    Ok(result)
}

/// Checks the shape of a weight for inputs of `width` columns.
pub(super) fn check_shape(
    weight: &TensorInfo,
    cut: Cut,
    width: usize,
    heads: usize,
) -> Result<(), ModelError> {
    let (inputs, outputs, of) = match (cut, &weight.shape[..]) {
        (Cut::Rows { of, .. } | Cut::HeadRows { of, .. }, [out, inputs]) => (inputs, out, of),
        (Cut::Columns { of, .. }, [inputs, out]) => (inputs, out, of),
        _ => (&0, &0, 1),
    };
    let whole = match cut {
        Cut::HeadRows { .. } => of * heads.max(1) as u64,
        _ => of,
    };
    if *inputs == width as u64 && *outputs > 0 && outputs.is_multiple_of(whole) {
        return Ok(());
    }
    let expected = match (cut, of) {
        (Cut::Columns { .. }, 1) => format!("{width} × any number, to fit the model's width"),
        (Cut::Columns { .. }, of) => format!("{width} × a multiple of {of}"),
        (_, 1) => format!("any number × {width}, to fit the model's width"),
        (_, of) => format!("a multiple of {of} × {width}"),
    };
    Err(read::wrong_shape(weight, expected))
}

/// The used rows of a weight as a tensor of their own; the whole weight if they are not contiguous.
pub(crate) fn part_of(weight: &TensorInfo, cut: Cut) -> TensorInfo {
    match (cut, weight.order, &weight.shape[..]) {
        (Cut::Rows { part, of }, Order::RowMajor, &[rows, columns]) => {
            let (rows, bytes) = (rows / of, weight.bytes() / of);
            let begin = weight.begin + part * bytes;
            TensorInfo {
                shape: vec![rows, columns],
                begin,
                end: begin + bytes,
                ..weight.clone()
            }
        }
        _ => weight.clone(),
    }
}

fn matrix(
    numbers: &[f32],
    tensor: &TensorInfo,
    cut: Cut,
    heads: usize,
) -> Result<Array2<f32>, ModelError> {
    let columns = tensor.shape.last().map_or(0, |columns| *columns as usize);
    let stored = read::view(numbers, tensor, columns)?;
    // Weights stored as [out, in] stay in that memory order, column-major here: products read columns as fast as rows.
    Ok(match cut {
        Cut::Rows { part, of } if tensor.order == Order::ColumnMajor => {
            let rows = span(stored.nrows(), part, of);
            stored.slice(s![rows, ..]).reversed_axes().to_owned()
        }
        Cut::Rows { .. } => stored.reversed_axes().to_owned(),
        Cut::Columns { part, of } => {
            let columns = span(stored.ncols(), part, of);
            stored.slice(s![.., columns]).to_owned()
        }
        Cut::HeadRows { part, of } => {
            let rows = head_rows(stored.nrows(), part, of, heads);
            let rows: Vec<_> = rows.map(|rows| stored.slice(s![rows, ..])).collect();
            let rows = concatenate(Axis(0), &rows);
            rows.map_err(|error| read::wrong_shape(tensor, error.to_string()))?
                .reversed_axes()
        }
    })
}

fn bias_of(
    numbers: &[f32],
    tensor: &TensorInfo,
    cut: Cut,
    outputs: usize,
    heads: usize,
) -> Result<Vec<f32>, ModelError> {
    let bias: Vec<f32> = match cut {
        // The bias may hold only the part that is used.
        _ if numbers.len() == outputs => numbers.to_vec(),
        Cut::Rows { part, of } | Cut::Columns { part, of } => {
            numbers[span(numbers.len(), part, of)].to_vec()
        }
        Cut::HeadRows { part, of } => head_rows(numbers.len(), part, of, heads)
            .flat_map(|rows| numbers[rows].iter().copied())
            .collect(),
    };
    if bias.len() == outputs {
        return Ok(bias);
    }
    Err(read::wrong_shape(tensor, outputs.to_string()))
}

pub(crate) fn span(length: usize, part: u64, of: u64) -> Range<usize> {
    let size = length / of as usize;
    let start = part as usize * size;
    start..start + size
}

/// Rows of a part in every head: heads are stored one after another, each with its `of` parts.
pub(crate) fn head_rows(
    length: usize,
    part: u64,
    of: u64,
    heads: usize,
) -> impl Iterator<Item = Range<usize>> {
    let size = length / (of as usize * heads.max(1));
    (0..heads.max(1)).map(move |head| {
        let start = (head * of as usize + part as usize) * size;
        start..start + size
    })
}
