//! Named tensors whose numbers are at hand: a computed model, or a snapshot of one that is being trained.

use super::{CheckpointError, Dtype, Order, TensorInfo, Weights};
use std::{collections::BTreeMap, ops::Range};

/// Bytes of a number: tensors are described as if they followed one another in a file of such numbers.
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
    /// Tensors by name: shape and numbers, row by row. `name` is what people call them.
    ///
    /// # Panics
    /// When a shape has another number of cells than there are numbers.
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

    /// The same with notes beside them, such as `config`, the text of a `config.json`.
    #[must_use]
    pub fn with_metadata(self, metadata: BTreeMap<String, String>) -> Self {
        Self { metadata, ..self }
    }

    /// A `TensorInfo` is plain data that may have come from elsewhere: it is not believed unchecked.
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

    fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    fn missing(&self) -> Vec<String> {
        Vec::new()
    }

    fn is_remote(&self) -> bool {
        false
    }

    fn size(&self) -> u64 {
        self.numbers.len() as u64 * NUMBER
    }

    /// All of it is at hand.
    fn bytes_read(&self) -> u64 {
        self.size()
    }

    async fn locate(&self, name: &str) -> Result<TensorInfo, CheckpointError> {
        let found = self.tensor(name).cloned();
        found.ok_or_else(|| CheckpointError::NoSuchTensor {
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
