//! Named tensors in memory: a computed model, or a snapshot of one that is being trained.

use super::{CheckpointError, Dtype, FileKind, Order, TensorInfo, Weights};
use std::{borrow::Cow, collections::BTreeMap, ops::Range};

/// Bytes per number. Positions are stated as if the tensors followed one another in a file of `f32`.
const NUMBER: u64 = size_of::<f32>() as u64;

/// Named tensors in memory.
#[derive(Clone, Debug, Default)]
pub struct WeightsInMemory {
    name: String,
    /// Sorted by name.
    tensors: Vec<TensorInfo>,
    numbers: Vec<f32>,
    metadata: BTreeMap<String, String>,
}

impl WeightsInMemory {
    /// Creates tensors from their shapes and row-major numbers, by name. `name` is the name shown to the user.
    ///
    /// # Panics
    /// If the length of a tensor's numbers does not match its shape.
    #[must_use]
    pub fn new(name: &str, tensors: BTreeMap<String, (Vec<u64>, Vec<f32>)>) -> Self {
        let mut weights = Self {
            name: name.to_owned(),
            ..Self::default()
        };
        for (name, (shape, numbers)) in tensors {
            let cells: u64 = shape.iter().product();
            assert_eq!(
                cells,
                numbers.len() as u64,
                "one number for every cell of “{name}”"
            );
            let begin = weights.numbers.len() as u64 * NUMBER;
            weights.numbers.extend(numbers);
            weights.tensors.push(TensorInfo {
                name,
                dtype: Dtype::F32,
                shape,
                file: 0,
                begin,
                end: begin + cells * NUMBER,
                order: Order::RowMajor,
            });
        }
        weights
    }

    /// Adds metadata, such as `config`, the text of a `config.json`.
    #[must_use]
    pub fn with_metadata(self, metadata: BTreeMap<String, String>) -> Self {
        Self { metadata, ..self }
    }

    /// Returns the numbers of a tensor. Checks its range, because a `TensorInfo` is plain data.
    fn numbers(&self, tensor: &TensorInfo) -> Result<&[f32], CheckpointError> {
        let range = (tensor.begin / NUMBER) as usize..(tensor.end / NUMBER) as usize;
        let numbers = self.numbers.get(range);
        numbers.ok_or_else(|| CheckpointError::NoSuchTensor {
            tensor: tensor.name.clone(),
        })
    }
}

impl Weights for WeightsInMemory {
    fn name(&self) -> &str {
        &self.name
    }

    fn names(&self) -> Vec<&str> {
        self.tensors.iter().map(|t| t.name.as_str()).collect()
    }

    fn has(&self, name: &str) -> bool {
        self.tensor(name).is_some()
    }

    fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        let at = self.tensors.binary_search_by(|t| t.name.as_str().cmp(name));
        self.tensors.get(at.ok()?)
    }

    fn metadata(&self) -> Cow<'_, BTreeMap<String, String>> {
        Cow::Borrowed(&self.metadata)
    }

    fn missing_files(&self) -> Vec<String> {
        Vec::new()
    }

    fn files(&self) -> Vec<(String, FileKind)> {
        Vec::new()
    }

    fn is_remote(&self) -> bool {
        false
    }

    fn size(&self) -> u64 {
        self.numbers.len() as u64 * NUMBER
    }

    /// Everything is in memory.
    fn bytes_read(&self) -> u64 {
        self.size()
    }

    async fn locate(&self, name: &str) -> Result<TensorInfo, CheckpointError> {
        let info = self.tensor(name).cloned();
        info.ok_or_else(|| CheckpointError::NoSuchTensor {
            tensor: name.to_owned(),
        })
    }

    async fn read(&self, tensor: &TensorInfo) -> Result<Vec<f32>, CheckpointError> {
        Ok(self.numbers(tensor)?.to_vec())
    }

    async fn read_exact(&self, tensor: &TensorInfo) -> Result<Vec<f64>, CheckpointError> {
        Ok(self
            .numbers(tensor)?
            .iter()
            .copied()
            .map(f64::from)
            .collect())
    }

    async fn read_many(&self, tensors: &[&TensorInfo]) -> Result<Vec<Vec<f32>>, CheckpointError> {
        let numbers = tensors
            .iter()
            .map(|tensor| Ok(self.numbers(tensor)?.to_vec()));
        numbers.collect()
    }

    async fn read_rows(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
    ) -> Result<Vec<f32>, CheckpointError> {
        let numbers = self.numbers(tensor)?;
        let height = tensor.shape.first().copied().unwrap_or(0);
        if rows.start > rows.end || rows.end > height {
            return Err(CheckpointError::NoSuchRows {
                tensor: tensor.name.clone(),
                rows,
                available: height,
            });
        }
        let row = numbers.len() / height.max(1) as usize;
        Ok(numbers[rows.start as usize * row..rows.end as usize * row].to_vec())
    }
    async fn read_exact_rows(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
    ) -> Result<Vec<f64>, CheckpointError> {
        let numbers = self.read_rows(tensor, rows).await?;
        Ok(numbers.into_iter().map(f64::from).collect())
    }
}
