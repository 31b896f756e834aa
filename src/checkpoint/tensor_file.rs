//! An open file: its source, its list of tensors, and its first bytes.

use std::{cell::Cell, collections::BTreeMap, ops::Range, rc::Rc};

use super::{
    adapter::Adapter,
    byte_source::ByteSource,
    error::CheckpointError,
    file_kind::FileKind,
    formats,
    index::Index,
    limits::{FIRST_READ, LARGEST_READ},
    sniff::describe,
    tensor::TensorInfo,
};

/// A file whose list of tensors has been read.
pub(super) struct TensorFile<S> {
    source: Rc<S>,
    /// The first bytes of the file. They contain a small file whole, which is thus read only once.
    first: Vec<u8>,
    index: Index,
    bytes_read: Cell<u64>,
}

impl<S: ByteSource> TensorFile<S> {
    /// Reads the first bytes and the list of tensors. Refuses files whose tensors are no weights of a model.
    pub(super) async fn open(source: Rc<S>) -> Result<Self, CheckpointError> {
        source.ready().await.map_err(CheckpointError::Source)?;
        let size = source.size();
        let mut file = Self {
            source,
            first: Vec::new(),
            index: Index::default(),
            bytes_read: Cell::new(0),
        };
        file.first = file.bytes(0..size.min(FIRST_READ)).await?;
        let read = async |range| file.bytes(range).await;
        file.index = formats::list(size, &file.first, read).await?;
        file.refuse_empty_weights()?;
        if Adapter::has_only_lora(file.tensors().iter().map(|tensor| tensor.name.as_str())) {
            return Err(CheckpointError::Adapter(Adapter::default()));
        }
        Ok(file)
    }

    /// Refuses a file of which more than half of the tensors, with a weight among them, are vectors without numbers.
    /// `DeepSpeed` ZeRO-3 leaves only large weights empty, so a file with fewer of them may hold the tensors that are
    /// needed.
    fn refuse_empty_weights(&self) -> Result<(), CheckpointError> {
        let floats = || {
            self.tensors()
                .iter()
                .filter(|tensor| tensor.dtype.is_float())
        };
        let total = floats().count();
        let empty = || floats().filter(|tensor| tensor.is_empty_vector());
        let is_weight = |tensor: &TensorInfo| tensor.name.ends_with("weight");
        let has_weight = empty().any(is_weight);
        let empty = empty().count();
        if has_weight && empty > total / 2 {
            return Err(CheckpointError::EmptyWeights { empty, total });
        }
        Ok(())
    }

    pub(super) fn kind(&self) -> FileKind {
        describe(&self.first)
    }

    pub(super) fn size(&self) -> u64 {
        self.source.size()
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read.get()
    }

    pub(super) fn tensors(&self) -> &[TensorInfo] {
        &self.index.tensors
    }

    pub(super) fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        let tensors = &self.index.tensors;
        let at = tensors.binary_search_by(|tensor| tensor.name.as_str().cmp(name));
        tensors.get(at.ok()?)
    }

    pub(super) fn metadata(&self) -> &BTreeMap<String, String> {
        &self.index.metadata
    }

    /// Checks that a tensor lies within the file.
    pub(super) fn check(&self, tensor: &TensorInfo) -> Result<(), CheckpointError> {
        let size = self.size() + self.index.unpacked_bytes.len() as u64;
        if tensor.begin <= tensor.end && tensor.end <= size {
            return Ok(());
        }
        Err(CheckpointError::OutsideFile {
            tensor: tensor.name.clone(),
            end: tensor.end.max(tensor.begin),
            size,
        })
    }

    /// Reads a range of a tensor's bytes, or one that spans several tensors.
    pub(super) async fn read(
        &self,
        tensor: &TensorInfo,
        range: Range<u64>,
    ) -> Result<Vec<u8>, CheckpointError> {
        let bytes = range.end - range.start;
        if bytes > LARGEST_READ {
            return Err(CheckpointError::TooLarge {
                tensor: tensor.name.clone(),
                bytes,
                limit: LARGEST_READ,
            });
        }
        self.bytes(range).await
    }

    /// Reads bytes of the file, without reading the first bytes or decompressed data again. Checks the number of bytes
    /// returned: after a short read every number would be wrong.
    pub(super) async fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, CheckpointError> {
        let (first, size) = (self.first.len() as u64, self.size());
        let rest = range.start.clamp(first, size)..range.end.clamp(first, size);
        let mut bytes = Vec::new();
        if !rest.is_empty() {
            let missing = rest.end - rest.start;
            let result = self.source.read(rest.clone()).await;
            bytes = result.map_err(CheckpointError::Source)?;
            let received = bytes.len() as u64;
            if received != missing {
                return Err(CheckpointError::ShortRead {
                    range: rest,
                    received_bytes: received,
                });
            }
            self.bytes_read.set(self.bytes_read.get() + missing);
        }
        if range.start < first {
            // Both ends lie within the first bytes, so they fit in a `usize`.
            let part = range.start as usize..range.end.min(first) as usize;
            bytes.splice(0..0, self.first[part].iter().copied());
        }
        if range.end > size {
            // Both ends lie within the decompressed data, which fits in memory; callers have checked the end.
            let unpacked_range =
                range.start.saturating_sub(size) as usize..(range.end - size) as usize;
            bytes.extend(
                self.index
                    .unpacked_bytes
                    .get(unpacked_range)
                    .unwrap_or_default(),
            );
        }
        Ok(bytes)
    }
}
