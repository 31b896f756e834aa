//! Integers with a factor and a zero point for each output and each group of inputs, as GPTQ and AWQ store them.
//!
//! number = factor · (integer − zero point), rounded to the type of the factors. GPTQ packs consecutive inputs into a word
//! of 32 bits, AWQ eight outputs, in the order 0, 2, 4, 6, 1, 3, 5, 7 from the lowest bits.
//!
//! Sources: `AutoGPTQ`, `nn_modules/qlinear/qlinear_cuda_old.py`, and GPTQModel, `nn_modules/qlinear/__init__.py`
//! (`dequantize_weight`; zero points are stored less one in the format `gptq`, and whole in `gptq_v2`); `AutoAWQ`,
//! `utils/packing_utils.py` (`dequantize_gemm`).

use super::{round_to_half, unusable};
use crate::checkpoint::{
    dtype::Dtype,
    error::{CheckpointError, Name, ShapeText},
    packing::Packing,
    quantisation_settings::QuantisationSettings,
    tensor::TensorInfo,
};
use half::bf16;
use std::ops::Range;

/// Bits of a word.
const WORD: u64 = 32;
/// Place of each of eight outputs in a word of AWQ.
const AWQ_PLACES: [u32; 8] = [0, 4, 1, 5, 2, 6, 3, 7];
/// Outputs that are decoded together: a line of cache holds as many words.
const TILE: usize = 16;
/// Inputs that are decoded together.
const PART: usize = 64;

/// The tensors of a weight, and what their shapes say.
#[derive(Clone, Debug)]
pub(in crate::checkpoint) struct GroupedTensors {
    /// Name of the weight that they stand for.
    name: String,
    pub(in crate::checkpoint) packing: Packing,
    pub(in crate::checkpoint) outputs: u64,
    pub(in crate::checkpoint) inputs: u64,
    groups: u64,
    bits: u32,
    /// Inputs of a group, where no tensor assigns them.
    group_size: u64,
    /// Number added to stored zero points.
    zero_offset: u32,
    /// Integers, zero points, factors, and the group of each input, if it is stored.
    integers: TensorInfo,
    zeros: TensorInfo,
    factors: TensorInfo,
    assignment: Option<TensorInfo>,
}

impl GroupedTensors {
    /// Reads the method and the sizes off the shapes of `qweight`, `qzeros`, `scales` and `g_idx`, in this order.
    ///
    /// # Errors
    /// If the shapes do not fit each other.
    pub(in crate::checkpoint) fn new(
        name: &str,
        [integers, zeros, factors]: [TensorInfo; 3],
        assignment: Option<TensorInfo>,
        settings: &QuantisationSettings,
    ) -> Result<Self, CheckpointError> {
        let refuse = |reason: String| unusable(name, "GPTQ or AWQ", reason);
        for words in [Some(&integers), Some(&zeros), assignment.as_ref()] {
            if let Some(words) = words.filter(|words| words.dtype != Dtype::I32) {
                return Err(refuse(format!(
                    "{} holds {} in place of I32",
                    Name(&words.name),
                    words.dtype
                )));
            }
        }
        if !matches!(factors.dtype, Dtype::F16 | Dtype::Bf16 | Dtype::F32) {
            return Err(refuse(format!(
                "{} holds {} in place of F16, BF16 or F32",
                Name(&factors.name),
                factors.dtype
            )));
        }
        let shapes = || {
            let shapes = [&integers, &zeros, &factors].map(|t| ShapeText(&t.shape).to_string());
            format!(
                "the shapes of {}, of its zero points and of its factors do not fit each other: {}, {} and {}",
                Name(&integers.name),
                shapes[0],
                shapes[1],
                shapes[2]
            )
        };
        let (&[rows, columns], &[groups, zero_words], &[factor_rows, outputs]) =
            (&integers.shape[..], &zeros.shape[..], &factors.shape[..])
        else {
            return Err(refuse(shapes()));
        };
        let bits = zero_words.checked_mul(WORD).filter(|_| outputs > 0);
        let bits = bits.filter(|bits| bits.is_multiple_of(outputs.max(1)));
        let bits = bits.map_or(0, |bits| bits / outputs);
        let is_awq = columns == zero_words && columns != outputs;
        if factor_rows != groups || groups == 0 || rows == 0 || (!is_awq && columns != outputs) {
            return Err(refuse(shapes()));
        }
        let packing = match (is_awq, bits) {
            (true, 4) => Packing::Awq,
            (false, 2) => Packing::Gptq2,
            (false, 4) => Packing::Gptq4,
            (false, 8) => Packing::Gptq8,
            (_, 0) => return Err(refuse(shapes())),
            (_, bits) => {
                return Err(refuse(format!(
                    "its integers have {bits} bits by the shape {} of {}, and those of 2, 4 and 8 bits (AWQ: 4) are read",
                    ShapeText(&zeros.shape),
                    Name(&zeros.name)
                )));
            }
        };
        let inputs = match is_awq {
            true => Some(rows),
            false => rows.checked_mul(WORD / bits),
        };
        let inputs = inputs.filter(|inputs| groups <= *inputs);
        let inputs = inputs.ok_or_else(|| refuse(shapes()))?;
        // Ours to compute where nothing assigns inputs to groups.
        let group_size = match settings.group_size {
            _ if inputs.is_multiple_of(groups) => inputs / groups,
            Some(size) if size > 0 => u64::from(size),
            _ => inputs,
        };
        if assignment.is_none() && inputs.div_ceil(group_size) != groups {
            return Err(refuse(format!(
                "its {inputs} inputs are in {groups} groups by the shape of {}, and no configuration gives a group size \
                 that fits",
                Name(&factors.name)
            )));
        }
        if let Some(assignment) = &assignment
            && assignment.shape != [inputs]
        {
            return Err(refuse(format!(
                "{} is {} where {inputs} inputs need a group each",
                Name(&assignment.name),
                ShapeText(&assignment.shape)
            )));
        }
        Ok(Self {
            name: name.to_owned(),
            packing,
            outputs,
            inputs,
            groups,
            bits: bits as u32,
            group_size,
            zero_offset: u32::from(!is_awq && !settings.has_whole_zeros),
            integers,
            zeros,
            factors,
            // AWQ has no order of its own.
            assignment: assignment.filter(|_| !is_awq),
        })
    }

