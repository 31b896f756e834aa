//! Reads the list of a file's tensors in any supported format.
//!
//! Most files are safetensors. The parsers of the other formats are loaded lazily.

use std::ops::Range;

use super::{
    error::CheckpointError,
    file_kind::FileKind,
    gguf,
    index::Index,
    kernels,
    limits::SMALL_GAP,
    numpy,
    partial_bytes::{KnownBytes, Stop},
    safetensors,
    sniff::describe,
    torch, zip,
};
use crate::lazy::lazy;

/// Maximum number of parser runs, with a read between each two. Formats need three; a prefix that grows fourfold from
/// 64 KiB exceeds 64 MiB after five.
const MOST_ROUNDS: usize = 32;
/// Maximum number of separate reads while tensors are listed.
const MOST_READS: usize = 10_000;

lazy! { in formats;
    /// Runs the parser of a format other than safetensors on the bytes read so far.
    async fn parse_other(known: &KnownBytes) -> Result<Index, Stop> {
        parse(known)
    }
}

/// Lists the tensors of a file of `size` bytes that begins with `first`; `read` reads more of it.
pub(super) async fn list(
    size: u64,
    first: &[u8],
    read: impl AsyncFn(Range<u64>) -> Result<Vec<u8>, CheckpointError>,
) -> Result<Index, CheckpointError> {
    let kind = describe(first);
    // The parser of safetensors also reports the kind of files that hold no tensors.
    let is_other = kind.may_hold_tensors() && kind != FileKind::Safetensors;
    let mut known = KnownBytes::new(size, first.to_vec());
    let mut reads = 0;
    for _ in 0..MOST_ROUNDS {
        let parsed = if is_other {
            let parsed = parse_other(&known).await;
            parsed.map_err(CheckpointError::NotFetched)?
        } else {
            safetensors::read(&known)
        };
        let ranges = match parsed {
            Ok(index) => return Ok(index),
            Err(Stop::Error(error)) => return Err(error),
            Err(Stop::Need(ranges)) => ranges,
            Err(Stop::Ends) => break,
        };
        for range in together(ranges) {
            let range = known.missing_range(&range);
            reads += 1;
            if reads > MOST_READS {
                return Err(CheckpointError::Malformed {
                    part: "archive",
                    reason: "its data are in too many places".to_owned(),
                });
            }
            known.add(range.start, read(range).await?);
        }
    }
    Err(CheckpointError::CutOff { size })
}

/// Runs the parser for the file's format on the bytes read so far.
fn parse(known: &KnownBytes) -> Result<Index, Stop> {
    match describe(known.first()) {
        FileKind::PyTorch | FileKind::Npz | FileKind::Zip => {
            let entries = zip::directory(known)?;
            match torch::pickle_of(&entries) {
                Some(pickle) => torch::archive(known, &entries, pickle),
                None => numpy::archive(known, &entries),
            }
        }
        FileKind::Npy => numpy::array(known),
        FileKind::Gguf => gguf::read(known),
        FileKind::Pickle => torch::legacy(known),
        FileKind::Kernels => kernels::read(known),
        _ => safetensors::read(known),
    }
}

/// Sorts ranges by their start and merges those that lie close together.
fn together(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(SMALL_GAP) => {
                last.end = last.end.max(range.end);
            }
            _ => merged.push(range),
        }
    }
    merged
}
