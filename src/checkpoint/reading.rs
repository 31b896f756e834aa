//! Reads the numbers of a checkpoint's tensors: whole tensors, several at once, or some of their rows. The only place
//! where scale factors are applied.

use super::{
    ByteSource, Checkpoint, CheckpointError, Dtype, TensorInfo, blocks,
    limits::{LARGEST_READ, SMALL_GAP},
    packed_weights::refuse_many,
    scale_factors::{ScaleFactors, USUAL_BLOCK, factor_names, is_same_in_another_layer, two_sets},
};
use std::ops::Range;

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
        if tensor.dtype.is_quantised() {
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
        let is_packed = |tensor: &TensorInfo| matches!(tensor.dtype, Dtype::Packed(_));
        let stored_tensors: Vec<&TensorInfo> = tensors
            .iter()
            .copied()
            .filter(|tensor| !is_packed(tensor))
            .collect();
        let mut numbers_of_stored = self.scaled_numbers(&stored_tensors).await?.into_iter();
        let mut numbers = Vec::with_capacity(tensors.len());
        for tensor in tensors {
            if is_packed(tensor) {
                let all = tensor.begin..tensor.end;
                numbers.push(self.read_packed(tensor, all).await?);
            } else {
                numbers.extend(numbers_of_stored.next());
            }
        }
        Ok(numbers)
    }

    /// Reads several tensors that are not packed, and multiplies them by their scale factors.
    async fn scaled_numbers(
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
        let mut numbers = vec![Vec::new(); tensors.len()];
        let take = async |at: usize, bytes: &[u8]| {
            numbers[at] = decode(tensors[at], bytes).await?;
            Ok(())
        };
        self.read_together(tensors, take).await?;
        Ok(numbers)
    }

    /// Reads the bytes of several tensors of any type.
    pub(super) async fn stored_bytes(
        &self,
        tensors: &[&TensorInfo],
    ) -> Result<Vec<Vec<u8>>, CheckpointError> {
        let mut all = vec![Vec::new(); tensors.len()];
        let take = async |at: usize, bytes: &[u8]| {
            all[at] = bytes.to_vec();
            Ok(())
        };
        self.read_together(tensors, take).await?;
        Ok(all)
    }

    /// Reads the bytes of several tensors, whose ranges have been checked, with as few reads as possible. `take` is given
    /// the index of each tensor and its bytes.
    async fn read_together(
        &self,
        tensors: &[&TensorInfo],
        mut take: impl AsyncFnMut(usize, &[u8]) -> Result<(), CheckpointError>,
    ) -> Result<(), CheckpointError> {
        let mut order: Vec<usize> = (0..tensors.len()).collect();
        order.sort_by_key(|&at| (tensors[at].file, tensors[at].begin));
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
            let file = self.file(file as usize).await?;
            let bytes = file.read(tensors[first], begin..end).await?;
            for &at in group {
                let tensor = tensors[at];
                // Both ends lie within the bytes just read, which fit in memory.
                let part = (tensor.begin - begin) as usize..(tensor.end - begin) as usize;
                take(at, &bytes[part]).await?;
            }
        }
        Ok(())
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
        if let Dtype::Packed(_) = tensor.dtype {
            check_rows(tensor, &rows)?;
            let row = tensor.bytes() / height(tensor).max(1);
            let part = tensor.begin + rows.start * row..tensor.begin + rows.end * row;
            return self.read_packed(tensor, part).await;
        }
        let bytes = self.row_bytes(tensor, &rows).await?;
        let numbers = decode(tensor, &bytes).await?;
        let mut numbers = rows_of(numbers, tensor, &rows);
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
        if tensor.dtype.is_quantised() {
            return Ok(widen(self.read_rows(tensor, rows).await?));
        }
        let bytes = self.row_bytes(tensor, &rows).await?;
        Ok(rows_of(tensor.exact_numbers(&bytes), tensor, &rows))
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
            return self.refuse_missing_factors(part).map(|()| None);
        };
        if let Some(second) = names.next() {
            return Err(two_sets(&part.name, &name, &second));
        }
        let whole = self.locate(&part.name).await?;
        let factors = self.locate(&name).await?;
        let block = self.quantisation.scale_block.unwrap_or(USUAL_BLOCK);
        ScaleFactors::new(&whole, part, &factors, block).map(Some)
    }

    /// Refuses a tensor without scale factors if the configuration says that there are some, or if the same tensor of
    /// another layer has them. Other files hold 8-bit floats that are whole without factors.
    fn refuse_missing_factors(&self, part: &TensorInfo) -> Result<(), CheckpointError> {
        if !part.name.ends_with("weight") || part.shape.len() < 2 {
            return Ok(());
        }
        let configured = self.quantisation.scale_factors_of(&part.name);
        let is_elsewhere =
            |factors: &String| (self.names()).any(|name| is_same_in_another_layer(name, factors));
        let expected =
            configured.or_else(|| factor_names(&part.name).into_iter().find(is_elsewhere));
        match expected {
            Some(factors) => Err(CheckpointError::NoScaleFactors {
                tensor: part.name.clone(),
                dtype: part.dtype.clone(),
                factors,
            }),
            None => Ok(()),
        }
    }

    /// Reads the bytes of some rows of a tensor, or of all of it if its rows are not separate.
    async fn row_bytes(
        &self,
        tensor: &TensorInfo,
        rows: &Range<u64>,
    ) -> Result<Vec<u8>, CheckpointError> {
        let file = self.check_info(tensor).await?;
        check_rows(tensor, rows)?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        if !tensor.has_separate_rows() {
            // The numbers of a row are not contiguous, so read the whole tensor.
            return file.read(tensor, tensor.begin..tensor.end).await;
        }
        // Neither product overflows: both stay within the tensor, which lies within the file.
        let row = tensor.bytes() / height(tensor);
        let range = tensor.begin + rows.start * row..tensor.begin + rows.end * row;
        file.read(tensor, range).await
    }
}

/// Decodes bytes of a tensor: all of them, or those of some rows if its rows are separate.
async fn decode(tensor: &TensorInfo, bytes: &[u8]) -> Result<Vec<f32>, CheckpointError> {
    refuse_many(&tensor.name, tensor.decoded_bytes(bytes.len() as u64))?;
    match tensor.dtype.block() {
        Some(block) => blocks::decode(block, bytes).await,
        None => Ok(tensor.numbers(bytes)),
    }
}

/// The numbers of some rows, among those of the bytes that were read for them.
fn rows_of<T: Clone>(numbers: Vec<T>, tensor: &TensorInfo, rows: &Range<u64>) -> Vec<T> {
    if tensor.has_separate_rows() || rows.is_empty() {
        return numbers;
    }
    // The length of a row fits in memory, as the whole tensor does; it is 0 for an empty tensor.
    let row = numbers.len() as u64 / height(tensor).max(1);
    let part = (rows.start * row) as usize..(rows.end * row) as usize;
    numbers.get(part).unwrap_or_default().to_vec()
}

fn check_rows(tensor: &TensorInfo, rows: &Range<u64>) -> Result<(), CheckpointError> {
    let available = height(tensor);
    if rows.start <= rows.end && rows.end <= available {
        return Ok(());
    }
    Err(CheckpointError::NoSuchRows {
        tensor: tensor.name.clone(),
        rows: rows.clone(),
        available,
    })
}

/// Number of rows of a tensor, counted along its first dimension.
fn height(tensor: &TensorInfo) -> u64 {
    tensor.shape.first().copied().unwrap_or(0)
}

fn widen(numbers: Vec<f32>) -> Vec<f64> {
    numbers.into_iter().map(f64::from).collect()
}
