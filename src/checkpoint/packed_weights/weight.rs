//! Packed weights of a checkpoint: their entries, and their numbers.

use super::{
    FourBits, GroupedIntegers, GroupedTensors, QuantState, bitsandbytes::LONGEST_STATE, unusable,
};
use crate::{
    checkpoint::{
        ByteSource, Checkpoint,
        dtype::Dtype,
        error::{CheckpointError, Name},
        limits::LARGEST_READ,
        tensor::{Order, TensorInfo},
    },
    lazy::lazy,
};
use std::{ops::Range, rc::Rc};

/// End of the name of GPTQ's and AWQ's integers, in place of `weight`.
const INTEGERS: &str = "qweight";
/// Methods that use these names, in errors.
const GROUPED_METHODS: &str = "GPTQ or AWQ";

/// Names of the weights that stand for tensors of GPTQ and AWQ among `names`, sorted. A file that has the weight itself as
/// well is read as it is.
pub(in crate::checkpoint) fn names_of_packed_weights<'a>(
    names: impl Iterator<Item = &'a str>,
    has: impl Fn(&str) -> bool,
) -> Vec<String> {
    let weights = names.filter_map(|name| {
        let stem = name.strip_suffix(INTEGERS)?;
        (stem.is_empty() || stem.ends_with('.')).then(|| format!("{stem}weight"))
    });
    let mut weights: Vec<String> = weights.filter(|weight| !has(weight)).collect();
    weights.sort();
    weights
}

/// Name of the integers of a weight of GPTQ or AWQ.
pub(in crate::checkpoint) fn integers_of(weight: &str) -> String {
    let stem = weight.strip_suffix("weight").unwrap_or(weight);
    format!("{stem}{INTEGERS}")
}

/// A packed weight, by the entries of its tensors.
#[derive(Clone, Debug)]
pub(in crate::checkpoint) enum PackedWeight {
    Grouped(Box<GroupedTensors>),
    /// The state, and the tensor of codes.
    FourBits(Rc<QuantState>, TensorInfo),
}

impl PackedWeight {
    /// The weight as one tensor, whose positions count its numbers.
    pub(in crate::checkpoint) fn info(&self, name: &str) -> TensorInfo {
        let (packing, shape, file, order) = match self {
            // Inputs follow one another in the file, so a row cannot be read without the others.
            Self::Grouped(tensors) => {
                let shape = vec![tensors.outputs, tensors.inputs];
                (tensors.packing, shape, tensors.file(), Order::ColumnMajor)
            }
            Self::FourBits(state, codes) => {
                let shape = state.shape.clone();
                (state.packing(), shape, codes.file, Order::RowMajor)
            }
        };
        TensorInfo {
            name: name.to_owned(),
            dtype: Dtype::Packed(packing),
            end: shape
                .iter()
                .fold(1, |count: u64, side| count.saturating_mul(*side)),
            shape,
            file,
            begin: 0,
            order,
        }
    }
}

impl<S: ByteSource> Checkpoint<S> {
    /// The packed weight of this name; `None` if there is none, so that a tensor of the name is stored as it is.
    ///
    /// # Errors
    /// If one of its tensors is missing or does not fit the others, or a file cannot be opened or read.
    pub(in crate::checkpoint) async fn packed_weight(
        &self,
        name: &str,
    ) -> Result<Option<PackedWeight>, CheckpointError> {
        let is_grouped = (self.packed_weights)
            .binary_search_by(|weight| weight.as_str().cmp(name))
            .is_ok();
        if is_grouped {
            let tensors = self.grouped_tensors(name).await?;
            return Ok(Some(PackedWeight::Grouped(Box::new(tensors))));
        }
        let states = ["nf4", "fp4"].map(|kind| format!("{name}.quant_state.bitsandbytes__{kind}"));
        match states.iter().find(|state| self.has(state)) {
            Some(state) => {
                let state = self.quant_state(name, state).await?;
                Ok(Some(PackedWeight::FourBits(
                    state,
                    self.stored_tensor(name).await?,
                )))
            }
            // Bytes beside sizes are codes without their shape.
            None if self.has(&format!("{name}.absmax")) => {
                Err(missing_tensor(name, "bitsandbytes", &states[0]))
            }
            None => Ok(None),
        }
    }

    async fn grouped_tensors(&self, name: &str) -> Result<GroupedTensors, CheckpointError> {
        let stem = name.strip_suffix("weight").unwrap_or(name);
        let mut tensors = Vec::new();
        for end in [INTEGERS, "qzeros", "scales"] {
            let companion = format!("{stem}{end}");
            if !self.has(&companion) {
                return Err(missing_tensor(name, GROUPED_METHODS, &companion));
            }
            tensors.push(self.stored_tensor(&companion).await?);
        }
        let assignment = format!("{stem}g_idx");
        let assignment = match self.has(&assignment) {
            true => Some(self.stored_tensor(&assignment).await?),
            false => None,
        };
        let tensors = tensors.try_into();
        let tensors = tensors
            .map_err(|_few: Vec<TensorInfo>| missing_tensor(name, GROUPED_METHODS, INTEGERS))?;
        GroupedTensors::new(name, tensors, assignment, &self.quantisation)
    }

