//! Reads the numbers of a checkpoint's tensors: whole tensors, several at once, or some of their rows. The only place
//! where scale factors are applied.

use super::{
    ByteSource, Checkpoint, CheckpointError, Dtype, TensorInfo,
    limits::{LARGEST_READ, SMALL_GAP},
    scale_factors::{ScaleFactors, factor_names, two_sets},
};
use std::ops::Range;

/// Decoders of a tensor's numbers: for the whole tensor, and for some of its rows.
type RowDecoders<T> = (
    fn(&TensorInfo, &[u8]) -> Vec<T>,
    fn(&Dtype, &[u8]) -> Vec<T>,
);

impl<S: ByteSource> Checkpoint<S> {
    /// Reads a whole tensor. Floats of 8 bits are multiplied by the scale factors that the checkpoint has for them.
    ///
    /// # Errors
    /// If it holds no floats, is larger than 512 MiB, its bytes cannot be read, or its scale factors cannot be used.
    pub async fn read(&self, tensor: &TensorInfo) -> Result<Vec<f32>, CheckpointError> {
        let mut numbers = self.read_many(&[tensor]).await?;
        Ok(numbers.pop().unwrap_or_default())
    }

    /// Reads a whole tensor and keeps double precision where the file has it.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub async fn read_exact(&self, tensor: &TensorInfo) -> Result<Vec<f64>, CheckpointError> {
        if tensor.dtype.is_eight_bit_float() {
            return Ok(widen(self.read(tensor).await?));
        }
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
        // Factors often lie beside their tensors, so they are read together.
        let (mut scaled, mut parts) = (Vec::new(), Vec::new());
        for (at, tensor) in tensors.iter().enumerate() {
            if let Some(factors) = self.scale_factors(tensor).await? {
                parts.push(factors.of_rows(&(0..height(tensor))));
                scaled.push((at, factors));
            }
        }
        let all = tensors.iter().copied();
        let all: Vec<_> = all.chain(parts.iter().map(|part| &part.tensor)).collect();
        let mut numbers = self.stored_numbers(&all).await?;
        let factors = numbers.split_off(tensors.len());
        for (((at, scale), part), factors) in scaled.iter().zip(&parts).zip(&factors) {
            if let Some(numbers) = numbers.get_mut(*at) {
                scale.apply(numbers, 0, part, factors)?;
            }
        }
        Ok(numbers)
    }

    /// Reads several tensors as they are stored, without scale factors.
    async fn stored_numbers(
        &self,
        tensors: &[&TensorInfo],
    ) -> Result<Vec<Vec<f32>>, CheckpointError> {
        // The ends of a range may be in any order until they are checked.
        for tensor in tensors {
            self.check_info(tensor).await?;
        }
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
        let mut numbers = self.rows(tensor, rows.clone(), decode).await?;
        if !numbers.is_empty()
            && let Some(scale) = self.scale_factors(tensor).await?
        {
            let part = scale.of_rows(&rows);
            let factors = self.stored_numbers(&[&part.tensor]).await?;
            let factors = factors.first().map_or(&[][..], Vec::as_slice);
            scale.apply(&mut numbers, rows.start, &part, factors)?;
        }
        Ok(numbers)
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
        if tensor.dtype.is_eight_bit_float() {
            return Ok(widen(self.read_rows(tensor, rows).await?));
        }
        let decode = (
            TensorInfo::exact_numbers as fn(&_, &_) -> _,
            Dtype::decode_exact as _,
        );
        self.rows(tensor, rows, decode).await
    }

    /// The scale factors of a tensor, or of a part of one; `None` if its numbers are stored as they are.
    async fn scale_factors(
        &self,
        part: &TensorInfo,
    ) -> Result<Option<ScaleFactors>, CheckpointError> {
        if !part.dtype.is_eight_bit_float() {
            return Ok(None);
        }
        let names = factor_names(&part.name).into_iter();
        let mut names = names.filter(|name| self.has(name));
        let Some(name) = names.next() else {
            return Ok(None);
        };
        if let Some(second) = names.next() {
            return Err(two_sets(&part.name, &name, &second));
        }
        let whole = self.locate(&part.name).await?;
        let factors = self.locate(&name).await?;
        ScaleFactors::new(&whole, part, &factors, self.scale_block).map(Some)
    }

    /// Reads rows of a tensor. One whose rows are not separate is read whole, any other only where the rows lie.
    async fn rows<T: Clone>(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
        (whole, some): RowDecoders<T>,
    ) -> Result<Vec<T>, CheckpointError> {
        let file = self.check_info(tensor).await?;
        let height = height(tensor);
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
        if !tensor.has_separate_rows() {
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

/// Number of rows of a tensor, counted along its first dimension.
fn height(tensor: &TensorInfo) -> u64 {
    tensor.shape.first().copied().unwrap_or(0)
}

fn widen(numbers: Vec<f32>) -> Vec<f64> {
    numbers.into_iter().map(f64::from).collect()
}
