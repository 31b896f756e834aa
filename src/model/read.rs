//! Readers of tensors with a known role: they check shapes and finiteness, and transpose.

use ndarray::{Array2, ArrayView2, ShapeError};

use super::ModelError;
use crate::checkpoint::{CheckpointError, TensorInfo, Weights};

/// Reads a vector of `width` numbers.
pub(crate) async fn vector<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    width: usize,
) -> Result<Vec<f32>, ModelError> {
    // Shapes are compared before anything is read.
    if tensor.shape != [width as u64] {
        return Err(wrong_shape(tensor, width.to_string()));
    }
    let numbers = checkpoint.read(tensor).await?;
    refuse_non_numbers(&numbers, tensor, 0, width)?;
    Ok(numbers)
}

/// Number of rows of a tensor that must be `[at least 1, width]`.
pub(crate) fn rows_of(tensor: &TensorInfo, width: usize) -> Result<usize, ModelError> {
    if let [rows, columns] = tensor.shape[..]
        && rows > 0
        && columns == width as u64
        && let Ok(rows) = usize::try_from(rows)
    {
        return Ok(rows);
    }
    Err(wrong_shape(
        tensor,
        format!("any number × {width}, to fit the model's width"),
    ))
}

/// Reads the weight of a linear map, stored as `[out, in]`, as `[in, out]`. The memory order stays as stored,
/// column-major, which products read as fast as row-major.
pub(super) async fn linear<W: Weights>(
    checkpoint: &W,
    tensor: &TensorInfo,
    width: usize,
) -> Result<Array2<f32>, ModelError> {
    rows_of(tensor, width)?;
    let numbers = checkpoint.read(tensor).await?;
    refuse_non_numbers(&numbers, tensor, 0, width)?;
    Ok(array(numbers, tensor, width)?.reversed_axes())
}

/// Rows of `width` numbers read from `tensor`, as an array.
pub(super) fn array(
    numbers: Vec<f32>,
    tensor: &TensorInfo,
    width: usize,
) -> Result<Array2<f32>, ModelError> {
    let shape = (numbers.len() / width.max(1), width);
    Array2::from_shape_vec(shape, numbers).map_err(|error| no_array(tensor, shape, &error))
}

/// Like [`array`], for borrowed numbers.
pub(super) fn view<'a>(
    numbers: &'a [f32],
    tensor: &TensorInfo,
    width: usize,
) -> Result<ArrayView2<'a, f32>, ModelError> {
    let shape = (numbers.len() / width.max(1), width);
    ArrayView2::from_shape(shape, numbers).map_err(|error| no_array(tensor, shape, &error))
}

fn no_array(tensor: &TensorInfo, (rows, width): (usize, usize), error: &ShapeError) -> ModelError {
    wrong_shape(tensor, format!("{rows} × {width} ({error})"))
}

/// The error for a tensor of another shape than `expected`.
pub(crate) fn wrong_shape(tensor: &TensorInfo, expected: String) -> ModelError {
    if tensor.is_empty_vector() {
        let tensor = tensor.name.clone();
        return CheckpointError::EmptyWeight { tensor }.into();
    }
    ModelError::Shape {
        tensor: tensor.name.clone(),
        found: tensor.shape.clone(),
        expected,
    }
}

/// Refuses NaN and infinities. `numbers` begin at row `first_row` of the tensor, whose rows are `width` long.
pub(crate) fn refuse_non_numbers(
    numbers: &[f32],
    tensor: &TensorInfo,
    first_row: u64,
    width: usize,
) -> Result<(), ModelError> {
    if row_kernels::are_finite(numbers) {
        return Ok(());
    }
    let index = numbers.iter().position(|number| !number.is_finite());
    let index = index.unwrap_or_default();
    let width = width.max(1);
    Err(ModelError::NotFinite {
        tensor: tensor.name.clone(),
        row: first_row + (index / width) as u64,
        column: (index % width) as u64,
        value: numbers.get(index).copied().unwrap_or(f32::NAN),
    })
}

/// Rounds a number to single precision.
#[expect(clippy::cast_possible_truncation, reason = "numbers are kept as f32")]
pub(crate) fn narrow(number: f64) -> f32 {
    number as f32
}
