//! Files that `NumPy` saves: one array (`.npy`) or a zip archive of several (`.npz`).
//!
//! An array is a line of Python that states type, order and shape, followed by the numbers. The three values are
//! searched for in that line. A library that parses Python literals (ndarray-npy uses pest) would take more code than
//! everything else in this folder.

use super::{
    dtype::Dtype,
    error::CheckpointError,
    file_kind::FileKind,
    index::Index,
    partial_bytes::{ByteReader, KnownBytes, Stop},
    tensor::{Order, TensorInfo},
    zip::{Contents, ZipEntry},
};

const MAGIC: &[u8] = b"\x93NUMPY";
/// Maximum length of a header; `NumPy` itself stops at 10,000 bytes.
const LONGEST_HEADER: u64 = 64 << 10;
/// Number of bytes read first of an array in an archive. Headers are padded to 128 bytes, sometimes to 192.
const FIRST_LOOK: u64 = 256;
/// Maximum number of arrays in an archive, because each header has to be read.
const MOST_ARRAYS: usize = 10_000;
/// Maximum number of dimensions; `NumPy` allows 64.
const MOST_DIMENSIONS: usize = 64;

fn malformed(reason: impl Into<String>) -> Stop {
    Stop::malformed("header of the array", reason)
}

/// The array of a file. It has no name of its own and is called `array`.
pub(super) fn array(known: &KnownBytes) -> Result<Index, Stop> {
    let array = known.parse_growing(LONGEST_HEADER, |bytes| {
        header("array".to_owned(), bytes, 0, known.size)
    })?;
    Ok(Index::new(vec![array], Vec::new())?)
}

/// The arrays of an archive, named after its entries.
pub(super) fn archive(known: &KnownBytes, entries: &[ZipEntry]) -> Result<Index, Stop> {
    let mut contents = Contents::new(known);
    let mut arrays = Vec::new();
    for entry in entries {
        let Some(name) = entry.name.strip_suffix(".npy") else {
            continue;
        };
        if arrays.len() == MOST_ARRAYS {
            return Err(malformed("the archive holds more than 10000 arrays"));
        }
        let Some(place) = contents.place(entry)? else {
            continue;
        };
        let mut length = FIRST_LOOK;
        loop {
            let end = place.end.min(place.start + length);
            let Some(bytes) = contents.bytes(place.start..end)? else {
                break;
            };
            match header(name.to_owned(), &bytes, place.start, place.end) {
                Err(Stop::Ends) if end < place.end && length < LONGEST_HEADER => {
                    length = LONGEST_HEADER;
                }
                array => {
                    arrays.push(array?);
                    break;
                }
            }
        }
    }
    let bytes = contents.inflated_bytes()?;
    if arrays.is_empty() {
        return Err(CheckpointError::WrongKind(FileKind::Zip).into());
    }
    Ok(Index::new(arrays, bytes)?)
}

/// Parses the header at the beginning of `bytes`, for an array that lies between `begin` and `limit`.
fn header(name: String, bytes: &[u8], begin: u64, limit: u64) -> Result<TensorInfo, Stop> {
    let mut cursor = ByteReader::new(bytes);
    if cursor.take(MAGIC.len() as u64)? != MAGIC {
        return Err(CheckpointError::WrongKind(FileKind::Unknown).into());
    }
    let version = cursor.u16()?.to_le_bytes()[0];
    let length = match version {
        1 => cursor.u16()?.into(),
        2 | 3 => cursor.u32()?,
        _ => return Err(malformed(format!("its version is {version}"))),
    };
    if u64::from(length) > LONGEST_HEADER {
        return Err(malformed("it claims to be longer than 64 KiB"));
    }
    let text = String::from_utf8_lossy(cursor.take(length.into())?);
    let begin = begin + cursor.position() as u64;
    let descr = after(&text, "descr").ok_or_else(|| malformed("it states no type"))?;
    let dtype = dtype(descr);
    let order = match after(&text, "fortran_order") {
        Some(order) if order.starts_with("True") => Order::ColumnMajor,
        Some(order) if order.starts_with("False") => Order::RowMajor,
        _ => return Err(malformed("it states no order")),
    };
    let shape = after(&text, "shape").and_then(shape);
    let shape = shape.ok_or_else(|| malformed("it states no shape"))?;
    let end = match dtype.bits() {
        None => limit,
        Some(_) if shape.contains(&0) => begin,
        Some(bits) => {
            let bytes = shape
                .iter()
                .try_fold(bits / 8, |bytes, length| bytes.checked_mul(*length));
            match bytes.and_then(|bytes| bytes.checked_add(begin)) {
                Some(end) => end,
                None => {
                    return Err(CheckpointError::SizeOverflow {
                        tensor: name,
                        shape,
                    }
                    .into());
                }
            }
        }
    };
    if end > limit {
        return Err(CheckpointError::OutsideFile {
            tensor: name,
            end,
            size: limit,
        }
        .into());
    }
    Ok(TensorInfo {
        name,
        dtype,
        shape,
        file: 0,
        begin,
        end,
        order,
    })
}

/// The text that follows a key and its colon.
fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let rest = &text[text.find(key)? + key.len()..];
    // Skip the closing quote and the colon.
    Some(rest.get(1..)?.trim_start().strip_prefix(':')?.trim_start())
}

/// Parses a type in `NumPy`'s notation: byte order, kind, bytes.
fn dtype(descr: &str) -> Dtype {
    let quoted = descr.strip_prefix(['\'', '"']);
    let descr = quoted.map_or("records", |descr| {
        descr.split(['\'', '"']).next().unwrap_or_default()
    });
    Dtype::from_name(match descr {
        "<f4" => "F32",
        "<f2" => "F16",
        "<f8" => "F64",
        "<i8" => "I64",
        "<i4" => "I32",
        "<i2" => "I16",
        "|i1" => "I8",
        "<u8" => "U64",
        "<u4" => "U32",
        "<u2" => "U16",
        "|u1" => "U8",
        "|b1" => "BOOL",
        ">f2" => "big-endian F16",
        ">f4" => "big-endian F32",
        ">f8" => "big-endian F64",
        "<c8" => "C64",
        // Text, dates and big-endian integers are not decoded; they keep NumPy's name.
        other => other,
    })
}

/// Parses a tuple of lengths: `()`, `(512,)`, `(512, 768)`.
fn shape(text: &str) -> Option<Vec<u64>> {
    let (lengths, _) = text.strip_prefix('(')?.split_once(')')?;
    let mut shape = Vec::new();
    for length in lengths
        .split(',')
        .map(str::trim)
        .filter(|length| !length.is_empty())
    {
        if shape.len() == MOST_DIMENSIONS {
            return None;
        }
        // Python 2 appended an L to long integers.
        shape.push(length.trim_end_matches('L').parse().ok()?);
    }
    Some(shape)
}