    /// Index of the file that has the integers.
    pub(in crate::checkpoint) fn file(&self) -> u32 {
        self.integers.file
    }

    /// The tensors whose bytes [`Self::unpack`] needs, in this order.
    pub(in crate::checkpoint) fn tensors(&self) -> Vec<&TensorInfo> {
        let tensors = [&self.integers, &self.zeros, &self.factors];
        tensors.into_iter().chain(&self.assignment).collect()
    }

    /// Unpacks zero points, factors and groups from the bytes of [`Self::tensors`].
    ///
    /// # Errors
    /// If an input belongs to a group that there is not, or bytes are missing.
    pub(in crate::checkpoint) fn unpack(
        &self,
        bytes: Vec<Vec<u8>>,
    ) -> Result<GroupedIntegers, CheckpointError> {
        let refuse = |reason: String| unusable(&self.name, self.packing.name(), reason);
        let mut bytes = bytes.into_iter();
        let mut next = || bytes.next().unwrap_or_default();
        let (integers, zeros, factors) = (words(&next()), words(&next()), next());
        let factors = self.factors.dtype.decode(&factors);
        let [outputs, groups, inputs] =
            [self.outputs, self.groups, self.inputs].map(|length| length as usize);
        let is_awq = self.packing == Packing::Awq;
        let per_word = (WORD / u64::from(self.bits)) as usize;
        let mask = (1_u32 << self.bits) - 1;
        let assignment = match &self.assignment {
            None => (0..inputs as u64)
                .map(|input| (input / self.group_size) as u32)
                .collect(),
            Some(_) => words(&next()),
        };
        if let Some(at) = assignment
            .iter()
            .position(|group| *group as usize >= groups)
        {
            let group = assignment[at].cast_signed();
            let name = self.assignment.as_ref().unwrap_or(&self.factors);
            return Err(refuse(format!(
                "{} puts input {at} into group {group}, and there are {groups} groups",
                Name(&name.name)
            )));
        }
        let expected = inputs / if is_awq { 1 } else { per_word };
        let zero_words = outputs / per_word;
        let is_whole = integers.len() == expected * if is_awq { zero_words } else { outputs }
            && zeros.len() == groups * zero_words
            && factors.len() == groups * outputs
            && assignment.len() == inputs;
        if !is_whole {
            return Err(refuse("its tensors have too few numbers".to_owned()));
        }
        if let Some(factor) = factors.iter().find(|factor| !factor.is_finite()) {
            return Err(refuse(format!(
                "{} holds {factor}",
                Name(&self.factors.name)
            )));
        }
        let zero = |at: usize| {
            let (group, output) = (at / outputs, at % outputs);
            let word = zeros[group * zero_words + output / per_word];
            let place = place(is_awq, self.bits, output);
            ((word >> place) + self.zero_offset) & mask
        };
        let zeros = (0..groups * outputs).map(zero).collect();
        Ok(GroupedIntegers {
            is_awq,
            bits: self.bits,
            outputs,
            inputs,
            groups,
            integers,
            zeros,
            factors,
            rounding: self.factors.dtype.clone(),
            assignment,
        })
    }
}

