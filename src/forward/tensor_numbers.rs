//! Reader of the tensors of a block or a head, in few reads of at most 32 MB each.

use ndarray::{Array2, ArrayView2, Axis, concatenate, s};

use super::{ForwardError, LinearMap, NormWeights};
use crate::{
    checkpoint::{Order, TensorInfo, Weights},
    model::{
        Cut, LinearTensors, NormDescription,
        linear::{head_rows, part_of, span},
        read::refuse_non_numbers,
    },
};

/// Most bytes of a file per read.
const SLICE: u64 = 32 << 20;

/// Numbers of some tensors. Weights are taken out of it, so that most of them are not copied.
#[derive(Debug, Default)]
pub(super) struct TensorNumbers {
    parts: Vec<TensorPart>,
}

/// A tensor, or some of its rows.
#[derive(Debug)]
struct TensorPart {
    tensor: TensorInfo,
    /// Which of several equal parts of the rows it is; `None` for the whole tensor.
    index: Option<u64>,
    numbers: Vec<f32>,
}

impl TensorNumbers {
    /// Reads the parts of tensors that are used, each once. Refuses NaN and infinities. `pause` is called between
    /// reads.
    pub(super) async fn read<W: Weights>(
        checkpoint: &W,
        tensors: &[(&str, Cut)],
        pause: &impl AsyncFn(),
    ) -> Result<Self, ForwardError> {
        let mut parts: Vec<TensorPart> = Vec::new();
        for (name, cut) in tensors {
            let tensor = checkpoint.locate(name).await?;
            let index = row_part(&tensor, *cut);
            if parts
                .iter()
                .any(|part| part.tensor.name == *name && part.index == index)
            {
                continue;
            }
            parts.push(TensorPart {
                tensor: index.map_or_else(|| tensor.clone(), |_| part_of(&tensor, *cut)),
                index,
                numbers: Vec::new(),
            });
        }
        parts.sort_by_key(|part| (part.tensor.file, part.tensor.begin));
        let mut rest = parts.as_mut_slice();
        while let Some(first) = rest.first() {
            let mut bytes = first.tensor.bytes();
            let is_large = bytes > SLICE;
            // At least one, which is read by rows if it is larger than a slice.
            let more = rest[1..].iter().take_while(|part| {
                bytes = bytes.saturating_add(part.tensor.bytes());
                bytes <= SLICE
            });
            let count = 1 + more.count();
            let (group, others) = rest.split_at_mut(count);
            rest = others;
            if is_large {
                group[0].numbers = read_by_slices(checkpoint, &group[0].tensor, pause).await?;
            } else {
                let tensors: Vec<&TensorInfo> = group.iter().map(|part| &part.tensor).collect();
                let numbers = checkpoint.read_many(&tensors).await?;
                for (part, numbers) in group.iter_mut().zip(numbers) {
                    part.numbers = numbers;
                }
            }
            for part in group {
                let columns = part
                    .tensor
                    .shape
                    .last()
                    .map_or(1, |columns| *columns as usize);
                refuse_non_numbers(&part.numbers, &part.tensor, 0, columns)?;
            }
            pause().await;
        }
        Ok(Self { parts })
    }

    /// Takes out a linear map. `heads` is the number of heads whose rows a weight interleaves.
    pub(super) fn take_map(
        &mut self,
        map: &LinearTensors,
        heads: usize,
    ) -> Result<LinearMap, ForwardError> {
        let weight = self.take_weight(&map.weight, map.cut, heads);
        let weight = weight.ok_or_else(|| misfit(&map.weight))?;
        let bias = match &map.bias {
            Some(_) => Some(self.bias_of(map, weight.ncols(), heads)?),
            None => None,
        };
        Ok(LinearMap { weight, bias })
    }

