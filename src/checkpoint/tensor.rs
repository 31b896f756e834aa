//! A tensor as a file lists it: its name, its type, its shape, and where its bytes lie.

use serde::{Deserialize, Serialize};

use super::dtype::Dtype;

/// Where one tensor lies and what it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TensorInfo {
    /// Its name in the file.
    pub name: String,
    /// How one number is stored.
    pub dtype: Dtype,
    /// Lengths of its dimensions, slowest first.
    pub shape: Vec<u64>,
    /// Which of a checkpoint's files it is in.
    pub file: u32,
    /// First byte, counted from the beginning of the file. What was compressed is counted on from the
    /// file's end.
    pub begin: u64,
    /// One past its last byte.
    pub end: u64,
    /// In which order its numbers lie.
    pub order: Order,
}

/// In which order the numbers of a tensor lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// The last dimension runs fastest (C).
    #[default]
    RowMajor,
    /// The first dimension runs fastest (Fortran), as in a transposed view.
    ColumnMajor,
    /// Neither: a view that leaves numbers out, repeats them or mixes dimensions. It is not read.
    Scattered,
}

impl TensorInfo {
    /// Bytes it takes in the file.
    pub fn bytes(&self) -> u64 {
        self.end.saturating_sub(self.begin)
    }

    /// All its numbers, row-major, from all its bytes.
    pub(super) fn numbers(&self, bytes: &[u8]) -> Vec<f32> {
        self.ordered(self.dtype.decode(bytes), f32::NAN)
    }

    /// The same, in double precision where they are stored so.
    pub(super) fn exact_numbers(&self, bytes: &[u8]) -> Vec<f64> {
        self.ordered(self.dtype.decode_exact(bytes), f64::NAN)
    }

    fn ordered<T: Copy>(&self, numbers: Vec<T>, none: T) -> Vec<T> {
        match self.order {
            Order::ColumnMajor if self.shape.len() > 1 => row_major(&numbers, &self.shape, none),
            _ => numbers,
        }
    }
}

/// Numbers of which the first dimension runs fastest, reordered so that the last one does.
///
/// `none` stands where `numbers` are fewer than the shape says.
fn row_major<T: Copy>(numbers: &[T], shape: &[u64], none: T) -> Vec<T> {
    // An empty tensor may claim dimensions whose product is no number.
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