    /// The state of a weight of bitsandbytes, which is read once.
    async fn quant_state(
        &self,
        name: &str,
        state: &str,
    ) -> Result<Rc<QuantState>, CheckpointError> {
        if let Some(state) = self.quant_states.borrow().get(state) {
            return Ok(Rc::clone(state));
        }
        let tensor = self.stored_tensor(state).await?;
        if tensor.bytes() > LONGEST_STATE {
            let reason = format!("{} takes {} bytes", Name(state), tensor.bytes());
            return Err(unusable(name, "bitsandbytes", reason));
        }
        let bytes = self.stored_bytes(&[&tensor]).await?;
        let bytes = bytes.first().map_or(&[][..], Vec::as_slice);
        let parsed = Rc::new(QuantState::parse(name, bytes)?);
        let mut states = self.quant_states.borrow_mut();
        states.insert(state.to_owned(), Rc::clone(&parsed));
        Ok(parsed)
    }

    /// Reads a range of the numbers of a packed weight, counted from the first of the whole weight.
    ///
    /// # Errors
    /// As [`Self::packed_weight`], and if a value of its tensors cannot be used.
    pub(in crate::checkpoint) async fn read_packed(
        &self,
        part: &TensorInfo,
        numbers: Range<u64>,
    ) -> Result<Vec<f32>, CheckpointError> {
        let name = &part.name;
        let none = || CheckpointError::NoSuchTensor {
            tensor: name.clone(),
        };
        let weight = self.packed_weight(name).await?.ok_or_else(none)?;
        let whole = weight.info(name);
        // A `TensorInfo` is plain data, so the caller may have changed it.
        if numbers.start > numbers.end || numbers.end > whole.end {
            return Err(CheckpointError::OutsideFile {
                tensor: name.clone(),
                end: numbers.end.max(numbers.start),
                size: whole.end,
            });
        }
        let bytes = (numbers.end - numbers.start).saturating_mul(size_of::<f32>() as u64);
        refuse_many(name, bytes)?;
        let numbers = match weight {
            PackedWeight::Grouped(tensors) => {
                let rows = numbers.start / tensors.inputs..numbers.end.div_ceil(tensors.inputs);
                if rows.start * tensors.inputs != numbers.start
                    || rows.end * tensors.inputs != numbers.end
                {
                    return Err(CheckpointError::Scattered {
                        tensor: name.clone(),
                    });
                }
                let bytes = self.stored_bytes(&tensors.tensors()).await?;
                decode_grouped(&tensors, bytes, &rows).await
            }
            PackedWeight::FourBits(state, codes) => {
                let tensors = self.four_bits(name, &state, codes, numbers).await?;
                let bytes = self.stored_bytes(&tensors.tensors()).await?;
                decode_four_bits(&tensors, &bytes).await
            }
        };
        numbers.map_err(CheckpointError::NotFetched)?
    }

    async fn four_bits(
        &self,
        name: &str,
        state: &QuantState,
        codes: TensorInfo,
        numbers: Range<u64>,
    ) -> Result<FourBits, CheckpointError> {
        let companion = async |end: &str| {
            let companion = format!("{name}.{end}");
            match self.has(&companion) {
                true => self.stored_tensor(&companion).await,
                false => Err(missing_tensor(name, "bitsandbytes", &companion)),
            }
        };
        let (sizes, levels) = (companion("absmax").await?, companion("quant_map").await?);
        let nested_sizes = match sizes.dtype {
            Dtype::U8 => Some((
                companion("nested_absmax").await?,
                companion("nested_quant_map").await?,
            )),
            _ => None,
        };
        FourBits::new(name, state, [codes, sizes, levels], nested_sizes, numbers)
    }
}

lazy! { in formats;
    /// Decodes some rows of a weight of GPTQ or AWQ.
    async fn decode_grouped(
        tensors: &GroupedTensors,
        bytes: Vec<Vec<u8>>,
        rows: &Range<u64>,
    ) -> Result<Vec<f32>, CheckpointError> {
        let integers: GroupedIntegers = tensors.unpack(bytes)?;
        Ok(integers.decode(rows))
    }

    /// Decodes numbers of a weight of bitsandbytes.
    async fn decode_four_bits(
        tensors: &FourBits,
        bytes: &[Vec<u8>],
    ) -> Result<Vec<f32>, CheckpointError> {
        tensors.decode(bytes)
    }
}

/// Refuses to hold more numbers at once than a read of 16-bit floats gives.
pub(in crate::checkpoint) fn refuse_many(tensor: &str, bytes: u64) -> Result<(), CheckpointError> {
    let limit = 2 * LARGEST_READ;
    match bytes > limit {
        true => Err(CheckpointError::TooLarge {
            tensor: tensor.to_owned(),
            bytes,
            limit,
        }),
        false => Ok(()),
    }
}

fn missing_tensor(tensor: &str, method: &str, companion: &str) -> CheckpointError {
    let reason = format!("the checkpoint has no tensor {}", Name(companion));
    unusable(tensor, method, reason)
}
