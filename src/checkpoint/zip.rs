//! Reads the directory of a zip archive without its files. `PyTorch` and `NumPy` store tensors in such archives.
//!
//! Only the last 64 KiB and the directory itself are read. The directory states where each entry's header is but not
//! how long it is, so an entry's data is usually found by reading its header; [`ZipEntry::data`] avoids that for most
//! entries. Overlapping entries are rejected, because they make zip bombs.
//!
//! Written here because the `rawzip` crate, the smallest one, reads synchronously and takes 8.5 KB of compressed wasm,
//! several times what these records need. `zune-inflate` takes 5.4 KB, `miniz_oxide` 9 KB.

use std::{borrow::Cow, ops::Range};

use zune_inflate::{DeflateDecoder, DeflateOptions};

use super::{
    error::{CheckpointError, Name},
    partial_bytes::{ByteReader, KnownBytes, Stop},
};

/// Number of bytes at the end of the file that are searched for the end-of-directory record.
const TAIL: u64 = 64 << 10;
/// Maximum size of the directory in bytes.
const LONGEST_DIRECTORY: u64 = 64 << 20;
/// Maximum number of entries, a quarter of a million.
const MOST_ENTRIES: usize = 1 << 18;
/// Size of the fixed part of an entry's local header.
const HEADER: u64 = 30;
/// Alignment of an entry's data in `PyTorch` archives, in bytes.
const ALIGNMENT: u64 = 64;
/// Maximum number of bytes inflated per file. Figures need the rest of the page's memory.
const MOST_INFLATED: u64 = 256 << 20;

/// One file of an archive.
#[derive(Clone, Debug)]
pub(super) struct ZipEntry {
    pub(super) name: String,
    /// Position of its local header.
    header: u64,
    /// Length of its name in bytes.
    name_length: u64,
    /// Position of the next entry or of the directory.
    next: u64,
    /// Bytes it takes in the archive.
    stored_bytes: u64,
    /// Bytes it has after inflating.
    pub(super) size: u64,
    method: u16,
    flags: u16,
}

/// Compression method of an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Stored,
    Deflated,
}

fn malformed(reason: impl Into<String>) -> Stop {
    Stop::malformed("directory of the archive", reason)
}

/// Reads all entries of an archive.
pub(super) fn directory(known: &KnownBytes) -> Result<Vec<ZipEntry>, Stop> {
    let End { range, count } = end(known)?;
    let mut cursor = ByteReader::new(known.get(range.clone())?);
    let mut entries = Vec::new();
    while !cursor.is_at_end() {
        if entries.len() == MOST_ENTRIES {
            return Err(malformed("it lists more than 262144 entries"));
        }
        entries.push(entry(&mut cursor)?);
    }
    if let Some(count) = count
        && count != entries.len() as u64
    {
        let found = entries.len();
        return Err(malformed(format!(
            "it should list {count} entries and lists {found}"
        )));
    }
    let mut next = range.start;
    let mut by_header: Vec<&mut ZipEntry> = entries.iter_mut().collect();
    by_header.sort_by_key(|entry| entry.header);
    for entry in by_header.into_iter().rev() {
        entry.next = next;
        next = entry.header;
        if least_end(entry).is_none_or(|end| end > entry.next) {
            return Err(malformed(format!(
                "entry {} reaches into what follows it",
                Name(&entry.name)
            )));
        }
    }
    Ok(entries)
}

/// The smallest position at which an entry's data can end.
fn least_end(entry: &ZipEntry) -> Option<u64> {
    let data = entry.header.checked_add(HEADER + entry.name_length)?;
    data.checked_add(entry.stored_bytes)
}

struct End {
    /// Range of the directory.
    range: Range<u64>,
    /// Number of entries the directory should have; `None` if the 16-bit count is saturated.
    count: Option<u64>,
}

