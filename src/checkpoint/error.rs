//! Errors of reading a checkpoint, each with a sentence for the user.

use std::{fmt, ops::Range};

pub(crate) use super::clean_text::{CleanText, Name, ShapeText};
use super::{
    adapter::Adapter, block_type::BlockType, dtype::Dtype, error_kind::ErrorKind,
    file_kind::FileKind, source_error::SourceError,
};
use crate::lazy::LoadError;

/// Why a checkpoint or one of its tensors could not be read. `Display` says what is wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The bytes could not be read from the source.
    Source(SourceError),
    /// The parser of the file's format could not be loaded.
    NotFetched(LoadError),
    /// The source returned fewer or more bytes than requested.
    ShortRead {
        /// Range requested.
        range: Range<u64>,
        /// Number of bytes returned.
        received_bytes: u64,
    },
    /// The file is of a kind that holds no tensors, or none that this program reads.
    WrongKind(FileKind),
    /// The file ends before its header does.
    HeaderTruncated {
        /// Size that the file needs to include its whole header.
        needed_size: u64,
        /// Size of the file in bytes.
        size: u64,
    },
    /// The header claims to be longer than the format allows.
    HeaderTooLong {
        /// Length it claims, in bytes.
        length: u64,
        /// Length allowed, in bytes.
        limit: u64,
    },
    /// The header is not UTF-8.
    HeaderNotText {
        /// Position in the file of the first byte that is not UTF-8.
        position: u64,
    },
    /// The header is not JSON, or not the JSON that safetensors prescribes.
    HeaderMalformed {
        /// The parser's message.
        reason: String,
    },
    /// The file ends before the list of its tensors does.
    CutOff {
        /// Size of the file in bytes.
        size: u64,
    },
    /// A part of the file is not what its format prescribes.
    Malformed {
        /// Name of the part.
        part: &'static str,
        /// Why it is malformed, as a clause.
        reason: String,
    },
    /// The text is not a valid file of kernels.
    Kernels {
        /// Why it is invalid, as a clause.
        reason: String,
    },
    /// A pickle holds no tensors, except those that a class or a function of no known meaning would make.
    Foreign {
        /// The class or function, as `module.name`.
        name: String,
    },
    /// The format is known, but this variant of it is not supported; the sentence says which and what to do.
    Unreadable(&'static str),
    /// A tensor is a view that is neither row-major nor column-major.
    Scattered {
        /// Name of the tensor.
        tensor: String,
    },
    /// Two tensors have the same name.
    DuplicateName {
        /// The common name.
        tensor: String,
    },
    /// A tensor ends before it begins.
    OffsetsReversed {
        /// Name of the tensor.
        tensor: String,
        /// Its first byte, relative to the end of the header.
        begin: u64,
        /// One past its last byte.
        end: u64,
    },
    /// A tensor reaches beyond the end of the file.
    OutsideFile {
        /// Name of the tensor.
        tensor: String,
        /// One past its last byte, counted from the beginning of the file.
        end: u64,
        /// Size of the file in bytes.
        size: u64,
    },
    /// The byte size of a tensor, by its shape and type, overflows 64 bits.
    SizeOverflow {
        /// Name of the tensor.
        tensor: String,
        /// Shape that the file states.
        shape: Vec<u64>,
    },
    /// A tensor does not have as many bytes as its shape and type need.
    SizeMismatch {
        /// Name of the tensor.
        tensor: String,
        /// Bytes needed by its shape and type.
        expected: u64,
        /// Bytes between its offsets.
        found: u64,
    },
    /// Two tensors share bytes.
    Overlap {
        /// The tensor that begins first.
        first: String,
        /// The tensor that begins before the first one ends.
        second: String,
    },
    /// The checkpoint has no tensor of this name.
    NoSuchTensor {
        /// Name that was requested.
        tensor: String,
    },
    /// The file that holds a tensor has not been provided.
    MissingShard {
        /// Name of the file.
        shard: String,
    },
    /// The index lists a tensor in a shard that does not hold it.
    NotInShard {
        /// Name of the tensor.
        tensor: String,
        /// Name of the file.
        shard: String,
    },
    /// The index of a checkpoint in shards is not valid.
    IndexMalformed {
        /// Why it is invalid, as a clause.
        reason: String,
    },
    /// The index names a shard that is not a plain file name.
    ShardName {
        /// Name in the index.
        shard: String,
    },
    /// The tensor does not hold floats.
    NotFloats {
        /// Name of the tensor.
        tensor: String,
        /// Its element type.
        dtype: Dtype,
    },
    /// The rows of a tensor are stored in blocks that they do not fill.
    PartialBlocks {
        /// Name of the tensor.
        tensor: String,
        /// Its element type.
        dtype: Dtype,
        /// Its shape.
        shape: Vec<u64>,
    },
    /// The numbers of a weight are packed in several tensors, and these cannot be used.
    Packed {
        /// Name of the weight.
        tensor: String,
        /// The method that packed it.
        method: String,
        /// Why it cannot be read, as a clause.
        reason: String,
    },
    /// There are no factors for a tensor of 8-bit floats that is to be multiplied by some.
    NoScaleFactors {
        /// Name of the tensor.
        tensor: String,
        /// Its element type.
        dtype: Dtype,
        /// Name that the factors would have.
        factors: String,
    },
    /// The factors by which an 8-bit tensor is to be multiplied cannot be used.
    ScaleFactors {
        /// Name of the tensor.
        tensor: String,
        /// Name of the tensor of factors.
        factors: String,
        /// Why they cannot be used, as a clause.
        reason: String,
    },
    /// A tensor is empty, as DeepSpeed ZeRO-3 leaves the weights that it has spread over processes.
    EmptyWeight {
        /// Name of the tensor.
        tensor: String,
    },
    /// Most tensors of the file are empty.
    EmptyWeights {
        /// Number of empty tensors.
        empty: usize,
        /// Number of all tensors of floats.
        total: usize,
    },
    /// The file is an adapter, which changes the weights of another model.
    Adapter(Adapter),
    /// The requested rows are outside of the tensor.
    NoSuchRows {
        /// Name of the tensor.
        tensor: String,
        /// Rows requested.
        rows: Range<u64>,
        /// Number of rows the tensor has.
        available: u64,
    },
    /// The read is larger than a page should hold in memory.
    TooLarge {
        /// Name of the tensor.
        tensor: String,
        /// Bytes requested.
        bytes: u64,
        /// Bytes allowed.
        limit: u64,
    },
}

