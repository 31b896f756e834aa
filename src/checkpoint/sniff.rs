//! Recognises the kind of a file by its first bytes, not by its name, so that error messages name the actual kind.

use super::{file_kind::FileKind, kernels, onnx};

/// Maximum header length of safetensors that the reference implementation accepts.
pub(super) const LONGEST_SAFETENSORS_HEADER: u64 = 100_000_000;

/// Number of bytes in which the first elements of JSON and XML are looked for.
const FIRST_LOOK: usize = 4096;

/// Recognises a file by its first bytes; 512 are enough for most.
pub fn describe(first: &[u8]) -> FileKind {
    // This test must come first: a safetensors header of 640 bytes begins like a pickle.
    if looks_like_safetensors(first) {
        return FileKind::Safetensors;
    }
    match first {
        [] => FileKind::Empty,
        [b'P', b'K', 3, 4, ..] => archive(first),
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => FileKind::Npy,
        [b'G', b'G', b'U', b'F', ..] => FileKind::Gguf,
        // The class that lists the parts of such a checkpoint is the first that the pickle names.
        [0x80, 2..=5, ..] if contains(beginning(first, 128), b"torch.distributed.checkpoint") => {
            FileKind::DistributedCheckpoint
        }
        [0x80, 2..=5, ..] => FileKind::Pickle,
        // The parser reports that the header is too long.
        _ if has_long_header(first) => FileKind::Safetensors,
        _ => foreign(first).unwrap_or_else(|| text(first)),
    }
}

/// Recognises binary formats that are not read.
fn foreign(first: &[u8]) -> Option<FileKind> {
    let kind = match first {
        [0x89, b'H', b'D', b'F', ..] => FileKind::Hdf5,
        [0x1f, 0x8b, ..] => FileKind::Gzip,
        // Magic numbers “ggml”, “ggmf”, “ggjt” and “ggla”, little-endian.
        [b'l' | b'f', b'm', b'g', b'g', ..]
        | [b't', b'j', b'g', b'g', ..]
        | [b'a', b'l', b'g', b'g', ..] => FileKind::Ggml,
        // Manifest, node of versions and node of keys in tensorstore's OCDBT.
        [0x0c, 0xdb, 0x3a, 0x2a, ..]
        | [0x0c, 0xdb, 0x12, 0x34, ..]
        | [0x0c, 0xdb, 0x20, 0xde, ..] => FileKind::Orbax,
        // Identifiers of flatbuffers.
        [_, _, _, _, b'P', b'T', b'M', b'F', ..] => FileKind::MobileModule,
        [_, _, _, _, b'E', b'T', b'0'..=b'9', b'0'..=b'9', ..] => FileKind::ExecuTorch,
        [_, _, _, _, b'T', b'F', b'L', b'0'..=b'9', ..] => FileKind::TfLite,
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..]
        | [b'R', b'a', b'r', b'!', 0x1a, 0x07, ..]
        | [0xfd, b'7', b'z', b'X', b'Z', 0, ..]
        | [0x28, 0xb5, 0x2f, 0xfd, ..]
        | [b'B', b'Z', b'h', b'1'..=b'9', ..] => FileKind::PackedFile,
        _ if first.get(257..262) == Some(b"ustar") => FileKind::PackedFile,
        [b'%', b'P', b'D', b'F', b'-', ..] => FileKind::Pdf,
        [0x89, b'P', b'N', b'G', ..] | [0xff, 0xd8, 0xff, ..] | [b'G', b'I', b'F', b'8', ..] => {
            FileKind::Picture
        }
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => FileKind::Picture,
        [b'P', b'A', b'R', b'1', ..] | [b'A', b'R', b'R', b'O', b'W', b'1', ..] => {
            FileKind::DataTable
        }
        // The first entry of a TensorFlow index has no key, and its value begins with the number of shards.
        [0, 0, 4..=64, 0x08, 1..=0x7f, ..] => FileKind::TensorFlow,
        _ if begins_like_message_pack(first) => FileKind::MessagePack,
        _ if onnx::is_model(first) => FileKind::Onnx,
        _ => return None,
    };
    Some(kind)
}

