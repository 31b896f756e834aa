//! The bytes of a file that have been read so far, for parsers that ask for more instead of waiting.
//!
//! What lists a file's tensors may lie at its beginning, at its end, or scattered. A parser here is a plain
//! function of the bytes that are known. Where it needs others it stops and says which; they are read, all
//! those of one stop together, and it is run again. So no parser is asynchronous, each is tested on bytes
//! alone, and one loop in `index.rs` reads for all of them.

use std::ops::Range;

use super::error::CheckpointError;

/// Why a parser stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// These bytes have to be read first.
    Need(Vec<Range<u64>>),
    /// The bytes it was given end in the middle of something.
    Ends,
    /// The file is at fault.
    Error(CheckpointError),
}

impl From<CheckpointError> for Stop {
    fn from(error: CheckpointError) -> Self {
        Self::Error(error)
    }
}

impl Stop {
    /// A part of the file that is not what its format prescribes.
    pub(super) fn malformed(part: &'static str, reason: impl Into<String>) -> Self {
        Self::Error(CheckpointError::Malformed {
            part,
            reason: reason.into(),
        })
    }
}

/// Pieces of a file.
pub(super) struct KnownBytes {
    /// Bytes in the whole file.
    pub(super) size: u64,
    /// Each with its position; sorted, none touching another's beginning.
    pieces: Vec<(u64, Vec<u8>)>,
}

impl KnownBytes {
    /// Knows the first bytes of a file of `size` bytes.
    pub(super) fn new(size: u64, first: Vec<u8>) -> Self {
        Self {
            size,
            pieces: vec![(0, first)],
        }
    }

    /// The first bytes, as many as are known in one piece.
    pub(super) fn first(&self) -> &[u8] {
        self.pieces.first().map_or(&[], |(_, bytes)| bytes)
    }

    /// These bytes, which the caller knows to lie within the file.
    ///
    /// # Errors
    /// When they have to be read first, or the file ends before they do.
    pub(super) fn get(&self, range: Range<u64>) -> Result<&[u8], Stop> {
        if range.start > range.end || range.end > self.size {
            return Err(Stop::Ends);
        }
        self.peek(&range)
            .ok_or_else(|| Stop::Need(vec![range.clone()]))
    }

    /// These bytes, if they are known.
    pub(super) fn peek(&self, range: &Range<u64>) -> Option<&[u8]> {
        let (begin, bytes) = self.pieces.get(self.piece(range.start)?)?;
        let from = usize::try_from(range.start - begin).ok()?;
        let to = usize::try_from(range.end.checked_sub(*begin)?).ok()?;
        bytes.get(from..to)
    }

    /// Runs a parser over the beginning of the file, four times as much of it each time it runs out.
    ///
    /// # Errors
    /// As the parser, and when it wants more than `limit` bytes or than there are.
    pub(super) fn growing<T>(
        &self,
        limit: u64,
        parse: impl FnOnce(&[u8]) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let first = self.first();
        match parse(first) {
            Err(Stop::Ends) => {
                let known = first.len() as u64;
                let wanted = known.saturating_mul(4).min(limit).min(self.size);
                if wanted > known {
                    let more = 0..wanted;
                    Err(Stop::Need(vec![more]))
                } else if known < self.size {
                    let reason = format!("it is longer than {} MiB", limit.div_ceil(1 << 20));
                    Err(Stop::malformed("list of tensors", reason))
                } else {
                    Err(Stop::Ends)
                }
            }
            done => done,
        }
    }

    /// What has to be read for `range` to be known: what is missing behind the piece it begins in.
    pub(super) fn missing(&self, range: &Range<u64>) -> Range<u64> {
        let known = self
            .piece(range.start)
            .map_or(0, |at| self.pieces[at].0 + self.pieces[at].1.len() as u64);
        range.start.max(known.min(range.end))..range.end
    }

    /// Adds bytes that were read at `begin`.
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

    /// The last piece that begins at `position` or before.
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

    /// How many bytes have been read.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// The next `length` bytes. Nothing is allocated, whatever the length claims.
    pub(super) fn take(&mut self, length: u64) -> Result<&'a [u8], Stop> {
        let rest = &self.bytes[self.at..];
        let taken = usize::try_from(length)
            .ok()
            .and_then(|length| rest.get(..length));
        let taken = taken.ok_or(Stop::Ends)?;
        self.at += taken.len();
        Ok(taken)
    }

    /// All up to the next line feed, which is passed over.
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
        let taken = self.take(N as u64)?;
        taken.try_into().or(Err(Stop::Ends))
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