/// Lowest bit of an output's integer in its word.
fn place(is_awq: bool, bits: u32, output: usize) -> u32 {
    let per_word = (32 / bits) as usize;
    match is_awq {
        true => bits * AWQ_PLACES[output % 8],
        false => bits * (output % per_word) as u32,
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.as_chunks::<4>().0;
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// The unpacked parts of a weight, all of the lengths that its shape needs.
#[derive(Debug)]
pub(in crate::checkpoint) struct GroupedIntegers {
    is_awq: bool,
    bits: u32,
    outputs: usize,
    inputs: usize,
    groups: usize,
    /// Packed: [inputs / per word, outputs], or for AWQ [inputs, outputs / 8].
    integers: Vec<u32>,
    /// [groups, outputs].
    zeros: Vec<u32>,
    /// [groups, outputs].
    factors: Vec<f32>,
    /// The type of the factors, to which numbers are rounded.
    rounding: Dtype,
    /// The group of each input.
    assignment: Vec<u32>,
}

impl GroupedIntegers {
    /// The numbers of some outputs, [outputs, inputs].
    pub(in crate::checkpoint) fn decode(&self, outputs: &Range<u64>) -> Vec<f32> {
        let (all, bits) = (self.outputs, self.bits);
        let per_word = (32 / bits) as usize;
        if self.is_awq {
            let word = |input: usize, output: usize| self.integers[input * (all / 8) + output / 8];
            self.decode_with(outputs, |input, output| {
                word(input, output) >> (4 * AWQ_PLACES[output % 8])
            })
        } else {
            self.decode_with(outputs, |input, output| {
                let shift = bits * (input % per_word) as u32;
                self.integers[input / per_word * all + output] >> shift
            })
        }
    }

    /// [`Self::decode`] with the integer of an input and an output in the lowest bits of `code`.
    fn decode_with(&self, outputs: &Range<u64>, code: impl Fn(usize, usize) -> u32) -> Vec<f32> {
        let [first, end] = [outputs.start, outputs.end].map(|row| (row as usize).min(self.outputs));
        let inputs = self.inputs.max(1);
        let mut numbers = vec![0.0; end.saturating_sub(first) * inputs];
        let mask = (1_u32 << self.bits) - 1;
        // With four bits, an output has few different numbers: they are computed once for each group.
        let is_tabulated = self.bits <= 4;
        let codes = 1_usize << self.bits;
        let mut table = Vec::new();
        for (begin, tile) in (first..end)
            .step_by(TILE)
            .zip(numbers.chunks_mut(TILE * inputs))
        {
            if is_tabulated {
                table.clear();
                for output in begin..begin + tile.len() / inputs {
                    for group in 0..self.groups {
                        table
                            .extend((0..codes as u32).map(|code| self.number(group, output, code)));
                    }
                }
            }
            // Few inputs at a time, so that their words stay in the cache for all outputs of the tile.
            for (part, groups) in self.assignment.chunks(PART).enumerate() {
                for (row, numbers) in tile.chunks_mut(inputs).enumerate() {
                    let table = table.get(row * self.groups * codes..).unwrap_or_default();
                    let cells = numbers[part * PART..].iter_mut().zip(groups);
                    for ((number, group), input) in cells.zip(part * PART..) {
                        let code = code(input, begin + row) & mask;
                        *number = match is_tabulated {
                            true => table[*group as usize * codes + code as usize],
                            false => self.number(*group as usize, begin + row, code),
                        };
                    }
                }
            }
        }
        numbers
    }

    /// The number of an integer.
    fn number(&self, group: usize, output: usize, code: u32) -> f32 {
        let at = group * self.outputs + output;
        let steps = code.cast_signed() - self.zeros[at].cast_signed();
        #[expect(
            clippy::cast_precision_loss,
            reason = "a difference of integers of at most 8 bits is exact"
        )]
        let number = self.factors[at] * steps as f32;
        match self.rounding {
            Dtype::F16 => round_to_half(number),
            Dtype::Bf16 => bf16::from_f32(number).to_f32(),
            _ => number,
        }
    }
}
