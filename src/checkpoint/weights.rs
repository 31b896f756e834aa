//! The interface through which models read named tensors, from files or memory.

use super::{ByteSource, Checkpoint, CheckpointError, FileKind, TensorInfo};
use std::{borrow::Cow, collections::BTreeMap, ops::Range};

/// Named tensors. Implemented for files ([`Checkpoint`]) and for memory ([`super::WeightsInMemory`]), so that a model
/// can be read from either.
pub trait Weights {
    /// Name shown to the user.
    fn name(&self) -> &str;

    /// Names of all tensors, sorted.
    fn names(&self) -> Vec<&str>;

    /// Whether there is a tensor of this name.
    fn has(&self, name: &str) -> bool;

    /// The tensor of this name, if its entry is known without reading anything.
    fn tensor(&self, name: &str) -> Option<&TensorInfo>;

    /// Metadata that the writer stored in the files that have been opened.
    fn metadata(&self) -> Cow<'_, BTreeMap<String, String>>;

    /// Names of files that have not been provided yet.
    fn missing_files(&self) -> Vec<String>;

    /// Names and kinds of the files that hold the tensors. A file that was not opened yet has the kind of the others.
    fn files(&self) -> Vec<(String, FileKind)>;

    /// Whether reading sends requests to a server.
    fn is_remote(&self) -> bool;

    /// Total size in bytes of the weights that are available.
    fn size(&self) -> u64;

    /// Bytes read so far.
    fn bytes_read(&self) -> u64;

    /// The tensor of this name, opening its file if needed.
    ///
    /// # Errors
    /// If there is no such tensor, or its file is missing or cannot be opened.
    async fn locate(&self, name: &str) -> Result<TensorInfo, CheckpointError>;

    /// Reads a whole tensor.
    ///
    /// # Errors
    /// If it holds no floats, is too large, or its bytes cannot be read.
    async fn read(&self, tensor: &TensorInfo) -> Result<Vec<f32>, CheckpointError>;

    /// Reads a whole tensor and keeps double precision where the file has it. Meant for small tensors.
    ///
    /// # Errors
    /// As [`Self::read`].
    async fn read_exact(&self, tensor: &TensorInfo) -> Result<Vec<f64>, CheckpointError>;

    /// Reads several tensors, with as few reads as possible.
    ///
    /// # Errors
    /// As [`Self::read`].
    async fn read_many(&self, tensors: &[&TensorInfo]) -> Result<Vec<Vec<f32>>, CheckpointError>;

    /// Reads rows of a tensor, counted along its first dimension.
    ///
    /// # Errors
    /// As [`Self::read`], and if the tensor has no such rows.
    async fn read_rows(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
    ) -> Result<Vec<f32>, CheckpointError>;

    /// Like [`Self::read_rows`], but keeps double precision where the file has it.
    ///
    /// # Errors
    /// As [`Self::read_rows`].
    async fn read_exact_rows(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
    ) -> Result<Vec<f64>, CheckpointError>;
}

impl<S: ByteSource> Weights for Checkpoint<S> {
    fn name(&self) -> &str {
        self.name()
    }

    fn names(&self) -> Vec<&str> {
        self.names().collect()
    }

    fn has(&self, name: &str) -> bool {
        self.has(name)
    }

    fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        self.tensor(name)
    }

    fn metadata(&self) -> Cow<'_, BTreeMap<String, String>> {
        self.metadata()
    }

    fn missing_files(&self) -> Vec<String> {
        self.missing_files()
    }

    fn files(&self) -> Vec<(String, FileKind)> {
        self.file_kinds()
    }

    fn is_remote(&self) -> bool {
        self.is_remote()
    }

    fn size(&self) -> u64 {
        self.size()
    }

    fn bytes_read(&self) -> u64 {
        self.bytes_read()
    }

    async fn locate(&self, name: &str) -> Result<TensorInfo, CheckpointError> {
        self.locate(name).await
    }

    async fn read(&self, tensor: &TensorInfo) -> Result<Vec<f32>, CheckpointError> {
        self.read(tensor).await
    }

    async fn read_exact(&self, tensor: &TensorInfo) -> Result<Vec<f64>, CheckpointError> {
        self.read_exact(tensor).await
    }

    async fn read_many(&self, tensors: &[&TensorInfo]) -> Result<Vec<Vec<f32>>, CheckpointError> {
        self.read_many(tensors).await
    }

    async fn read_rows(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
    ) -> Result<Vec<f32>, CheckpointError> {
        self.read_rows(tensor, rows).await
    }

    async fn read_exact_rows(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
    ) -> Result<Vec<f64>, CheckpointError> {
        self.read_exact_rows(tensor, rows).await
    }
}