    /// Takes out a stack of linear maps: weights [maps, in, out], biases [maps, out].
    pub(super) fn take_stack(
        &mut self,
        stack: &LinearTensors,
    ) -> Result<Vec<LinearMap>, ForwardError> {
        let name = &stack.weight;
        let is_weight = |part: &&mut TensorPart| part.tensor.name == *name && part.index.is_none();
        let part = self.parts.iter_mut().find(is_weight);
        let part = part.ok_or_else(|| misfit(name))?;
        let [_, inputs, outputs] = part.tensor.shape[..] else {
            return Err(misfit(name));
        };
        let (inputs, outputs) = (inputs as usize, outputs as usize);
        let numbers = std::mem::take(&mut part.numbers);
        let biases = self.optional_vector(stack.bias.as_deref())?;
        let mut biases = biases.as_ref().map(|biases| biases.chunks(outputs.max(1)));
        let weights = numbers.chunks((inputs * outputs).max(1));
        let map = |weight: &[f32]| {
            let weight = Array2::from_shape_vec((inputs, outputs), weight.to_vec());
            let bias = biases
                .as_mut()
                .map(|biases| biases.next().map(<[f32]>::to_vec));
            Ok(LinearMap {
                weight: weight.map_err(|_misfit| misfit(name))?,
                bias: match bias {
                    Some(bias) => Some(bias.ok_or_else(|| misfit(name))?),
                    None => None,
                },
            })
        };
        weights.map(map).collect()
    }

    /// The bias of a linear map with `outputs` outputs; zeros if it has none.
    pub(super) fn bias_of(
        &self,
        map: &LinearTensors,
        outputs: usize,
        heads: usize,
    ) -> Result<Vec<f32>, ForwardError> {
        match &map.bias {
            Some(name) => {
                let bias = self.bias(name, map.cut, outputs, heads);
                bias.ok_or_else(|| misfit(name))
            }
            None => Ok(vec![0.0; outputs]),
        }
    }

    /// Takes out a weight as [in, out]. The memory order stays as stored.
    fn take_weight(&mut self, name: &str, cut: Cut, heads: usize) -> Option<Array2<f32>> {
        let fits = |part: &TensorPart| {
            part.tensor.name == name && (part.index.is_none() || part.index == row_index(cut))
        };
        let part = self.parts.iter_mut().find(|part| fits(part))?;
        let [rows, columns] = part.tensor.shape[..] else {
            return None;
        };
        let shape = (rows as usize, columns as usize);
        if part.index.is_some() || cut.parts() == 1 {
            let numbers = std::mem::take(&mut part.numbers);
            let stored = Array2::from_shape_vec(shape, numbers).ok()?;
            return Some(match cut {
                Cut::Columns { .. } => stored,
                _ => stored.reversed_axes(),
            });
        }
        let stored = ArrayView2::from_shape(shape, &part.numbers).ok()?;
        Some(match cut {
            Cut::Rows { part, of } => {
                let rows = span(shape.0, part, of);
                stored.slice(s![rows, ..]).to_owned().reversed_axes()
            }
            Cut::Columns { part, of } => {
                let columns = span(shape.1, part, of);
                stored.slice(s![.., columns]).to_owned()
            }
            Cut::HeadRows { part, of } => {
                let rows = head_rows(shape.0, part, of, heads);
                let rows: Vec<_> = rows.map(|rows| stored.slice(s![rows, ..])).collect();
                concatenate(Axis(0), &rows).ok()?.reversed_axes()
            }
        })
    }

    /// A bias, which may hold only the part that is used.
    fn bias(&self, name: &str, cut: Cut, outputs: usize, heads: usize) -> Option<Vec<f32>> {
        let numbers = &self.whole(name)?.numbers;
        let bias: Vec<f32> = match cut {
            _ if numbers.len() == outputs => numbers.clone(),
            Cut::Rows { part, of } | Cut::Columns { part, of } => {
                numbers[span(numbers.len(), part, of)].to_vec()
            }
            Cut::HeadRows { part, of } => head_rows(numbers.len(), part, of, heads)
                .flat_map(|rows| numbers[rows].iter().copied())
                .collect(),
        };
        (bias.len() == outputs).then_some(bias)
    }

