//! Recognises the kind of a file by its first bytes, not by its name, so that error messages name the actual kind.

use super::{file_kind::FileKind, kernels};

/// Maximum header length of safetensors that the reference implementation accepts.
pub(super) const LONGEST_SAFETENSORS_HEADER: u64 = 100_000_000;

/// Recognises a file by its first bytes; 512 are enough.
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
        [0x89, b'H', b'D', b'F', ..] => FileKind::Hdf5,
        [0x1f, 0x8b, ..] => FileKind::Gzip,
        [0x80, 2..=5, ..] => FileKind::Pickle,
        // The parser reports that the header is too long.
        _ if has_long_header(first) => FileKind::Safetensors,
        _ => text(first),
    }
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
    } else if starts("<!doctype html") || starts("<html") || starts("<head") || starts("<?xml") {
        FileKind::Html
    } else if matches!(first, [b'{' | b'[', rest @ ..] if opens_json(rest)) {
        if kernels::is_json(first) {
            FileKind::Kernels
        } else {
            FileKind::Json
        }
    } else if kernels::is_table(first) {
        FileKind::Kernels
    } else {
        FileKind::Unknown
    }
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
