//! Codes of four bits with a factor for each block of numbers, as bitsandbytes stores them.
//!
//! number = level of the code · largest size in its block, rounded to the type that the weight had. The levels are in
//! `quant_map`, the sizes in `absmax`. Sizes may be quantised in turn, with 8 bits (`nested_…`). A block of JSON in
//! `quant_state.bitsandbytes__nf4` has the shape of the weight. bitsandbytes, `functional.py` (`QuantState`,
//! `dequantize_4bit`).

use super::{round_to_half, unusable};
use crate::checkpoint::{
    dtype::Dtype,
    error::{CheckpointError, Name, ShapeText},
    packing::Packing,
    tensor::TensorInfo,
};
use half::bf16;
use serde::Deserialize;
use std::ops::Range;

/// Method, as errors name it.
const METHOD: &str = "bitsandbytes";
/// Maximum size of the JSON in bytes.
pub(in crate::checkpoint) const LONGEST_STATE: u64 = 4096;
/// Blocks that the library allows.
const BLOCK_SIZES: Range<u64> = 16..65_536;
/// Maximum number of dimensions.
const MOST_DIMENSIONS: usize = 8;

/// The block of JSON beside a weight.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(in crate::checkpoint) struct QuantState {
    quant_type: String,
    blocksize: u64,
    dtype: String,
    pub(in crate::checkpoint) shape: Vec<u64>,
    nested_blocksize: Option<u64>,
    nested_offset: Option<f64>,
}

impl QuantState {
    /// Parses the JSON of the weight `name`, which is untrusted.
    ///
    /// # Errors
    /// If a value is missing or cannot be used.
    pub(in crate::checkpoint) fn parse(name: &str, bytes: &[u8]) -> Result<Self, CheckpointError> {
        let refuse = |reason: String| unusable(name, METHOD, reason);
        let state: Self = serde_json::from_slice(bytes).map_err(|error| {
            refuse(format!(
                "its quant_state is not as the library writes it ({error})"
            ))
        })?;
        if !["nf4", "fp4"].contains(&state.quant_type.as_str()) {
            let reason = format!(
                "its quant_type is {}, and nf4 and fp4 are read",
                Name(&state.quant_type)
            );
            return Err(refuse(reason));
        }
        for (key, size) in [
            ("blocksize", Some(state.blocksize)),
            ("nested_blocksize", state.nested_blocksize),
        ] {
            if let Some(size) = size.filter(|size| !BLOCK_SIZES.contains(size)) {
                return Err(refuse(format!("its {key} is {size}")));
            }
        }
        if !["float16", "bfloat16", "float32"].contains(&state.dtype.as_str()) {
            let reason = format!(
                "its dtype is {}, and float16, bfloat16 and float32 are read",
                Name(&state.dtype)
            );
            return Err(refuse(reason));
        }
        if let Some(offset) = state.nested_offset.filter(|offset| !offset.is_finite()) {
            return Err(refuse(format!("its nested_offset is {offset}")));
        }
        if state.shape.is_empty() || state.shape.len() > MOST_DIMENSIONS {
            let reason = format!("its shape has {} dimensions", state.shape.len());
            return Err(refuse(reason));
        }
        match state.count() {
            Some(1..) => Ok(state),
            _ => {
                let shape = ShapeText(&state.shape).to_string();
                Err(refuse(format!("its shape is {shape}")))
            }
        }
    }

    pub(in crate::checkpoint) fn packing(&self) -> Packing {
        match self.quant_type.as_str() {
            "fp4" => Packing::Fp4,
            _ => Packing::Nf4,
        }
    }

    /// Number of numbers.
    pub(in crate::checkpoint) fn count(&self) -> Option<u64> {
        let mut lengths = self.shape.iter();
        lengths.try_fold(1_u64, |count, length| count.checked_mul(*length))
    }
}

/// The tensors of a range of a weight's numbers, cut to what the range needs.
#[derive(Clone, Debug)]
pub(in crate::checkpoint) struct FourBits {
    name: String,
    state: QuantState,
    numbers: Range<u64>,
    codes: TensorInfo,
    sizes: TensorInfo,
    levels: TensorInfo,
    /// The sizes of sizes, and their levels.
    nested_sizes: Option<(TensorInfo, TensorInfo)>,
}