impl CheckpointError {
    /// The kind of error, which decides the remedy the page offers.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Source(error) => error.kind(),
            Self::NotFetched(_) => ErrorKind::Network,
            Self::ShortRead { .. } => ErrorKind::LostFile,
            Self::MissingShard { shard } => ErrorKind::MissingFile {
                name: shard.clone(),
            },
            Self::TooLarge { .. } => ErrorKind::TooLarge,
            // No file can cause this: callers of row reads know the number of rows.
            Self::NoSuchRows { .. } => ErrorKind::OurFault,
            _ => ErrorKind::RefusedFile,
        }
    }
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => error.fmt(f),
            Self::NotFetched(error) => error.fmt(f),
            Self::ShortRead {
                range,
                received_bytes: received,
            } => write!(
                f,
                "Bytes {} to {} were requested, and {received} bytes came. The file changed or the \
                 connection broke; open it again.",
                range.start, range.end
            ),
            Self::WrongKind(kind) => f.write_str(kind.advice()),
            Self::HeaderTruncated {
                needed_size: needed,
                size,
            } => write!(
                f,
                "The file ends at byte {size}, inside its header, which goes to byte {needed}. The \
                 download was probably cut off; fetch it again."
            ),
            Self::HeaderTooLong { length, limit } => write!(
                f,
                "The header claims {length} bytes; safetensors allows {limit}. If the file is damaged, fetch it \
                 again; if it really lists so many tensors, save them in several files."
            ),
            Self::HeaderNotText { position } => write!(
                f,
                "The header is not UTF-8 text at byte {position}. The file is damaged; fetch it again."
            ),
            Self::HeaderMalformed { reason } => write!(
                f,
                "The header is not what safetensors prescribes: {}. Save the file again with a current \
                 safetensors library.",
                CleanText(reason)
            ),
            Self::CutOff { size } => write!(
                f,
                "The file ends at byte {size}, before all its tensors are listed. The download was probably \
                 cut off; fetch it again."
            ),
            Self::Malformed { part, reason } => write!(
                f,
                "The {part} cannot be used: {}. The file is damaged or forged; fetch it again.",
                CleanText(reason)
            ),
            Self::Kernels { reason } => write!(
                f,
                "These kernels cannot be read: {}. Correct the file or save it anew.",
                CleanText(reason)
            ),
            Self::Foreign { name } => write!(
                f,
                "The pickle in this file holds no tensors that can be read: its content is made by {}, and \
                 nothing of that was run. Save the weights alone, as torch.save(model.state_dict(), path) or \
                 as safetensors.",
                Name(name)
            ),
            Self::Unreadable(sentence) => f.write_str(sentence),
            Self::Scattered { tensor } => write!(
                f,
                "Tensor {} is a view that is stored neither by rows nor by columns, which this page cannot read. Save the file again with this tensor made contiguous.",
                Name(tensor)
            ),
            Self::DuplicateName { tensor } => write!(
                f,
                "The file lists tensor {} twice, so it is unclear which one is meant. Save the file \
                 again with every name once.",
                Name(tensor)
            ),
            Self::OffsetsReversed { tensor, begin, end } => write!(
                f,
                "Tensor {} begins at byte {begin} of the data but ends at byte {end}. The file is \
                 damaged; fetch it again.",
                Name(tensor)
            ),
            Self::OutsideFile { tensor, end, size } => write!(
                f,
                "Tensor {} goes to byte {end}, but the file has {size}. The download was probably cut \
                 off; fetch it again.",
                Name(tensor)
            ),
            Self::SizeOverflow { tensor, shape } => write!(
                f,
                "Tensor {} claims the shape {}, more than any file can hold. The file is damaged or \
                 forged; do not use it.",
                Name(tensor),
                ShapeText(shape)
            ),
            Self::SizeMismatch {
                tensor,
                expected,
                found,
            } => write!(
                f,
                "Tensor {} should take {expected} bytes by its shape and type, but takes {found}. The \
                 file is damaged; fetch it again.",
                Name(tensor)
            ),
            Self::Overlap { first, second } => write!(
                f,
                "Tensors {} and {} share bytes of the file. The file is damaged or forged; fetch it again.",
                Name(first),
                Name(second)
            ),
            Self::NoSuchTensor { tensor } => write!(
                f,
                "There is no tensor {}. Choose another one, or open the file that has it.",
                Name(tensor)
            ),
            Self::MissingShard { shard } => write!(
                f,
                "The next numbers are in {}, a part of this checkpoint that is not open. Drop that file here, too.",
                Name(shard)
            ),
            Self::NotInShard { tensor, shard } => write!(
                f,
                "The index says that tensor {} is in {}, but it is not there. The index belongs to another \
                 version of the model; fetch both again.",
                Name(tensor),
                Name(shard)
            ),
            Self::IndexMalformed { reason } => write!(
                f,
                "The index of the checkpoint's files cannot be used: {}. Fetch it again.",
                CleanText(reason)
            ),
            Self::ShardName { shard } => write!(
                f,
                "The index names {} instead of a file beside it. The index is forged or damaged; do not use it.",
                Name(shard)
            ),
            Self::NotFloats { tensor, dtype } => write!(
                f,
                "Tensor {} holds {}, which cannot be read as numbers here. Use a copy stored as F32, \
                 F16, BF16 or F64.",
                Name(tensor),
                CleanText(dtype.name())
            ),
            Self::PartialBlocks {
                tensor,
                dtype,
                shape,
            } => write!(
                f,
                "Tensor {} is {} of {}, which is stored in blocks of {} numbers, and its rows are not whole blocks. \
                 The file is damaged or forged; convert the model again.",
                Name(tensor),
                ShapeText(shape),
                CleanText(dtype.name()),
                dtype.block().map_or(1, BlockType::numbers)
            ),
            Self::Packed {
                tensor,
                method,
                reason,
            } => write!(
                f,
                "The numbers of {} are packed ({method}), but {reason}. Use a copy of the model that is stored as \
                 BF16, F16 or F32.",
                Name(tensor)
            ),
            Self::NoScaleFactors {
                tensor,
                dtype,
                factors,
            } => write!(
                f,
                "The numbers of tensor {} are {dtype} and have to be multiplied by scale factors, but the checkpoint has \
                 no tensor {}. Open all files of the model, or use a copy that is stored as BF16, F16 or F32.",
                Name(tensor),
                Name(factors)
            ),
            Self::ScaleFactors {
                tensor,
                factors,
                reason,
            } => write!(
                f,
                "The numbers of tensor {} have to be multiplied by those of {}, but {reason}. Use a copy of the model \
                 that is stored as BF16, F16 or F32.",
                Name(tensor),
                Name(factors)
            ),
            Self::Adapter(adapter) => adapter.fmt(f),
            Self::EmptyWeight { tensor } => write!(
                f,
                "Tensor {} is empty (shape 0): its numbers are not in the file. {EMPTY_WEIGHTS_ADVICE}",
                Name(tensor)
            ),
            Self::EmptyWeights { empty, total } => write!(
                f,
                "Of the file’s {total} floating-point tensors, {empty} are empty (shape 0): their numbers are not in it. {EMPTY_WEIGHTS_ADVICE}"
            ),
            Self::NoSuchRows {
                tensor,
                rows,
                available,
            } => write!(
                f,
                "Rows {} to {} of tensor {} were requested, and it has {available}. Open the file again.",
                rows.start,
                rows.end,
                Name(tensor)
            ),
            Self::TooLarge {
                tensor,
                bytes,
                limit,
            } => write!(
                f,
                "Tensor {} would take {bytes} bytes at once; a page should not hold more than {limit}. \
                 Choose a smaller tensor.",
                Name(tensor)
            ),
        }
    }
}

impl std::error::Error for CheckpointError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Source(error) => Some(error),
            Self::NotFetched(error) => Some(error),
            _ => None,
        }
    }
}

/// Where empty weights come from, and what to do. DeepSpeed, documentation of ZeRO, "Getting model weights".
const EMPTY_WEIGHTS_ADVICE: &str = "DeepSpeed ZeRO-3 leaves such files when weights are saved without being gathered. Run \
    zero_to_fp32.py, which is in the folder of the checkpoint, and open the file that it writes; or save the model again \
    with stage3_gather_16bit_weights_on_model_save.";
