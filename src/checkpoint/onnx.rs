//! Recognises ONNX models by the first fields of their protocol buffer, `ModelProto` in `onnx.proto`.
//!
//! The format has no signature. A file counts as ONNX if it begins with the version of the format, continues with fields
//! that `ModelProto` has, of the types that they have there, and holds a graph or the name of a program that wrote it.

/// Maximum version of the format; it was 13 in 2025.
const MOST_VERSIONS: u64 = 64;
/// Maximum number of fields that are examined.
const MOST_FIELDS: usize = 32;
/// Maximum length of a name, in bytes.
const LONGEST_NAME: u64 = 1024;

/// Whether a file that begins with these bytes is an ONNX model.
pub(super) fn is_model(first: &[u8]) -> bool {
    let mut rest = first;
    let Some((1, 0)) = tag(&mut rest) else {
        return false;
    };
    let version = varint(&mut rest);
    if !version.is_some_and(|version| (1..=MOST_VERSIONS).contains(&version)) {
        return false;
    }
    let mut has_name = false;
    for _ in 0..MOST_FIELDS {
        match tag(&mut rest) {
            // The names of the program, its version and its domain; the documentation.
            Some((2..=4 | 6, 2)) => {
                let Some(text) = text(&mut rest) else {
                    return false;
                };
                has_name |= !text.is_empty();
            }
            // The version of the model.
            Some((5, 0)) if varint(&mut rest).is_some() => {}
            // The graph. Its length may exceed these bytes.
            Some((7, 2)) => return varint(&mut rest).is_some_and(|length| length > 0),
            // Sets of operators, metadata, training, functions.
            Some((8 | 14 | 20 | 25, 2)) if skip(&mut rest).is_some() => {}
            _ => break,
        }
    }
    has_name
}

/// Number and wire type of a field.
fn tag(rest: &mut &[u8]) -> Option<(u64, u64)> {
    let tag = varint(rest)?;
    Some((tag >> 3, tag & 7))
}

/// A number of at most ten bytes, with the lowest seven bits first.
fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// A field of text without control characters except line breaks and tabs.
fn text<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let length = varint(rest).filter(|length| *length <= LONGEST_NAME)?;
    let (bytes, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    *rest = after;
    let text = std::str::from_utf8(bytes).ok()?;
    let is_strange = |c: char| c.is_control() && !c.is_whitespace();
    (!text.contains(is_strange)).then_some(text)
}

/// Skips a field of bytes.
fn skip(rest: &mut &[u8]) -> Option<()> {
    let length = usize::try_from(varint(rest)?).ok()?;
    *rest = rest.get(length..)?;
    Some(())
}