/// Finds the directory through the record that follows it.
fn end(known: &KnownBytes) -> Result<End, Stop> {
    const RECORD: usize = 22;
    const LOCATOR: u64 = 20;
    let tail = known.size.saturating_sub(TAIL);
    let bytes = known.get(tail..known.size)?;
    let is_record = |at: &usize| {
        let record = &bytes[*at..];
        record.starts_with(b"PK\x05\x06")
            && record.len() - RECORD == usize::from(u16::from_le_bytes([record[20], record[21]]))
    };
    let at = (0..=bytes.len().saturating_sub(RECORD))
        .rev()
        .filter(|at| bytes.len() - at >= RECORD)
        .find(is_record);
    let Some(at) = at else {
        return Err(malformed(
            "it is not at the end of the file, which was probably cut off",
        ));
    };
    let mut record = ByteReader::new(&bytes[at + 4..]);
    let disks = (record.u16()?, record.u16()?);
    let (_, count) = (record.u16()?, record.u16()?);
    let (mut length, mut begin) = (u64::from(record.u32()?), u64::from(record.u32()?));
    let mut end = tail + at as u64;
    let mut one_disk = disks == (0, 0) || disks == (u16::MAX, u16::MAX);
    let mut whole_count = (count != u16::MAX).then_some(u64::from(count));
    // A zip64 archive has a longer record before the short one, and a locator that points to it.
    let locator = end.saturating_sub(LOCATOR)..end;
    if locator.start > 0 && known.get(locator.clone())?.starts_with(b"PK\x06\x07") {
        let mut locator = ByteReader::new(known.get(locator)?);
        locator.take(8)?;
        let at = locator.u64()?;
        let mut record = ByteReader::new(known.get(at..at.checked_add(56).ok_or(Stop::Ends)?)?);
        if record.take(4)? != b"PK\x06\x06" {
            return Err(malformed("its 64-bit record is not where it should be"));
        }
        record.take(12)?;
        one_disk = (record.u32()?, record.u32()?) == (0, 0);
        record.u64()?;
        whole_count = Some(record.u64()?);
        (length, begin) = (record.u64()?, record.u64()?);
        end = at;
    }
    if !one_disk {
        return Err(CheckpointError::Unreadable(
            "This zip archive is cut into several files, which are not read here. Join them and zip the \
             checkpoint again as one.",
        )
        .into());
    }
    if length > LONGEST_DIRECTORY {
        return Err(malformed("it claims to be longer than 64 MiB"));
    }
    match begin.checked_add(length) {
        Some(after) if after <= end => Ok(End {
            range: begin..after,
            count: whole_count,
        }),
        _ => Err(malformed("its stated position is impossible")),
    }
}

/// Reads one entry of the directory.
fn entry(cursor: &mut ByteReader) -> Result<ZipEntry, Stop> {
    if cursor.take(4)? != b"PK\x01\x02" {
        return Err(malformed("an entry does not begin like one"));
    }
    cursor.take(4)?;
    let (flags, method) = (cursor.u16()?, cursor.u16()?);
    cursor.take(8)?;
    let (stored, size) = (cursor.u32()?, cursor.u32()?);
    let (name, extra, comment) = (cursor.u16()?, cursor.u16()?, cursor.u16()?);
    cursor.take(8)?;
    let header = cursor.u32()?;
    let name = cursor.take(name.into())?;
    let mut extra = ByteReader::new(cursor.take(extra.into())?);
    cursor.take(comment.into())?;
    let mut long = ByteReader::new(&[]);
    while !extra.is_at_end() {
        // Some writers pad with fewer bytes than a field needs.
        let (Ok(id), Ok(length)) = (extra.u16(), extra.u16()) else {
            break;
        };
        let field = extra.take(length.into())?;
        if id == 1 {
            long = ByteReader::new(field);
        }
    }
    // The zip64 field holds, in this order, the numbers that do not fit in 32 bits.
    let mut number = |short: u32| match short {
        u32::MAX => long.u64(),
        short => Ok(short.into()),
    };
    let (size, stored, header) = (number(size)?, number(stored)?, number(header)?);
    Ok(ZipEntry {
        name_length: name.len() as u64,
        name: String::from_utf8_lossy(name).into_owned(),
        header,
        next: 0,
        stored_bytes: stored,
        size,
        method,
        flags,
    })
}

impl ZipEntry {
    /// The compression method.
    ///
    /// # Errors
    /// If the entry is encrypted, compressed by another method, or states an impossible size.
    pub(super) fn method(&self) -> Result<Method, Stop> {
        if self.flags & 1 != 0 {
            return Err(CheckpointError::Unreadable(
                "This zip archive is encrypted. Unpack it with its password and open its content.",
            )
            .into());
        }
        // Deflate expands one byte to at most 1032 bytes.
        match self.method {
            0 if self.size == self.stored_bytes => Ok(Method::Stored),
            8 if self.size / 1032 <= self.stored_bytes => Ok(Method::Deflated),
            0 | 8 => Err(malformed(format!(
                "entry {} claims {} bytes, which {} cannot give",
                Name(&self.name),
                self.size,
                self.stored_bytes
            ))),
            _ => Err(CheckpointError::Unreadable(
                "This zip archive is compressed in a way that is not read here. Unpack it and open its content.",
            )
            .into()),
        }
    }

    /// Range of its data in the archive, compressed or not.
    ///
    /// `PyTorch` pads the header of every entry so that its data begins at a multiple of 64. The data is followed by at
    /// most a descriptor of 16 or 24 bytes, which ends where the next entry begins. If one position agrees with both,
    /// the header need not be read, so that a file of a thousand tensors opens with two or three reads.
    pub(super) fn data(&self, known: &KnownBytes) -> Result<Range<u64>, Stop> {
        let header = self.header..self.header + HEADER;
        let begin = match (known.peek(&header), self.aligned_start()) {
            (None, Some(begin)) => begin,
            _ => {
                let mut header = ByteReader::new(known.get(header.clone())?);
                let signature = header.take(4)?;
                header.take(22)?;
                let (name, extra) = (header.u16()?, header.u16()?);
                if signature != b"PK\x03\x04" {
                    return Err(malformed(format!(
                        "entry {} is not where it should be",
                        Name(&self.name)
                    )));
                }
                self.header + HEADER + u64::from(name) + u64::from(extra)
            }
        };
        // This cannot overflow: `directory` has checked the entry's end.
        let end = begin + self.stored_bytes;
        if end > self.next {
            return Err(malformed(format!(
                "entry {} reaches into what follows it",
                Name(&self.name)
            )));
        }
        Ok(begin..end)
    }

