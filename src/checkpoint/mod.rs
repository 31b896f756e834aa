//! Bytes to named tensors. Knows no browser, no model family, no encoding.
//!
//! A [`Checkpoint`] is opened by its header alone; tensors are read when asked for, whole or by rows, and
//! come as `f32` in the order of the file (row-major). Every position is a `u64`, also on wasm32, because
//! single files pass 4 GiB. What was read is counted, so that the page can show how little that is.
//!
//! This is no general safetensors library: it writes nothing, it reads floats only, and it is more
//! tolerant than the format asks (holes between tensors, any order, any alignment) because files are.

mod byte_source;
mod dtype;
mod error;
mod kind;
mod memory_source;
pub mod safetensors;

use std::{cell::Cell, collections::BTreeMap, fmt, ops::Range};

use serde::{Deserialize, Serialize};

pub use byte_source::{ByteSource, SourceError};
pub use dtype::Dtype;
pub use error::CheckpointError;
pub(crate) use error::{Name, Shape, Shortened};
pub use kind::{FileKind, describe};
pub use memory_source::MemorySource;

/// What is asked for first. Most headers fit, so that most checkpoints open with one read.
const FIRST_READ: u64 = 64 << 10;

/// The most bytes one call reads: a table larger than this is meant to be read by rows.
const LARGEST_READ: u64 = 512 << 20;

/// Where one tensor lies and what it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TensorInfo {
    /// Its name in the file.
    pub name: String,
    /// How one number is stored.
    pub dtype: Dtype,
    /// Lengths of its dimensions, slowest first.
    pub shape: Vec<u64>,
    /// First byte, counted from the beginning of the file.
    pub begin: u64,
    /// One past its last byte.
    pub end: u64,
}

impl TensorInfo {
    /// Bytes it takes in the file.
    pub fn bytes(&self) -> u64 {
        self.end.saturating_sub(self.begin)
    }
}

/// A file of named tensors of which only the header has been read.
pub struct Checkpoint<S> {
    name: String,
    source: S,
    header: safetensors::Header,
    /// The first bytes of the file. A small file is all here, and is read but once.
    first: Vec<u8>,
    bytes_read: Cell<u64>,
}

impl<S: ByteSource> Checkpoint<S> {
    /// Opens a safetensors file by reading its header. `name` is what people call the file.
    ///
    /// # Errors
    /// When the bytes cannot be had, are no safetensors file, or describe tensors that cannot be.
    pub async fn open(source: S, name: &str) -> Result<Self, CheckpointError> {
        let size = source.size();
        let first = read_exactly(&source, 0..size.min(FIRST_READ)).await?;
        let held = first.len() as u64;
        // The length is checked here, before anything of that length is asked for.
        let end = safetensors::header_end(&first, size)?;
        let header = if end <= held {
            safetensors::parse(&first, size)?
        } else {
            let rest = read_exactly(&source, held..end).await?;
            safetensors::parse(&[&first[..], &rest].concat(), size)?
        };
        Ok(Self {
            name: name.to_owned(),
            source,
            header,
            first,
            bytes_read: Cell::new(held.max(end)),
        })
    }

    /// What people call the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.source.size()
    }

    /// Bytes read from the file so far, the header included. What is asked for twice is read twice, except
    /// within the first 64 KiB.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.get()
    }

    /// All tensors, sorted by name.
    pub fn tensors(&self) -> &[TensorInfo] {
        &self.header.tensors
    }

    /// The tensor of that name.
    pub fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        let tensors = &self.header.tensors;
        let index = tensors
            .binary_search_by(|tensor| tensor.name.as_str().cmp(name))
            .ok()?;
        tensors.get(index)
    }

    /// What the writer of the file noted in it.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.header.metadata
    }

    /// Reads a whole tensor.
    ///
    /// # Errors
    /// When it holds no floats, is larger than 512 MiB, or its bytes cannot be had.
    pub async fn read(&self, tensor: &TensorInfo) -> Result<Vec<f32>, CheckpointError> {
        self.check(tensor)?;
        self.read_bytes(tensor, tensor.begin..tensor.end).await
    }

    /// Reads rows `rows` of a tensor, counted along its leading dimension.
    ///
    /// # Errors
    /// As [`Self::read`], and when the tensor has no such rows.
    pub async fn read_rows(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
    ) -> Result<Vec<f32>, CheckpointError> {
        self.check(tensor)?;
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
        // Neither product overflows: both stay within the tensor, which lies within the file.
        let row = tensor.bytes() / height;
        let (begin, end) = (
            tensor.begin + rows.start * row,
            tensor.begin + rows.end * row,
        );
        self.read_bytes(tensor, begin..end).await
    }

    /// A `TensorInfo` is plain data that may have come from elsewhere: none of it is believed unchecked.
    fn check(&self, tensor: &TensorInfo) -> Result<(), CheckpointError> {
        if !tensor.dtype.is_float() {
            return Err(CheckpointError::NotFloats {
                tensor: tensor.name.clone(),
                dtype: tensor.dtype.clone(),
            });
        }
        if tensor.begin > tensor.end || tensor.end > self.size() {
            return Err(CheckpointError::OutsideFile {
                tensor: tensor.name.clone(),
                end: tensor.end.max(tensor.begin),
                size: self.size(),
            });
        }
        Ok(())
    }

    async fn read_bytes(
        &self,
        tensor: &TensorInfo,
        range: Range<u64>,
    ) -> Result<Vec<f32>, CheckpointError> {
        let length = range.end - range.start;
        if length > LARGEST_READ {
            return Err(CheckpointError::TooLarge {
                tensor: tensor.name.clone(),
                bytes: length,
                limit: LARGEST_READ,
            });
        }
        let held = self.first.len() as u64;
        let rest = range.start.max(held)..range.end.max(held);
        let missing = rest.end - rest.start;
        let mut bytes = read_exactly(&self.source, rest).await?;
        self.bytes_read.set(self.bytes_read.get() + missing);
        if range.start < held {
            let known = usize_range(range.start..range.end.min(held));
            bytes.splice(0..0, self.first[known].iter().copied());
        }
        Ok(tensor.dtype.decode(&bytes))
    }
}

impl<S> fmt::Debug for Checkpoint<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoint")
            .field("name", &self.name)
            .field("tensors", &self.header.tensors.len())
            .field("bytes_read", &self.bytes_read.get())
            .finish_non_exhaustive()
    }
}

/// A range within the bytes held, which are few.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the first read is of 64 KiB"
)]
fn usize_range(range: Range<u64>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Reads `range` and holds the source to its promise: a short answer would misread every number after it.
async fn read_exactly(
    source: &impl ByteSource,
    range: Range<u64>,
) -> Result<Vec<u8>, CheckpointError> {
    if range.is_empty() {
        return Ok(Vec::new());
    }
    let bytes = source
        .read(range.clone())
        .await
        .map_err(CheckpointError::Source)?;
    if bytes.len() as u64 == range.end - range.start {
        Ok(bytes)
    } else {
        Err(CheckpointError::ShortRead {
            range,
            received: bytes.len() as u64,
        })
    }
}
