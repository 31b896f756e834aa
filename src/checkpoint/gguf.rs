//! GGUF, the format of llama.cpp: metadata, a list of tensors, and their bytes, in one file.
//!
//! Floats and the blocks of [`BlockType`] are read. Tensors of other types are listed with their type's name, and reading
//! them is refused: they are those of 1 to 3 bits, which need tables, and those of 8 bits that no file holds. Metadata
//! values are kept if they are a single value or a short list of numbers; they replace a `config.json`. Long lists, such
//! as the vocabulary, are skipped. They precede the list of tensors, so opening a file reads some megabytes.

use std::collections::BTreeMap;

use super::{
    block_type::BlockType,
    dtype::Dtype,
    error::CheckpointError,
    index::Index,
    partial_bytes::{ByteReader, KnownBytes, Stop},
    tensor::{Order, TensorInfo},
};

/// Maximum size of the header, which precedes the tensors' bytes.
const LONGEST_HEADER: u64 = 64 << 20;
/// Maximum number of metadata values kept, and maximum length of each in bytes.
const MOST_NOTES: usize = 10_000;
const LONGEST_NOTE: usize = 256;
/// Maximum length of a list of numbers that is kept; enough for one number per layer.
const LONGEST_LIST: u64 = 256;
/// Maximum length of such a list in bytes, as text.
const LONGEST_LIST_TEXT: usize = 4096;
/// Maximum number of tensors.
const MOST_TENSORS: usize = 1 << 20;
/// Maximum number of dimensions; the format has four.
const MOST_DIMENSIONS: u32 = 8;
/// Maximum nesting of lists.
const DEEPEST: usize = 4;

/// Tensor types by number. The missing numbers were withdrawn from the format.
const TYPES: [(u32, &str); 33] = [
    (0, "F32"),
    (1, "F16"),
    (2, "Q4_0"),
    (3, "Q4_1"),
    (6, "Q5_0"),
    (7, "Q5_1"),
    (8, "Q8_0"),
    (9, "Q8_1"),
    (10, "Q2_K"),
    (11, "Q3_K"),
    (12, "Q4_K"),
    (13, "Q5_K"),
    (14, "Q6_K"),
    (15, "Q8_K"),
    (16, "IQ2_XXS"),
    (17, "IQ2_XS"),
    (18, "IQ3_XXS"),
    (19, "IQ1_S"),
    (20, "IQ4_NL"),
    (21, "IQ3_S"),
    (22, "IQ2_S"),
    (23, "IQ4_XS"),
    (24, "I8"),
    (25, "I16"),
    (26, "I32"),
    (27, "I64"),
    (28, "F64"),
    (29, "IQ1_M"),
    (30, "BF16"),
    (34, "TQ1_0"),
    (35, "TQ2_0"),
    (39, "MXFP4"),
    (40, "NVFP4"),
];

fn malformed(reason: impl Into<String>) -> Stop {
    Stop::malformed("header of the GGUF file", reason)
}

/// The tensors and metadata of a file.
pub(super) fn read(known: &KnownBytes) -> Result<Index, Stop> {
    known.parse_growing(LONGEST_HEADER, |bytes| parse(bytes, known.size))
}

fn parse(bytes: &[u8], size: u64) -> Result<Index, Stop> {
    let mut cursor = ByteReader::new(bytes);
    cursor.take(4)?;
    let version = cursor.u32()?;
    if version != 2 && version != 3 {
        return Err(CheckpointError::Unreadable(
            "This is a GGUF file of a version that is not read here, or of a machine that writes numbers \
             the other way round. Convert it again with a current llama.cpp.",
        )
        .into());
    }
    let (count, notes) = (cursor.u64()?, cursor.u64()?);
    if count > MOST_TENSORS as u64 {
        return Err(malformed("it claims more than a million tensors"));
    }
    let mut metadata = BTreeMap::new();
    for _ in 0..notes {
        let key = text(&mut cursor)?;
        let kind = cursor.u32()?;
        let value = value(&mut cursor, kind, 0)?;
        if let Some(value) = value
            && metadata.len() < MOST_NOTES
            && key.len() <= LONGEST_NOTE
        {
            metadata.insert(String::from_utf8_lossy(key).into_owned(), value);
        }
    }
    let mut tensors = Vec::new();
    for _ in 0..count {
        tensors.push(tensor(&mut cursor)?);
    }
    let alignment = metadata.get("general.alignment").map(|text| text.parse());
    let Ok(alignment @ 1..=0x10_0000) = alignment.unwrap_or(Ok(32_u64)) else {
        return Err(malformed("it states no alignment"));
    };
    let data = (cursor.position() as u64).next_multiple_of(alignment);
    place(&mut tensors, data, size)?;
    let mut index = Index::new(tensors, Vec::new())?;
    index.metadata = metadata;
    Ok(index)
}