    /// A norm.
    pub(super) fn norm(&self, norm: &NormDescription) -> Result<NormWeights, ForwardError> {
        let mut scales = self.vector(&norm.weight)?;
        if norm.adds_one {
            scales.iter_mut().for_each(|scale| *scale += 1.0);
        }
        let shifts = self.optional_vector(norm.bias.as_deref())?;
        if (shifts.as_ref()).is_some_and(|shifts| shifts.len() != scales.len()) {
            return Err(misfit(&norm.weight));
        }
        Ok(NormWeights {
            kind: norm.kind,
            scales,
            shifts,
            epsilon: norm.epsilon,
        })
    }

    /// A norm, if there is one.
    pub(super) fn optional_norm(
        &self,
        norm: Option<&NormDescription>,
    ) -> Result<Option<NormWeights>, ForwardError> {
        norm.map(|norm| self.norm(norm)).transpose()
    }

    /// All numbers of a tensor, in one dimension.
    pub(super) fn vector(&self, name: &str) -> Result<Vec<f32>, ForwardError> {
        let part = self.whole(name).ok_or_else(|| misfit(name))?;
        Ok(part.numbers.clone())
    }

    /// [`Self::vector`] of a tensor, if there is one.
    pub(super) fn optional_vector(
        &self,
        name: Option<&str>,
    ) -> Result<Option<Vec<f32>>, ForwardError> {
        name.map(|name| self.vector(name)).transpose()
    }

    /// A table, with one row for each index of all dimensions but the last.
    pub(super) fn table(&self, name: &str) -> Result<Array2<f32>, ForwardError> {
        let part = self.whole(name).ok_or_else(|| misfit(name))?;
        let columns = part
            .tensor
            .shape
            .last()
            .map_or(0, |columns| *columns as usize);
        let shape = (part.numbers.len() / columns.max(1), columns);
        Array2::from_shape_vec(shape, part.numbers.clone()).map_err(|_misfit| misfit(name))
    }

    fn whole(&self, name: &str) -> Option<&TensorPart> {
        let mut parts = self.parts.iter();
        parts.find(|part| part.tensor.name == name && part.index.is_none())
    }
}

/// Index among several equal parts of the rows.
fn row_index(cut: Cut) -> Option<u64> {
    match cut {
        Cut::Rows { part, of } if of > 1 => Some(part),
        _ => None,
    }
}

/// The same for a tensor whose rows lie one after another in the file, so that a part can be read alone.
fn row_part(tensor: &TensorInfo, cut: Cut) -> Option<u64> {
    let is_matrix = tensor.shape.len() == 2 && tensor.order == Order::RowMajor;
    row_index(cut).filter(|_| is_matrix)
}

/// Reads a large tensor in slices of rows.
async fn read_by_slices<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    pause: &impl AsyncFn(),
) -> Result<Vec<f32>, ForwardError> {
    let rows = tensor.shape.first().copied().unwrap_or(0);
    if tensor.order == Order::ColumnMajor || rows == 0 {
        return Ok(checkpoint.read(tensor).await?);
    }
    let step = rows_per_slice(tensor);
    let mut numbers = Vec::new();
    for first in (0..rows).step_by(step as usize) {
        let slice = first..rows.min(first + step);
        let read = checkpoint.read_rows(tensor, slice).await?;
        if numbers.is_empty() {
            numbers.reserve_exact(read.len() / step as usize * rows as usize);
        }
        numbers.extend(read);
        pause().await;
    }
    Ok(numbers)
}

/// Number of rows of a tensor that take at most 32 MB in its file and as single-precision numbers.
pub(super) fn rows_per_slice(tensor: &TensorInfo) -> u64 {
    let rows = tensor.shape.first().copied().unwrap_or(1).max(1);
    let columns = tensor.shape.get(1..).unwrap_or_default();
    let in_memory = columns
        .iter()
        .fold(size_of::<f32>() as u64, |n, side| n.saturating_mul(*side));
    (SLICE / (tensor.bytes() / rows).max(in_memory).max(1)).max(1)
}

