//! Scale factors of 8-bit floats: a second tensor by whose numbers those of a weight are multiplied.
//!
//! The factors are known by their names and their shapes, as compressed-tensors, DeepSeek and `ComfyUI` publish them:
//! one for the whole weight, one for each row, one for each block, or one for each group of columns in a row. Blocks are
//! those of the configuration, or else of 128 × 128. `input_scale` and `scale_input` belong to the inputs of a layer and
//! are not used.
//!
//! Sources: compressed-tensors, `quantization/lifecycle/forward.py` (`weight_scale`); DeepSeek-V3, `inference/kernel.py`
//! (`weight_scale_inv`, and `scale` in its own format); `ComfyUI`, `comfy/ops.py` (`scale_weight`); vLLM,
//! `models/llama.py` (Mistral's `qscale_weight`). All of them multiply.

use super::{
    error::{CheckpointError, Name, ShapeText},
    tensor::{Order, TensorInfo},
};
use std::ops::Range;

/// Rows and columns of a block of DeepSeek's.
pub(super) const USUAL_BLOCK: [u32; 2] = [128, 128];

/// Names that the factors of a tensor may have.
pub(crate) fn factor_names(tensor: &str) -> Vec<String> {
    let mut names = vec![format!("{tensor}_scale"), format!("{tensor}_scale_inv")];
    if let Some(stem) = tensor.strip_suffix("weight") {
        names.extend(["scale_weight", "qscale_weight", "scale"].map(|end| format!("{stem}{end}")));
    }
    names
}

/// Whether two names differ in numbers alone, as those of a tensor in two layers do.
pub(super) fn is_same_in_another_layer(a: &str, b: &str) -> bool {
    let mut parts = a.split('.').zip(b.split('.'));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    a.split('.').count() == b.split('.').count()
        && parts.all(|(a, b)| a == b || (is_number(a) && is_number(b)))
}

/// Factors of a tensor, or of some rows of it.
#[derive(Debug)]
pub(super) struct ScaleFactors {
    /// Name of the tensor whose numbers are multiplied.
    tensor: String,
    /// Its numbers per row.
    width: u64,
    /// The row of the whole tensor with which it begins, if it is a part of one.
    first_row: u64,
    /// The tensor of factors, [blocks, blocks].
    factors: TensorInfo,
    /// Factors per row of `factors`.
    columns: u64,
    /// Rows that share a row of factors.
    block_height: u64,
    /// Columns that share a factor.
    block_width: u64,
}

/// Rows of a tensor of factors.
#[derive(Debug)]
pub(super) struct FactorRows {
    /// These rows as a tensor.
    pub(super) tensor: TensorInfo,
    /// Index of the first one.
    first: u64,
}

impl ScaleFactors {
    /// Describes how `factors` apply to `part`, which is some contiguous rows of the tensor `whole`, perhaps in another
    /// shape, or all of it. `block` has the rows and columns of a block.
    ///
    /// # Errors
    /// If the shape of the factors fits no known layout.
    pub(super) fn new(
        whole: &TensorInfo,
        part: &TensorInfo,
        factors: &TensorInfo,
        block: [u32; 2],
    ) -> Result<Self, CheckpointError> {
        let [rows_of_block, columns_of_block] = block.map(|side| u64::from(side).max(1));
        let count = |shape: &[u64]| {
            let count = shape.iter().try_fold(1_u64, |n, side| n.checked_mul(*side));
            count.unwrap_or(u64::MAX)
        };
        // One byte per number.
        let width = count(part.shape.get(1..).unwrap_or_default()).max(1);
        let rows = whole.bytes() / width;
        let [height, columns] = match factors.shape[..] {
            [] => [1, 1],
            [rows, columns] => [rows, columns],
            ref shape => [count(shape), 1],
        };
        let in_blocks = [
            rows.div_ceil(rows_of_block),
            width.div_ceil(columns_of_block),
        ];
        let (block_height, block_width) = if [height, columns] == [1, 1] {
            (rows, width)
        } else if [height, columns] == [rows, 1] {
            (1, width)
        } else if [height, columns] == in_blocks {
            (rows_of_block, columns_of_block)
        } else if height == rows && columns > 0 && width.is_multiple_of(columns) {
            (1, width / columns)
        } else {
            let reason = format!(
                "that one is {}, which is neither one factor nor one for each of {rows} rows, each group of their \
                 {width} columns, or each block of {rows_of_block} × {columns_of_block}",
                ShapeText(&factors.shape)
            );
            return Err(unusable(&part.name, &factors.name, reason));
        };
        Ok(Self {
            tensor: part.name.clone(),
            width,
            first_row: part.begin.saturating_sub(whole.begin) / width,
            factors: TensorInfo {
                shape: vec![height, columns],
                ..factors.clone()
            },
            columns,
            block_height: block_height.max(1),
            block_width: block_width.max(1),
        })
    }

    /// The factors for some rows of the part.
    pub(super) fn of_rows(&self, rows: &Range<u64>) -> FactorRows {
        let factors = &self.factors;
        let height = factors.shape.first().copied().unwrap_or(0);
        let first = (self.first_row.saturating_add(rows.start) / self.block_height).min(height);
        let end = self.first_row.saturating_add(rows.end);
        let end = end.div_ceil(self.block_height).clamp(first, height);
        if factors.order == Order::ColumnMajor || height == 0 {
            return FactorRows {
                tensor: factors.clone(),
                first: 0,
            };
        }
        let row_bytes = factors.bytes() / height;
        FactorRows {
            tensor: TensorInfo {
                shape: vec![end - first, self.columns],
                begin: factors.begin + first * row_bytes,
                end: factors.begin + end * row_bytes,
                ..factors.clone()
            },
            first,
        }
    }

    /// Multiplies the numbers of rows of the part, of which `first` is the first, by `numbers` of `factors`.
    ///
    /// # Errors
    /// If a factor is missing, NaN or infinite.
    pub(super) fn apply(
        &self,
        weights: &mut [f32],
        first: u64,
        factors: &FactorRows,
        numbers: &[f32],
    ) -> Result<(), CheckpointError> {
        if let Some(number) = numbers.iter().find(|number| !number.is_finite()) {
            let reason = format!("that one holds {number}");
            return Err(unusable(&self.tensor, &self.factors.name, reason));
        }
        let first = self.first_row.saturating_add(first);
        // A tensor without rows may claim any width.
        let [width, block_width] =
            [self.width, self.block_width].map(|side| usize::try_from(side).unwrap_or(usize::MAX));
        let columns = self.columns as usize;
        let rows = weights.chunks_mut(width);
        for (row, at) in rows.zip(first..) {
            let begin = (at / self.block_height).saturating_sub(factors.first) as usize * columns;
            let Some(factors) = numbers.get(begin..begin + columns) else {
                let reason = "that one has too few numbers".to_owned();
                return Err(unusable(&self.tensor, &self.factors.name, reason));
            };
            let blocks = row.chunks_mut(block_width);
            for (block, factor) in blocks.zip(factors) {
                block.iter_mut().for_each(|number| *number *= factor);
            }
        }
        Ok(())
    }
}

/// The error for two tensors of factors for one tensor.
pub(super) fn two_sets(tensor: &str, first: &str, second: &str) -> CheckpointError {
    let reason = format!("those of {} would have to be used, too", Name(second));
    unusable(tensor, first, reason)
}

fn unusable(tensor: &str, factors: &str, reason: String) -> CheckpointError {
    CheckpointError::ScaleFactors {
        tensor: tensor.to_owned(),
        factors: factors.to_owned(),
        reason,
    }
}