/// Whether a file begins with a map whose first key is a name, as Flax writes parameters.
fn begins_like_message_pack(first: &[u8]) -> bool {
    let rest = match first {
        [0x81..=0x8f, rest @ ..] | [0xde, _, _, rest @ ..] | [0xdf, _, _, _, _, rest @ ..] => rest,
        _ => return false,
    };
    let (length, rest) = match rest {
        [length @ 0xa1..=0xbf, rest @ ..] => (length & 0x1f, rest),
        [0xd9, length, rest @ ..] if *length > 0 => (*length, rest),
        _ => return false,
    };
    let name = rest.get(..usize::from(length));
    name.is_some_and(|name| name.iter().all(|byte| byte.is_ascii_graphic()))
}

fn beginning(first: &[u8], length: usize) -> &[u8] {
    first.get(..length).unwrap_or(first)
}

fn contains(first: &[u8], part: &[u8]) -> bool {
    first.windows(part.len()).any(|window| window == part)
}

/// Distinguishes zip archives by the name of their first entry, at byte 30.
fn archive(first: &[u8]) -> FileKind {
    let length = match first {
        [_, .., _] if first.len() >= 30 => usize::from(u16::from_le_bytes([first[26], first[27]])),
        _ => 0,
    };
    let name = first.get(30..30 + length).unwrap_or_default();
    if name.ends_with(b"data.pkl") {
        FileKind::PyTorch
    } else if name.ends_with(b".npy") {
        FileKind::Npz
    } else {
        FileKind::Zip
    }
}

fn text(first: &[u8]) -> FileKind {
    let first = first
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(first)
        .trim_ascii_start();
    let starts = |with: &str| {
        first
            .get(..with.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(with.as_bytes()))
    };
    if starts("version https://git-lfs.github.com/spec/") {
        FileKind::GitLfsPointer
    } else if starts("<!doctype html") || starts("<html") || starts("<head") {
        FileKind::Html
    } else if starts("<?xml") || starts("<net ") {
        xml(first)
    } else if matches!(first, [b'{' | b'[', rest @ ..] if opens_json(rest)) {
        if kernels::is_json(first) {
            FileKind::Kernels
        } else if contains(beginning(first, FIRST_LOOK), b"\"zarr_format\"") {
            FileKind::Orbax
        } else {
            FileKind::Json
        }
    } else if kernels::is_table(first) {
        FileKind::Kernels
    } else if is_text(first) {
        FileKind::Text
    } else {
        FileKind::Unknown
    }
}

/// Distinguishes XML by its first element.
fn xml(first: &[u8]) -> FileKind {
    let first = beginning(first, FIRST_LOOK).to_ascii_lowercase();
    if contains(&first, b"<net ") && contains(&first, b"<layers") {
        FileKind::OpenVino
    } else if contains(&first, b"<html") || contains(&first, b"<!doctype html") {
        FileKind::Html
    } else {
        FileKind::Xml
    }
}

/// Whether bytes are UTF-8 text, whose last character may be cut off, without control characters of other than text.
fn is_text(first: &[u8]) -> bool {
    let text = match std::str::from_utf8(first) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            let (valid, _) = first.split_at(error.valid_up_to());
            std::str::from_utf8(valid).unwrap_or_default()
        }
        Err(_) => return false,
    };
    let is_strange = |c: char| c.is_control() && !c.is_whitespace();
    !text.is_empty() && !text.contains(is_strange)
}

/// Whether JSON can continue like this after an opening bracket: with a value, a name or a closing bracket.
fn opens_json(rest: &[u8]) -> bool {
    matches!(
        rest.trim_ascii_start(),
        [
            b'"' | b'{' | b'[' | b'}' | b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n',
            ..
        ]
    )
}

/// Whether a file begins with a plausible header length and an opening brace.
fn looks_like_safetensors(first: &[u8]) -> bool {
    let lengths = 2..=LONGEST_SAFETENSORS_HEADER;
    safetensors_length(first).is_some_and(|length| lengths.contains(&length))
        && first.get(8) == Some(&b'{')
}

/// Whether a file begins like one whose header is longer than the format allows, up to 1 TiB. Text with a brace at this
/// position would state a greater length.
fn has_long_header(first: &[u8]) -> bool {
    let lengths = LONGEST_SAFETENSORS_HEADER + 1..=1 << 40;
    safetensors_length(first).is_some_and(|length| lengths.contains(&length))
        && first.get(8) == Some(&b'{')
}

/// The header length at the beginning of a safetensors file.
pub(super) fn safetensors_length(first: &[u8]) -> Option<u64> {
    first
        .first_chunk()
        .map(|length| u64::from_le_bytes(*length))
}