impl FourBits {
    /// Describes `numbers` of the weight `name`. `nested_sizes` has the tensors of quantised sizes.
    ///
    /// # Errors
    /// If a tensor does not have the size that the shape needs.
    pub(in crate::checkpoint) fn new(
        name: &str,
        state: &QuantState,
        [codes, sizes, levels]: [TensorInfo; 3],
        nested_sizes: Option<(TensorInfo, TensorInfo)>,
        numbers: Range<u64>,
    ) -> Result<Self, CheckpointError> {
        let refuse = |reason: String| unusable(name, METHOD, reason);
        let count = state.count().unwrap_or(u64::MAX);
        let blocks = count.div_ceil(state.blocksize.max(1));
        let outer = state.nested_blocksize.unwrap_or(1).max(1);
        let size_type = match nested_sizes {
            Some(_) => Dtype::U8,
            None => Dtype::F32,
        };
        let mut expected = vec![(&sizes, size_type, blocks), (&levels, Dtype::F32, 16)];
        if let Some((sizes, levels)) = &nested_sizes {
            expected.push((sizes, Dtype::F32, blocks.div_ceil(outer)));
            expected.push((levels, Dtype::F32, 256));
            if state.nested_blocksize.is_none() || state.nested_offset.is_none() {
                let reason = "its quant_state has no nested_blocksize and nested_offset";
                return Err(refuse(reason.to_owned()));
            }
        }
        for (tensor, dtype, count) in expected {
            let bytes = dtype.bits().unwrap_or(8) / 8;
            if tensor.dtype != dtype || count.checked_mul(bytes) != Some(tensor.bytes()) {
                return Err(refuse(format!(
                    "{} is {} of {}, and its shape needs {count} of {dtype}",
                    Name(&tensor.name),
                    ShapeText(&tensor.shape),
                    tensor.dtype,
                )));
            }
        }
        // The library may store the bytes under another type, and fills the last value of that.
        if codes.bytes() < count.div_ceil(2) || codes.bytes() - count.div_ceil(2) >= 8 {
            return Err(refuse(format!(
                "it takes {} bytes, and its shape needs {}",
                codes.bytes(),
                count.div_ceil(2)
            )));
        }
        let numbers = numbers.start.min(count)..numbers.end.min(count);
        let blocks = numbers.start / state.blocksize..numbers.end.div_ceil(state.blocksize);
        let outer_blocks = blocks.start / outer..blocks.end.div_ceil(outer);
        let bytes = numbers.start / 2..numbers.end.div_ceil(2);
        let element = if nested_sizes.is_some() { 1 } else { 4 };
        Ok(Self {
            name: name.to_owned(),
            state: state.clone(),
            codes: part(codes, bytes, 1),
            sizes: part(sizes, blocks, element),
            levels,
            nested_sizes: nested_sizes
                .map(|(sizes, levels)| (part(sizes, outer_blocks, 4), levels)),
            numbers,
        })
    }

    /// The tensors whose bytes [`Self::decode`] needs, in this order.
    pub(in crate::checkpoint) fn tensors(&self) -> Vec<&TensorInfo> {
        let tensors = [&self.codes, &self.sizes, &self.levels];
        let nested_sizes = self
            .nested_sizes
            .iter()
            .flat_map(|(sizes, levels)| [sizes, levels]);
        tensors.into_iter().chain(nested_sizes).collect()
    }

    /// Decodes the numbers from the bytes of [`Self::tensors`].
    ///
    /// # Errors
    /// If a level or a size is no finite number, or bytes are missing.
    pub(in crate::checkpoint) fn decode(
        &self,
        bytes: &[Vec<u8>],
    ) -> Result<Vec<f32>, CheckpointError> {
        let refuse = |reason: String| unusable(&self.name, METHOD, reason);
        let bytes_at = |at: usize| bytes.get(at).map_or(&[][..], Vec::as_slice);
        let floats = |at: usize, tensor: &TensorInfo| {
            let numbers = Dtype::F32.decode(bytes_at(at));
            match numbers.iter().find(|number| !number.is_finite()) {
                Some(number) => Err(refuse(format!("{} holds {number}", Name(&tensor.name)))),
                None => Ok(numbers),
            }
        };
        let too_few = || refuse("its tensors have too few numbers".to_owned());
        let levels: [f32; 16] = floats(2, &self.levels)?.try_into().or(Err(too_few()))?;
        let block = self.state.blocksize;
        let sizes = match &self.nested_sizes {
            None => floats(1, &self.sizes)?,
            Some((sizes, levels)) => {
                let outer = self.state.nested_blocksize.unwrap_or(1).max(1);
                let (outer_sizes, levels) = (floats(3, sizes)?, floats(4, levels)?);
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "the library wrote a number of single precision"
                )]
                let offset = self.state.nested_offset.unwrap_or(0.0) as f32;
                let first = self.numbers.start / block;
                let size = |(at, code): (u64, &u8)| {
                    let level = levels.get(usize::from(*code))?;
                    let outer_size = outer_sizes.get((at / outer - first / outer) as usize)?;
                    Some(level * outer_size + offset)
                };
                let sizes = (first..).zip(bytes_at(1)).map(size);
                sizes.collect::<Option<Vec<f32>>>().ok_or_else(too_few)?
            }
        };
        let codes = bytes_at(0);
        let count = self.numbers.end.saturating_sub(self.numbers.start) as usize;
        let skip = (self.numbers.start % 2) as usize;
        let mut numbers = Vec::with_capacity(count);
        // The first number of a pair is in the high half.
        let pairs = codes.iter().flat_map(|pair| [pair >> 4, pair & 15]);
        numbers.extend(
            pairs
                .skip(skip)
                .take(count)
                .map(|code| levels[usize::from(code & 15)]),
        );
        let before = (self.numbers.start % block) as usize;
        let head = (block as usize - before).min(numbers.len());
        let (first, rest) = numbers.split_at_mut(head);
        let blocks = std::iter::once(first).chain(rest.chunks_mut(block as usize));
        let mut used = 0;
        for (numbers, size) in blocks.zip(&sizes) {
            used += numbers.len();
            match self.state.dtype.as_str() {
                "float16" => scale(numbers, |x| round_to_half(x * size)),
                "bfloat16" => scale(numbers, |x| bf16::from_f32(x * size).to_f32()),
                _ => scale(numbers, |x| x * size),
            }
        }
        match used == count {
            true => Ok(numbers),
            false => Err(too_few()),
        }
    }
}

fn scale(numbers: &mut [f32], scaled: impl Fn(f32) -> f32) {
    for number in numbers {
        *number = scaled(*number);
    }
}

/// Some elements of a tensor, `element` bytes each, as a tensor of bytes.
fn part(tensor: TensorInfo, elements: Range<u64>, element: u64) -> TensorInfo {
    let at = |index: u64| {
        let position = index.saturating_mul(element).saturating_add(tensor.begin);
        position.min(tensor.end)
    };
    let (begin, end) = (at(elements.start), at(elements.end));
    TensorInfo {
        begin,
        end,
        ..tensor
    }
}
