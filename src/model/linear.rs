//! Queries and keys: the parts of weights that they are, read with as few reads as can be and turned so
//! that they act as `x·W`. Turned are their axes; their numbers lie as they are stored.

use serde::{Deserialize, Serialize};
use std::{borrow::Cow, ops::Range};

use ndarray::{Array2, ArrayView2, Axis, concatenate, s};

use super::{Cut, HiddenStates, LayerTensors, LinearTensors, ModelError, read};
use crate::checkpoint::{Order, TensorInfo, Weights};

/// Queries and keys of one layer, all heads side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerWeights {
    /// [in, out].
    #[serde(with = "crate::math::as_bytes")]
    pub query: Array2<f32>,
    /// [in, out].
    #[serde(with = "crate::math::as_bytes")]
    pub key: Array2<f32>,
    /// One number an output, where the model has it.
    pub query_bias: Option<Vec<f32>>,
    /// One number an output, where the model has it.
    pub key_bias: Option<Vec<f32>>,
    /// The `LayerNorm` at the beginning of the layer, where it has one.
    pub norm: Option<super::LayerNorm>,
}

impl LayerWeights {
    /// What enters queries and keys: hidden states, or what the layer's own `LayerNorm` makes of them.
    #[must_use]
    pub fn entering<'a>(&self, states: &'a HiddenStates) -> Cow<'a, Array2<f32>> {
        match self.norm.as_ref().filter(|_| states.uses_norms) {
            Some(norm) => {
                let mut x = states.x.mapv(f64::from);
                norm.apply(&mut x);
                Cow::Owned(x.mapv(read::narrow))
            }
            None => Cow::Borrowed(&states.x),
        }
    }

    /// `W_Q` and `W_K` of one of so many heads, [d, `d_k`] each.
    ///
    /// # Panics
    /// When there is no such head.
    #[must_use]
    pub fn of_head(&self, head: usize, heads: usize) -> [ArrayView2<'_, f32>; 2] {
        let columns = self.columns(head..head + 1, heads);
        [
            self.query.slice(s![.., columns.clone()]),
            self.key.slice(s![.., columns]),
        ]
    }

    /// Those of some of so many heads, as a layer that has no others.
    ///
    /// # Panics
    /// When there are no such heads.
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

    /// Where some of so many heads lie in it.
    fn columns(&self, some: Range<usize>, heads: usize) -> Range<usize> {
        let width = self.query.ncols() / heads.max(1);
        some.start * width..some.end * width
    }
}

/// Outputs of a linear map, from the shape of its weight.
pub(super) fn outputs(tensor: &TensorInfo, cut: Cut) -> Option<usize> {
    let [rows, columns] = tensor.shape[..] else {
        return None;
    };
    let out = match cut {
        Cut::Rows { of, .. } | Cut::HeadRows { of, .. } => rows / of,
        Cut::Columns { of, .. } => columns / of,
    };
    usize::try_from(out).ok().filter(|out| *out > 0)
}

/// Reads the query and key maps of a layer from inputs of `width` numbers.
pub(super) async fn pair<W: Weights>(
    checkpoint: &W,
    layer: &LayerTensors,
    width: usize,
    heads: usize,
) -> Result<[(Array2<f32>, Option<Vec<f32>>); 2], ModelError> {
    let [query, key] = maps(checkpoint, &[&layer.query, &layer.key], width, heads)
        .await?
        .try_into()
        // Two maps were asked for, and every one that was asked for is given.
        .unwrap_or_else(|_| [(Array2::zeros((0, 0)), None), (Array2::zeros((0, 0)), None)]);
    Ok([query, key])
}

/// Reads linear maps from inputs of `width` numbers: [in, out] and one number an output.
pub(super) async fn maps<W: Weights>(
    checkpoint: &W,
    maps: &[&LinearTensors],
    width: usize,
    heads: usize,
) -> Result<Vec<(Array2<f32>, Option<Vec<f32>>)>, ModelError> {
    let mut parts = Vec::new();
    for map in maps {
        let weight = checkpoint.locate(&map.weight).await?;
        read::refuse_scaled(checkpoint, &weight)?;
        check_shape(&weight, map.cut, width, heads)?;
        parts.push(part_of(&weight, map.cut));
        if let Some(bias) = &map.bias {
            parts.push(checkpoint.locate(bias).await?);
        }
    }
    // The same weight may be named twice; it is read once.
    let mut wanted: Vec<&TensorInfo> = Vec::new();
    for part in &parts {
        if !wanted.contains(&part) {
            wanted.push(part);
        }
    }
    let numbers = checkpoint.read_many(&wanted).await?;
    for (tensor, numbers) in wanted.iter().zip(&numbers) {
        let columns = tensor.shape.last().map_or(1, |columns| *columns as usize);
        read::refuse_non_numbers(numbers, tensor, 0, columns)?;
    }
    let read = |tensor: &TensorInfo| {
        let at = wanted.iter().position(|other| *other == tensor);
        at.map_or(&[][..], |at| numbers[at].as_slice())
    };
    let mut parts = parts.iter();
    let mut result = Vec::new();
    for map in maps {
        let Some(weight) = parts.next() else { break };
        let array = matrix(read(weight), weight, map.cut, heads)?;
        let bias = match &map.bias {
            Some(_) => parts.next(),
            None => None,
        };
        let bias = bias
            .map(|bias| bias_of(read(bias), bias, map.cut, array.ncols(), heads))
            .transpose()?;
        result.push((array, bias));
    }
    Ok(result)
}

fn check_shape(
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

/// The rows of a weight that are wanted, as a tensor of their own; the whole where they lie scattered.
fn part_of(weight: &TensorInfo, cut: Cut) -> TensorInfo {
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
    // Maps stored [out, in] are kept as they lie, column by column: products read columns as fast as rows.
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
        // A bias may be that of the part alone.
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

fn span(length: usize, part: u64, of: u64) -> Range<usize> {
    let size = length / of as usize;
    let start = part as usize * size;
    start..start + size
}

/// Where every head keeps its part: heads lie one after another, each with its `of` parts.
fn head_rows(
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
