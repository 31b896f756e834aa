//! Reads the numbers of a checkpoint's tensors: whole tensors, several at once, or some of their rows.

use super::{
    ByteSource, Checkpoint, CheckpointError, Dtype, Order, TensorInfo,
    limits::{LARGEST_READ, SMALL_GAP},
};
use std::ops::Range;

/// Decoders of a tensor's numbers: for the whole tensor, and for some of its rows.
type RowDecoders<T> = (
    fn(&TensorInfo, &[u8]) -> Vec<T>,
    fn(&Dtype, &[u8]) -> Vec<T>,
);

impl<S: ByteSource> Checkpoint<S> {
    /// Reads a whole tensor.
    ///
    /// # Errors
    /// If it holds no floats, is larger than 512 MiB, or its bytes cannot be read.
    pub async fn read(&self, tensor: &TensorInfo) -> Result<Vec<f32>, CheckpointError> {
        let file = self.check_info(tensor).await?;
        let bytes = file.read(tensor, tensor.begin..tensor.end).await?;
        Ok(tensor.numbers(&bytes))
    }

    /// Reads a whole tensor and keeps double precision where the file has it.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub async fn read_exact(&self, tensor: &TensorInfo) -> Result<Vec<f64>, CheckpointError> {
        let file = self.check_info(tensor).await?;
        let bytes = file.read(tensor, tensor.begin..tensor.end).await?;
        Ok(tensor.exact_numbers(&bytes))
    }

    /// Reads several tensors. Tensors that lie close together in one file are read in one go.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub async fn read_many(
        &self,
        tensors: &[&TensorInfo],
    ) -> Result<Vec<Vec<f32>>, CheckpointError> {
        let mut order: Vec<usize> = (0..tensors.len()).collect();
        order.sort_by_key(|&at| (tensors[at].file, tensors[at].begin));
        let mut numbers = vec![Vec::new(); tensors.len()];
        let mut rest = order.as_slice();
        while let Some((&first, _)) = rest.split_first() {
            let (file, begin) = (tensors[first].file, tensors[first].begin);
            let mut end = tensors[first].end;
            let together = rest
                .iter()
                .take_while(|&&at| {
                    let next = tensors[at];
                    let near = next.file == file
                        && next.begin <= end.saturating_add(SMALL_GAP)
                        && next.end.max(end) - begin <= LARGEST_READ;
                    if near {
                        end = end.max(next.end);
                    }
                    near
                })
                .count()
                .max(1);
            let (group, others) = rest.split_at(together);
            rest = others;
            for &at in group {
                self.check_info(tensors[at]).await?;
            }
            let file = self.check_info(tensors[first]).await?;
            let bytes = file.read(tensors[first], begin..end).await?;
            for &at in group {
                let tensor = tensors[at];
                // Both ends lie within the bytes just read, which fit in memory.
                let part = (tensor.begin - begin) as usize..(tensor.end - begin) as usize;
                numbers[at] = tensor.numbers(&bytes[part]);
            }
        }
        Ok(numbers)
    }

    /// Reads rows `rows` of a tensor, counted along its first dimension.
    ///
    /// # Errors
    /// As [`Self::read`], and if the tensor has no such rows.
    pub async fn read_rows(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
    ) -> Result<Vec<f32>, CheckpointError> {
        let decode = (TensorInfo::numbers as fn(&_, &_) -> _, Dtype::decode as _);
        self.rows(tensor, rows, decode).await
    }

    /// Like [`Self::read_rows`], but keeps double precision where the file has it.
    ///
    /// # Errors
    /// As [`Self::read_rows`].
    pub async fn read_exact_rows(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
    ) -> Result<Vec<f64>, CheckpointError> {
        let decode = (
            TensorInfo::exact_numbers as fn(&_, &_) -> _,
            Dtype::decode_exact as _,
        );
        self.rows(tensor, rows, decode).await
    }

    /// Reads rows of a tensor. A column-major tensor is read whole, any other only where the rows lie.
    async fn rows<T: Clone>(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
        (whole, some): RowDecoders<T>,
    ) -> Result<Vec<T>, CheckpointError> {
        let file = self.check_info(tensor).await?;
        let height = tensor.shape.first().copied().unwrap_or(0);
        if rows.start > rows.end || rows.end > height {
            return Err(CheckpointError::NoSuchRows {
                tensor: tensor.name.clone(),
                rows,
                available: height,
            });
        }
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        if tensor.order == Order::ColumnMajor {
            // The numbers of a row are not contiguous, so read the whole tensor.
            let bytes = file.read(tensor, tensor.begin..tensor.end).await?;
            let numbers = whole(tensor, &bytes);
            // The length of a row fits in memory, as the whole tensor does; it is 0 for an empty tensor.
            let row = numbers.len() as u64 / height;
            let part = (rows.start * row) as usize..(rows.end * row) as usize;
            return Ok(numbers[part].to_vec());
        }
        // Neither product overflows: both stay within the tensor, which lies within the file.
        let row = tensor.bytes() / height;
        let range = tensor.begin + rows.start * row..tensor.begin + rows.end * row;
        let bytes = file.read(tensor, range).await?;
        Ok(some(&tensor.dtype, &bytes))
    }
}
