//! Named tensors to read from, wherever they lie: what a model is read from.

use super::{ByteSource, Checkpoint, CheckpointError, TensorInfo};
use std::{collections::BTreeMap, ops::Range};

/// Named tensors. Files implement it ([`Checkpoint`]), and so does memory ([`super::WeightsInMemory`]): a model
/// is read from either alike.
#[expect(
    async_fn_in_trait,
    reason = "everything that is open lives on one thread"
)]
pub trait Weights {
    /// What people call them.
    fn name(&self) -> &str;

    /// Names of all tensors, sorted.
    fn names(&self) -> Vec<&str>;

    /// Whether there is a tensor of that name.
    fn has(&self, name: &str) -> bool;

    /// The tensor of that name, where it is known without reading anything.
    fn tensor(&self, name: &str) -> Option<&TensorInfo>;

    /// What the writer noted beside them.
    fn metadata(&self) -> &BTreeMap<String, String>;

    /// Files of them that nobody has handed over yet.
    fn missing(&self) -> Vec<String>;

    /// Whether reading costs a request to somewhere else.
    fn is_remote(&self) -> bool;

    /// Size in bytes of all that is at hand.
    fn size(&self) -> u64;

    /// Bytes read so far.
    fn bytes_read(&self) -> u64;

    /// The tensor of that name.
    ///
    /// # Errors
    /// When there is no such tensor, or its file is missing or cannot be opened.
    async fn locate(&self, name: &str) -> Result<TensorInfo, CheckpointError>;

    /// Reads a whole tensor.
    ///
    /// # Errors
    /// When it holds no floats, is too large, or cannot be had.
    async fn read(&self, tensor: &TensorInfo) -> Result<Vec<f32>, CheckpointError>;

    /// Reads a whole tensor of few numbers, those in double precision as they are.
    ///
    /// # Errors
    /// As [`Self::read`].
    async fn read_exact(&self, tensor: &TensorInfo) -> Result<Vec<f64>, CheckpointError>;

    /// Reads several tensors, with as few reads as can be.
    ///
    /// # Errors
    /// As [`Self::read`].
    async fn read_many(&self, tensors: &[&TensorInfo]) -> Result<Vec<Vec<f32>>, CheckpointError>;

    /// Reads rows of a tensor, counted along its leading dimension.
    ///
    /// # Errors
    /// As [`Self::read`], and when the tensor has no such rows.
    async fn read_rows(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
    ) -> Result<Vec<f32>, CheckpointError>;

    /// The same, those in double precision as they are.
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

    fn metadata(&self) -> &BTreeMap<String, String> {
        self.metadata()
    }

    fn missing(&self) -> Vec<String> {
        self.missing()
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