/// Sets the range of each tensor in the file; their `begin` so far is relative to the first tensor.
fn place(tensors: &mut [TensorInfo], data: u64, size: u64) -> Result<(), Stop> {
    let mut next = size;
    tensors.sort_by_key(|tensor| tensor.begin);
    for tensor in tensors.iter_mut().rev() {
        let outside = |end| CheckpointError::OutsideFile {
            tensor: tensor.name.clone(),
            end,
            size,
        };
        let begin = tensor.begin.checked_add(data);
        let begin = begin.filter(|begin| *begin <= size);
        let begin = begin.ok_or_else(|| outside(tensor.begin.saturating_add(data)))?;
        let end = match bytes_of(tensor) {
            // The size of a tensor of an unknown type is unknown; it extends to the beginning of the next tensor.
            None => Some(next.max(begin)),
            Some(bytes) => bytes.and_then(|bytes| bytes.checked_add(begin)),
        };
        let end = end.unwrap_or(u64::MAX);
        if end > size {
            return Err(outside(end).into());
        }
        (tensor.begin, tensor.end) = (begin, end);
        next = begin;
    }
    Ok(())
}

/// Bytes of a tensor by its shape and type, `Some(None)` if they are more than 2⁶⁴; `None` if they are not known. A tensor
/// whose rows are not of whole blocks has no known size; reading it is refused.
fn bytes_of(tensor: &TensorInfo) -> Option<Option<u64>> {
    let mut lengths = tensor.shape.iter();
    let count = match tensor.shape.contains(&0) {
        true => Some(0),
        false => lengths.try_fold(1_u64, |count, length| count.checked_mul(*length)),
    };
    match &tensor.dtype {
        Dtype::Blocks(block) => {
            let width = tensor.shape.last()?;
            let is_whole = width.is_multiple_of(block.numbers());
            (is_whole || count == Some(0)).then(|| block.bytes_of(&tensor.shape))
        }
        dtype => {
            let bytes = dtype.bits()? / 8;
            Some(count.and_then(|count| count.checked_mul(bytes)))
        }
    }
}

fn text<'a>(cursor: &mut ByteReader<'a>) -> Result<&'a [u8], Stop> {
    let length = cursor.u64()?;
    if length > LONGEST_HEADER {
        return Err(malformed("a text claims to be longer than 64 MiB"));
    }
    cursor.take(length)
}

/// Reads one tensor entry. Reverses the dimensions, because the format lists the fastest first.
fn tensor(cursor: &mut ByteReader) -> Result<TensorInfo, Stop> {
    let name = String::from_utf8_lossy(text(cursor)?).into_owned();
    let dimensions = cursor.u32()?;
    if dimensions > MOST_DIMENSIONS {
        return Err(malformed("a tensor claims more than 8 dimensions"));
    }
    let mut shape = Vec::new();
    for _ in 0..dimensions {
        shape.push(cursor.u64()?);
    }
    shape.reverse();
    let kind = cursor.u32()?;
    let entry = TYPES.iter().find(|(number, _)| *number == kind);
    let dtype = match entry {
        Some((_, name)) => match BlockType::from_name(name) {
            Some(block) => Dtype::Blocks(block),
            None => Dtype::from_name(name),
        },
        None => Dtype::Other(format!("numbers of GGUF type {kind}")),
    };
    let begin = cursor.u64()?;
    Ok(TensorInfo {
        name,
        dtype,
        shape,
        file: 0,
        begin,
        end: begin,
        order: Order::RowMajor,
    })
}

/// Reads a metadata value as text. Returns `None` for long text and long lists; a short list of numbers becomes JSON.
fn value(cursor: &mut ByteReader, kind: u32, depth: usize) -> Result<Option<String>, Stop> {
    let value = match kind {
        0 => cursor.u8()?.to_string(),
        1 => cursor.u8()?.cast_signed().to_string(),
        2 => cursor.u16()?.to_string(),
        3 => cursor.u16()?.cast_signed().to_string(),
        4 => cursor.u32()?.to_string(),
        5 => cursor.u32()?.cast_signed().to_string(),
        6 => f32::from_bits(cursor.u32()?).to_string(),
        7 => (cursor.u8()? != 0).to_string(),
        8 => {
            let text = text(cursor)?;
            if text.len() > LONGEST_NOTE {
                return Ok(None);
            }
            String::from_utf8_lossy(text).into_owned()
        }
        9 => return list(cursor, depth),
        10 => cursor.u64()?.to_string(),
        11 => cursor.u64()?.cast_signed().to_string(),
        12 => f64::from_bits(cursor.u64()?).to_string(),
        _ => return Err(malformed(format!("a note is of the unknown kind {kind}"))),
    };
    Ok(Some(value))
}

/// Reads a short list of numbers as JSON; skips any other list.
fn list(cursor: &mut ByteReader, depth: usize) -> Result<Option<String>, Stop> {
    let (kind, count) = (cursor.u32()?, cursor.u64()?);
    let width = match kind {
        0 | 1 | 7 => 1,
        2 | 3 => 2,
        4..=6 => 4,
        10..=12 => 8,
        8 | 9 => 0,
        _ => return Err(malformed(format!("a list is of the unknown kind {kind}"))),
    };
    if count > LONGEST_HEADER || depth > DEEPEST {
        return Err(malformed("a list claims more than 64 million values"));
    }
    if width > 0 && count <= LONGEST_LIST {
        let mut values = Vec::new();
        for _ in 0..count {
            values.extend(value(cursor, kind, depth)?);
        }
        let text = format!("[{}]", values.join(","));
        return Ok(Some(text).filter(|text| text.len() <= LONGEST_LIST_TEXT));
    }
    if width > 0 {
        cursor.take(count * width)?;
    }
    for _ in 0..if width > 0 { 0 } else { count } {
        if kind == 8 {
            text(cursor)?;
        } else {
            list(cursor, depth + 1)?;
        }
    }
    Ok(None)
}
