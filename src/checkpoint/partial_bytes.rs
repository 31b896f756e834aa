//! The bytes of a file that have been read so far, for parsers that request more instead of waiting.
//!
//! The list of a file's tensors may lie at its beginning, at its end, or scattered. A parser is a plain function of the
//! bytes read so far. If it needs others, it stops and returns their ranges; they are read together, and the parser
//! runs again. So no parser is asynchronous, each is tested on bytes alone, and one loop in `formats.rs` reads for all
//! of them.

use std::ops::Range;

use super::error::CheckpointError;

/// Why a parser stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// These ranges have to be read first.
    Need(Vec<Range<u64>>),
    /// The bytes passed to the parser end in the middle of a value.
    Ends,
    /// The file is invalid.
    Error(CheckpointError),
}

impl From<CheckpointError> for Stop {
    fn from(error: CheckpointError) -> Self {
        Self::Error(error)
    }
}

impl Stop {
    /// The error for a part of the file that violates its format.
    pub(super) fn malformed(part: &'static str, reason: impl Into<String>) -> Self {
        Self::Error(CheckpointError::Malformed {
            part,
            reason: reason.into(),
        })
    }
}

/// The pieces of a file that have been read.
pub(super) struct KnownBytes {
    /// Size of the whole file in bytes.
    pub(super) size: u64,
    /// Pieces with their positions, sorted by position and with distinct positions.
    pieces: Vec<(u64, Vec<u8>)>,
}

impl KnownBytes {
    /// Starts with the first bytes of a file of `size` bytes.
    pub(super) fn new(size: u64, first: Vec<u8>) -> Self {
        Self {
            size,
            pieces: vec![(0, first)],
        }
    }

    /// The first contiguous piece of the file.
    pub(super) fn first(&self) -> &[u8] {
        self.pieces.first().map_or(&[], |(_, bytes)| bytes)
    }

    /// Returns the bytes of a range.
    ///
    /// # Errors
    /// [`Stop::Need`] if they have to be read first, [`Stop::Ends`] if the range leaves the file.
    pub(super) fn get(&self, range: Range<u64>) -> Result<&[u8], Stop> {
        if range.start > range.end || range.end > self.size {
            return Err(Stop::Ends);
        }
        self.peek(&range)
            .ok_or_else(|| Stop::Need(vec![range.clone()]))
    }

    /// Returns the bytes of a range if they have been read.
    pub(super) fn peek(&self, range: &Range<u64>) -> Option<&[u8]> {
        let (begin, bytes) = self.pieces.get(self.piece(range.start)?)?;
        let from = usize::try_from(range.start - begin).ok()?;
        let to = usize::try_from(range.end.checked_sub(*begin)?).ok()?;
        bytes.get(from..to)
    }

    /// Runs a parser on the beginning of the file. If it needs more bytes, requests four times as many.
    ///
    /// # Errors
    /// As the parser, and if it needs more than `limit` bytes or than the file has.
    pub(super) fn parse_growing<T>(
        &self,
        limit: u64,
        parse: impl FnOnce(&[u8]) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let first = self.first();
        match parse(first) {
            Err(Stop::Ends) => {
                let known = first.len() as u64;
                let target = known.saturating_mul(4).min(limit).min(self.size);
                if target > known {
                    let more = 0..target;
                    Err(Stop::Need(vec![more]))
                } else if known < self.size {
                    let reason = format!("it is longer than {} MiB", limit.div_ceil(1 << 20));
                    Err(Stop::malformed("list of tensors", reason))
                } else {
                    Err(Stop::Ends)
                }
            }
            result => result,
        }
    }

    /// The part of `range` that has to be read: everything after the piece that contains its start.
    pub(super) fn missing_range(&self, range: &Range<u64>) -> Range<u64> {
        let known = self
            .piece(range.start)
            .map_or(0, |at| self.pieces[at].0 + self.pieces[at].1.len() as u64);
        range.start.max(known.min(range.end))..range.end
    }

    /// Adds bytes read at `begin`.
    pub(super) fn add(&mut self, begin: u64, bytes: Vec<u8>) {
        match self.piece(begin) {
            Some(at) if self.pieces[at].0 + self.pieces[at].1.len() as u64 == begin => {
                self.pieces[at].1.extend(bytes);
            }
            at => self
                .pieces
                .insert(at.map_or(0, |at| at + 1), (begin, bytes)),
        }
    }

    /// Index of the last piece that begins at `position` or before.
    fn piece(&self, position: u64) -> Option<usize> {
        self.pieces
            .partition_point(|(begin, _)| *begin <= position)
            .checked_sub(1)
    }
}

/// Reads through bytes from the beginning; numbers are little-endian.
#[derive(Clone)]
pub(super) struct ByteReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> ByteReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Number of bytes read so far.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// Reads the next `length` bytes. Allocates nothing, so an excessive length is harmless.
    pub(super) fn take(&mut self, length: u64) -> Result<&'a [u8], Stop> {
        let rest = &self.bytes[self.at..];
        let bytes = usize::try_from(length)
            .ok()
            .and_then(|length| rest.get(..length));
        let bytes = bytes.ok_or(Stop::Ends)?;
        self.at += bytes.len();
        Ok(bytes)
    }

    /// Reads up to the next line feed and skips it.
    pub(super) fn line(&mut self) -> Result<&'a [u8], Stop> {
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .position(|byte| *byte == b'\n')
            .ok_or(Stop::Ends)?;
        self.at += length + 1;
        Ok(&rest[..length])
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let bytes = self.take(N as u64)?;
        bytes.try_into().or(Err(Stop::Ends))
    }

    pub(super) fn u8(&mut self) -> Result<u8, Stop> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Stop> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Stop> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Stop> {
        self.array().map(u64::from_le_bytes)
    }
}
