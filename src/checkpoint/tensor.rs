//! An entry in a file's list of tensors: name, type, shape and position.

use serde::{Deserialize, Serialize};

use super::dtype::Dtype;

/// Description of one tensor: its name, element type, shape, and the range of its bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TensorInfo {
    /// Its name in the file.
    pub name: String,
    /// Element type.
    pub dtype: Dtype,
    /// Shape, slowest dimension first.
    pub shape: Vec<u64>,
    /// Index of its file within the checkpoint.
    pub file: u32,
    /// Position of its first byte in the file. Decompressed data is numbered from the end of the file on.
    pub begin: u64,
    /// One past its last byte.
    pub end: u64,
    /// Memory order of its numbers.
    pub order: Order,
}

/// Memory order of a tensor's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// The last dimension varies fastest (C).
    #[default]
    RowMajor,
    /// The first dimension varies fastest (Fortran), as in a transposed view.
    ColumnMajor,
    /// Neither: a view that skips, repeats or permutes numbers in another way. Not supported.
    Scattered,
}

impl TensorInfo {
    /// Number of bytes it takes in the file.
    pub fn bytes(&self) -> u64 {
        self.end.saturating_sub(self.begin)
    }

    /// Whether its bytes hold its numbers as its type stores them. False for blocks that its rows do not fill.
    pub(super) fn is_whole(&self) -> bool {
        match self.dtype.block() {
            Some(block) => block.bytes_of(&self.shape) == Some(self.bytes()),
            None => true,
        }
    }

    /// Whether some of its rows can be read without the others.
    pub(super) fn has_separate_rows(&self) -> bool {
        // A vector has one number per row, and a block has several.
        let is_by_rows = self.dtype.block().is_none() || self.shape.len() > 1;
        self.order == Order::RowMajor && is_by_rows
    }

    /// Bytes that the numbers of some of its bytes take in memory, as `f32`.
    pub(super) fn decoded_bytes(&self, bytes: u64) -> u64 {
        let numbers = match self.dtype.block() {
            Some(block) => (bytes / block.bytes()).saturating_mul(block.numbers()),
            None => bytes.saturating_mul(8) / self.dtype.bits().unwrap_or(8).max(1),
        };
        numbers.saturating_mul(size_of::<f32>() as u64)
    }

    /// Whether it is a vector without numbers, which stands for a weight that was not saved.
    pub(crate) fn is_empty_vector(&self) -> bool {
        self.shape == [0]
    }

    /// Decodes all of its bytes to numbers, row-major.
    pub(super) fn numbers(&self, bytes: &[u8]) -> Vec<f32> {
        self.to_row_major(self.dtype.decode(bytes), f32::NAN)
    }

    /// Like [`Self::numbers`], in double precision.
    pub(super) fn exact_numbers(&self, bytes: &[u8]) -> Vec<f64> {
        self.to_row_major(self.dtype.decode_exact(bytes), f64::NAN)
    }

    fn to_row_major<T: Copy>(&self, numbers: Vec<T>, none: T) -> Vec<T> {
        match self.order {
            Order::ColumnMajor if self.shape.len() > 1 => row_major(&numbers, &self.shape, none),
            _ => numbers,
        }
    }
}

/// Reorders column-major numbers to row-major.
///
/// `none` fills cells for which `numbers` is too short.
fn row_major<T: Copy>(numbers: &[T], shape: &[u64], none: T) -> Vec<T> {
    // The product of an empty tensor's dimensions may overflow.
    if numbers.is_empty() {
        return Vec::new();
    }
    let strides: Vec<u64> = shape
        .iter()
        .scan(1_u64, |next, length| {
            let stride = *next;
            *next = stride.saturating_mul(*length);
            Some(stride)
        })
        .collect();
    let mut cell = vec![0_u64; shape.len()];
    let mut ordered = Vec::with_capacity(numbers.len());
    for _ in 0..numbers.len() {
        let at: u64 = cell
            .iter()
            .zip(&strides)
            .map(|(i, stride)| i * stride)
            .sum();
        let number = usize::try_from(at).ok().and_then(|at| numbers.get(at));
        ordered.push(number.copied().unwrap_or(none));
        for (i, length) in cell.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < *length {
                break;
            }
            *i = 0;
        }
    }
    ordered
}
