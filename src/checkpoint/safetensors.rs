//! Parser of the safetensors header. Validates it in `u64`, without reading from the source.
//!
//! A file is 8 bytes (the header's length N, little-endian), N bytes of JSON that begin with `{` and may end in spaces,
//! and the tensors' bytes, to which `data_offsets` are relative. The `safetensors` crate needs the whole file and
//! counts in `usize`, so on wasm32 it rejects files beyond 4 GiB and even the header of a file that holds one tensor of
//! 512 MiB. The tests use it as their reference.
//!
//! Tolerated: holes, any order, any alignment, unknown element types. Rejected: entries that make a tensor's bytes
//! ambiguous or unreadable. No allocation is larger than a small multiple of the header.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};

use super::{
    dtype::Dtype,
    error::{CheckpointError, Name},
    file_kind::FileKind,
    index::Index,
    partial_bytes::{KnownBytes, Stop},
    sniff::{LONGEST_SAFETENSORS_HEADER, describe, safetensors_length},
    tensor::{Order, TensorInfo},
};

/// Size of the header's length field in bytes.
const PREFIX: u64 = 8;
/// Maximum number of dimensions of a tensor, twice the maximum of any framework.
const MOST_DIMENSIONS: usize = 128;

/// Reads the header of a file.
pub(super) fn read(known: &KnownBytes) -> Result<Index, Stop> {
    // Check the length before requesting that many bytes.
    let end = header_end(known.first(), known.size)?;
    Ok(parse(known.get(0..end)?, known.size)?)
}

/// Position where the header ends, judged from the first bytes of a file of `size` bytes.
///
/// # Errors
/// If this is not a safetensors file or the header cannot have that length.
pub fn header_end(first: &[u8], size: u64) -> Result<u64, CheckpointError> {
    let kind = describe(first);
    let Some(length) = safetensors_length(first) else {
        // Fewer than eight bytes are too few to decide, unless the file is empty.
        return Err(match kind {
            FileKind::Unknown | FileKind::Safetensors => CheckpointError::HeaderTruncated {
                needed_size: PREFIX,
                size,
            },
            _ => CheckpointError::WrongKind(kind),
        });
    };
    let opens = first.get(8) == Some(&b'{');
    let is_long = length > LONGEST_SAFETENSORS_HEADER;
    if matches!(kind, FileKind::Unknown | FileKind::Safetensors) && opens && is_long {
        return Err(CheckpointError::HeaderTooLong {
            length,
            limit: LONGEST_SAFETENSORS_HEADER,
        });
    }
    // A file cut off right after the length lacks the brace by which the format is recognised.
    let cut_off = size == PREFIX && (1..=LONGEST_SAFETENSORS_HEADER).contains(&length);
    if kind != FileKind::Safetensors && !cut_off {
        return Err(CheckpointError::WrongKind(kind));
    }
    let needed = PREFIX + length;
    if needed > size {
        Err(CheckpointError::HeaderTruncated {
            needed_size: needed,
            size,
        })
    } else {
        Ok(needed)
    }
}

/// Parses the beginning of a file, length and header. `bytes` must contain at least [`header_end`] bytes.
///
/// # Errors
/// If the header is malformed or describes tensors that the file cannot hold.
pub fn parse(bytes: &[u8], size: u64) -> Result<Index, CheckpointError> {
    let end = header_end(bytes, size)?;
    let json = usize::try_from(end).ok().and_then(|end| bytes.get(8..end));
    let json = json.ok_or(CheckpointError::HeaderTruncated {
        needed_size: end,
        size,
    })?;
    let text = std::str::from_utf8(json).map_err(|error| CheckpointError::HeaderNotText {
        position: PREFIX + error.valid_up_to() as u64,
    })?;
    let HeaderEntries { tensors, metadata } =
        serde_json::from_str(text).map_err(|error| CheckpointError::HeaderMalformed {
            reason: error.to_string(),
        })?;

    let tensors = tensors
        .into_iter()
        .map(|(name, entry)| locate(name, entry, end, size))
        .collect::<Result<Vec<_>, _>>()?;
    refuse_overlaps(&tensors)?;
    let mut index = Index::new(tensors, Vec::new())?;
    index.metadata = metadata;
    Ok(index)
}