    fn aligned_start(&self) -> Option<u64> {
        let descriptors: &[u64] = if self.flags & 8 == 0 { &[0] } else { &[16, 24] };
        let front = self.header + HEADER + self.name_length;
        let begins = descriptors
            .iter()
            .filter_map(|descriptor| self.next.checked_sub(self.stored_bytes + descriptor));
        begins
            .filter(|begin| begin % ALIGNMENT == 0)
            // The header of the padding field takes 4 bytes, zip64 numbers at most 28, then the padding follows.
            .find(|begin| {
                begin
                    .checked_sub(front)
                    .is_some_and(|extra| (4..32 + ALIGNMENT).contains(&extra))
            })
    }
}

/// Locates and reads the contents of entries. Deflated entries are inflated and kept in memory.
pub(super) struct Contents<'a> {
    bytes: &'a KnownBytes,
    /// Ranges that have to be read before the remaining entries can be located.
    needs: Vec<Range<u64>>,
    inflated_bytes: Vec<u8>,
    /// Number of bytes that may still be inflated.
    inflation_limit: u64,
}

impl<'a> Contents<'a> {
    pub(super) fn new(known: &'a KnownBytes) -> Self {
        Self {
            bytes: known,
            needs: Vec::new(),
            inflated_bytes: Vec::new(),
            inflation_limit: MOST_INFLATED,
        }
    }

    /// Range of an entry's contents: in the file, or in the inflated bytes, which are numbered from its end on. `None`
    /// if something has to be read first; [`Self::held`] then requests all such ranges together.
    pub(super) fn place(&mut self, entry: &ZipEntry) -> Result<Option<Range<u64>>, Stop> {
        let Some(data) = self.or_ask(entry.data(self.bytes))? else {
            return Ok(None);
        };
        if entry.method()? == Method::Stored {
            return Ok(Some(data));
        }
        let left = self
            .inflation_limit
            .checked_sub(entry.size.max(entry.stored_bytes));
        self.inflation_limit = left.ok_or(CheckpointError::Unreadable(
            "This archive is compressed, and its content takes more than 256 MiB, more than a page should keep in memory. Unpack it and open its content, or save it uncompressed.",
        ))?;
        let Some(bytes) = self.or_ask(self.bytes.get(data))? else {
            return Ok(None);
        };
        if !self.needs.is_empty() {
            // The parser will run again.
            return Ok(None);
        }
        let begin = self.bytes.size + self.inflated_bytes.len() as u64;
        self.inflated_bytes.extend(inflate(entry, bytes)?);
        Ok(Some(begin..begin + entry.size))
    }

    /// Bytes of located contents: borrowed from the file, or a copy of inflated bytes.
    pub(super) fn bytes(&mut self, range: Range<u64>) -> Result<Option<Cow<'a, [u8]>>, Stop> {
        let size = self.bytes.size;
        if range.start >= size {
            let unpacked_range = (range.start - size) as usize..(range.end - size) as usize;
            let bytes = self.inflated_bytes.get(unpacked_range).ok_or(Stop::Ends)?;
            return Ok(Some(Cow::Owned(bytes.to_vec())));
        }
        let bytes = self.bytes.get(range);
        self.or_ask(bytes.map(Cow::Borrowed))
    }

    /// Returns the inflated bytes. If ranges have to be read first, requests them.
    pub(super) fn inflated_bytes(self) -> Result<Vec<u8>, Stop> {
        if self.needs.is_empty() {
            Ok(self.inflated_bytes)
        } else {
            Err(Stop::Need(self.needs))
        }
    }

    fn or_ask<T>(&mut self, outcome: Result<T, Stop>) -> Result<Option<T>, Stop> {
        match outcome {
            Err(Stop::Need(ranges)) => {
                self.needs.extend(ranges);
                Ok(None)
            }
            outcome => outcome.map(Some),
        }
    }
}

/// Inflates an entry.
fn inflate(entry: &ZipEntry, bytes: &[u8]) -> Result<Vec<u8>, Stop> {
    // The caller has checked the size against the limit.
    let size = usize::try_from(entry.size).or(Err(Stop::Ends))?;
    let options = DeflateOptions::default()
        .set_limit(size)
        .set_size_hint(size);
    let inflated = DeflateDecoder::new_with_options(bytes, options).decode_deflate();
    match inflated {
        Ok(inflated) if inflated.len() == size => Ok(inflated),
        _ => Err(malformed(format!(
            "entry {} does not inflate to the {size} bytes it claims",
            Name(&entry.name)
        ))),
    }
}