/// The error for a tensor that does not fit its place.
pub(super) fn misfit(tensor: &str) -> ForwardError {
    ForwardError::Tensor {
        tensor: tensor.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{SLICE, TensorNumbers};
    use crate::{
        checkpoint::WeightsInMemory,
        model::{Cut, LinearTensors},
    };
    use pollster::block_on;
    use std::{cell::Cell, collections::BTreeMap};

    async fn no_pause() {}

    /// Number of a cell, which names its row and column.
    fn cell(row: usize, column: usize) -> f32 {
        (row * 4096 + column) as f32
    }

    fn file(rows: usize, columns: usize) -> WeightsInMemory {
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| cell(row, column)));
        let weight = (vec![rows as u64, columns as u64], cells.collect());
        let bias = (vec![rows as u64], (0..rows).map(|row| row as f32).collect());
        let tensors = [("map.weight", weight), ("map.bias", bias)];
        let tensors = tensors.map(|(name, tensor)| (name.to_owned(), tensor));
        WeightsInMemory::new("test", BTreeMap::from(tensors))
    }

    fn map(cut: Cut) -> LinearTensors {
        LinearTensors {
            weight: "map.weight".to_owned(),
            bias: Some("map.bias".to_owned()),
            cut,
        }
    }

    #[test]
    fn parts_of_a_weight_are_its_rows_or_columns() {
        let file = file(12, 12);
        /// A cut by its part, the number of parts, and the stored index of an output of the last part.
        type Case = (fn(u64) -> Cut, u64, fn(usize) -> usize);
        let cases: [Case; 4] = [
            (|_| Cut::ROWS, 1, |at| at),
            (Cut::third_of_rows, 3, |at| 8 + at),
            (Cut::third_of_columns, 3, |at| 8 + at),
            // Two heads of six rows each.
            (Cut::third_of_heads, 3, |at| at / 2 * 6 + 4 + at % 2),
        ];
        for (cut, parts, index) in cases {
            let maps: Vec<LinearTensors> = (0..parts).map(|part| map(cut(part))).collect();
            let tensors: Vec<(&str, Cut)> = maps
                .iter()
                .flat_map(|map| [("map.weight", map.cut), ("map.bias", map.cut)])
                .collect();
            let numbers = block_on(TensorNumbers::read(&file, &tensors, &no_pause));
            let mut numbers = numbers.expect("numbers");
            let taken: Vec<_> = maps
                .iter()
                .map(|map| numbers.take_map(map, 2).expect("a map"))
                .collect();
            let last = &taken[taken.len() - 1];
            let is_by_columns = matches!(cut(0), Cut::Columns { .. });
            assert_eq!(last.weight.dim(), (12, 12 / parts as usize), "{:?}", cut(0));
            for ((input, output), number) in last.weight.indexed_iter() {
                let (row, column) = if is_by_columns {
                    (input, index(output))
                } else {
                    (index(output), input)
                };
                assert_eq!(*number, cell(row, column), "{:?}", cut(0));
                let bias = last.bias.as_ref().expect("a bias");
                assert_eq!(bias[output], index(output) as f32, "{:?}", cut(0));
            }
        }
    }

    #[test]
    fn a_large_weight_is_read_in_slices() {
        let (rows, columns) = (2500, 3400);
        assert!((rows * columns * size_of::<f32>()) as u64 > SLICE);
        let pauses = Cell::new(0);
        let pause = async || pauses.set(pauses.get() + 1);
        let tensors = [("map.weight", Cut::ROWS), ("map.bias", Cut::ROWS)];
        let file = file(rows, columns);
        let mut numbers = block_on(TensorNumbers::read(&file, &tensors, &pause)).expect("numbers");
        // One for the bias, one for each of two slices, and one after them.
        assert_eq!(pauses.get(), 4);
        let map = numbers.take_map(&map(Cut::ROWS), 1).expect("a map");
        for (row, column) in [(0, 0), (7, 3399), (2466, 1), (2499, 3399)] {
            assert_eq!(map.weight[(column, row)], cell(row, column));
        }
        assert_eq!(map.weight.len(), rows * columns);
    }
}