/// Computes the range of one entry in the file, and checks it against the file's size, the shape and the type.
fn locate(
    name: String,
    entry: HeaderEntry,
    data: u64,
    size: u64,
) -> Result<TensorInfo, CheckpointError> {
    let [begin, end] = entry.data_offsets;
    if begin > end {
        return Err(CheckpointError::OffsetsReversed {
            tensor: name,
            begin,
            end,
        });
    }
    let dtype = Dtype::from_name(&entry.dtype);
    let shape = entry.shape.0;
    if let Some(bits) = dtype.bits() {
        // A zero in the shape makes the tensor empty, even if the other lengths would overflow.
        let bits = if shape.contains(&0) {
            Some(0)
        } else {
            shape
                .iter()
                .try_fold(bits, |bits, length| bits.checked_mul(*length))
        };
        let Some(bits) = bits else {
            return Err(CheckpointError::SizeOverflow {
                tensor: name,
                shape,
            });
        };
        let (expected, found) = (bits.div_ceil(8), end - begin);
        if expected != found {
            return Err(CheckpointError::SizeMismatch {
                tensor: name,
                expected,
                found,
            });
        }
    }
    match (begin.checked_add(data), end.checked_add(data)) {
        (Some(begin), Some(end)) if end <= size => Ok(TensorInfo {
            name,
            dtype,
            shape,
            file: 0,
            begin,
            end,
            order: Order::RowMajor,
        }),
        (_, end) => {
            let end = end.unwrap_or(u64::MAX);
            Err(CheckpointError::OutsideFile {
                tensor: name,
                end,
                size,
            })
        }
    }
}

fn refuse_overlaps(tensors: &[TensorInfo]) -> Result<(), CheckpointError> {
    let not_empty = tensors.iter().filter(|tensor| tensor.begin < tensor.end);
    let mut by_begin: Vec<&TensorInfo> = not_empty.collect();
    by_begin.sort_by_key(|tensor| tensor.begin);
    for [first, second] in by_begin.array_windows() {
        // A tensor that is listed twice overlaps itself; it is rejected as a duplicate name.
        if second.begin < first.end && second.name != first.name {
            return Err(CheckpointError::Overlap {
                first: first.name.clone(),
                second: second.name.clone(),
            });
        }
    }
    Ok(())
}

/// The header as written, including duplicate names.
#[derive(Default)]
struct HeaderEntries {
    tensors: Vec<(String, HeaderEntry)>,
    metadata: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct HeaderEntry {
    dtype: String,
    shape: Dimensions,
    data_offsets: [u64; 2],
}

/// A shape. Deserialisation stops after [`MOST_DIMENSIONS`] lengths.
struct Dimensions(Vec<u64>);

impl<'de> Deserialize<'de> for HeaderEntries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = HeaderEntries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tensors")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<HeaderEntries, A::Error> {
                let mut entries = HeaderEntries::default();
                while let Some(name) = map.next_key::<String>()? {
                    if name == "__metadata__" {
                        // Some writers store `null` if there is no metadata.
                        entries.metadata = map.next_value::<Option<_>>()?.unwrap_or_default();
                    } else {
                        let entry = map.next_value().map_err(|error| {
                            A::Error::custom(format_args!("tensor {}: {error}", Name(&name)))
                        })?;
                        entries.tensors.push((name, entry));
                    }
                }
                Ok(entries)
            }
        }
        deserializer.deserialize_map(Object)
    }
}

impl<'de> Deserialize<'de> for Dimensions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Dimensions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of dimensions")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Dimensions, A::Error> {
                let mut shape = Vec::new();
                while let Some(length) = list.next_element()? {
                    if shape.len() == MOST_DIMENSIONS {
                        return Err(A::Error::custom("a tensor of more than 128 dimensions"));
                    }
                    shape.push(length);
                }
                Ok(Dimensions(shape))
            }
        }
        deserializer.deserialize_seq(List)
    }
}
