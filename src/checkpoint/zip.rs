//! The directory of a zip archive, read without its files: `PyTorch` and `NumPy` keep tensors in one.
//!
//! Only the last 64 KiB and the directory itself are read. The directory tells where each entry's header is
//! but not how long that is, so that an entry's data can only be found by looking at it; see [`begin`] for
//! the many that need no look. Entries may not overlap, which is what makes archives explode.
//!
//! Written here because the `rawzip` crate, the smallest there is, reads synchronously and takes 8.5 KB of
//! compressed wasm, several times what these records need, and inflating with `miniz_oxide` 9 KB where
//! `zune-inflate` takes 5.4.

use std::ops::Range;

use zune_inflate::{DeflateDecoder, DeflateOptions};

use super::{
    error::{CheckpointError, Name},
    partial_bytes::{ByteReader, KnownBytes, Stop},
};

/// Where the end of the directory is looked for.
const TAIL: u64 = 64 << 10;
/// The longest directory.
const LONGEST_DIRECTORY: u64 = 64 << 20;
/// The most entries: a quarter of a million.
const MOST_ENTRIES: usize = 1 << 18;
/// Bytes of the fixed part of an entry's own header.
const HEADER: u64 = 30;
/// To how many bytes `PyTorch` aligns an entry's data.
const ALIGNMENT: u64 = 64;
/// All that is inflated of one file. The rest of a page's memory is for figures.
const MOST_INFLATED: u64 = 256 << 20;

/// One file of an archive.
#[derive(Clone, Debug)]
pub(super) struct ZipEntry {
    pub(super) name: String,
    /// Where its own header begins.
    header: u64,
    /// Bytes of its name.
    name_length: u64,
    /// Where the next entry begins, or the directory.
    next: u64,
    /// Bytes it takes in the archive.
    stored: u64,
    /// Bytes it has once inflated.
    pub(super) size: u64,
    method: u16,
    flags: u16,
}

/// How an entry's bytes are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Stored,
    Deflated,
}

fn malformed(reason: impl Into<String>) -> Stop {
    Stop::malformed("directory of the archive", reason)
}

/// All entries of an archive.
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

/// An entry ends here or later.
fn least_end(entry: &ZipEntry) -> Option<u64> {
    let data = entry.header.checked_add(HEADER + entry.name_length)?;
    data.checked_add(entry.stored)
}

struct End {
    /// Where the directory is.
    range: Range<u64>,
    /// How many entries it should have, where that is told without limit.
    count: Option<u64>,
}

/// Finds the directory by the record behind it.
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
    // An archive of 4 GiB or more has a longer record before the short one, and a locator that finds it.
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
        _ => Err(malformed("it claims to lie where it cannot")),
    }
}

/// One entry of the directory.
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
        // Some writers pad with fewer bytes than a field has.
        let (Ok(id), Ok(length)) = (extra.u16(), extra.u16()) else {
            break;
        };
        let field = extra.take(length.into())?;
        if id == 1 {
            long = ByteReader::new(field);
        }
    }
    // The long field has, in this order, those numbers for which 32 bits are too few.
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
        stored,
        size,
        method,
        flags,
    })
}

impl ZipEntry {
    /// How its bytes are kept.
    ///
    /// # Errors
    /// When they are encrypted, compressed in another way, or of a size that does not fit.
    pub(super) fn method(&self) -> Result<Method, Stop> {
        if self.flags & 1 != 0 {
            return Err(CheckpointError::Unreadable(
                "This zip archive is encrypted. Unpack it with its password and open what is in it.",
            )
            .into());
        }
        // Deflate cannot make more of a byte than 1032 bytes.
        match self.method {
            0 if self.size == self.stored => Ok(Method::Stored),
            8 if self.size / 1032 <= self.stored => Ok(Method::Deflated),
            0 | 8 => Err(malformed(format!(
                "entry {} claims {} bytes, which {} cannot give",
                Name(&self.name),
                self.size,
                self.stored
            ))),
            _ => Err(CheckpointError::Unreadable(
                "This zip archive is compressed in a way that is not read here. Unpack it and open what is \
                 in it.",
            )
            .into()),
        }
    }

    /// Where its data lies in the archive, compressed or not.
    ///
    /// `PyTorch` fills the header of every entry so that its data begins at a multiple of 64; and what
    /// follows the data, at most a descriptor of 16 or 24 bytes, ends where the next entry begins. Where
    /// one place agrees with both, the header need not be read: a file of a thousand tensors opens with two
    /// or three reads.
    pub(super) fn data(&self, known: &KnownBytes) -> Result<Range<u64>, Stop> {
        let header = self.header..self.header + HEADER;
        let begin = match (known.peek(&header), self.aligned()) {
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
        // No overflow: the entry was held against what follows it.
        let end = begin + self.stored;
        if end > self.next {
            return Err(malformed(format!(
                "entry {} reaches into what follows it",
                Name(&self.name)
            )));
        }
        Ok(begin..end)
    }

    fn aligned(&self) -> Option<u64> {
        let descriptors: &[u64] = if self.flags & 8 == 0 { &[0] } else { &[16, 24] };
        let front = self.header + HEADER + self.name_length;
        let begins = descriptors
            .iter()
            .filter_map(|descriptor| self.next.checked_sub(self.stored + descriptor));
        begins
            .filter(|begin| begin % ALIGNMENT == 0)
            // Four bytes of the field that fills, at most 28 of long numbers, and the filling.
            .find(|begin| {
                begin
                    .checked_sub(front)
                    .is_some_and(|extra| (4..32 + ALIGNMENT).contains(&extra))
            })
    }
}

/// Where the contents of entries can be read: deflated ones are inflated and held.
pub(super) struct Contents<'a> {
    known: &'a KnownBytes,
    /// What has to be read before the others can be placed.
    needs: Vec<Range<u64>>,
    held: Vec<u8>,
    /// How much more may be inflated.
    left: u64,
}

impl<'a> Contents<'a> {
    pub(super) fn new(known: &'a KnownBytes) -> Self {
        Self {
            known,
            needs: Vec::new(),
            held: Vec::new(),
            left: MOST_INFLATED,
        }
    }

    /// Where an entry's contents are: in the file, or among the held bytes, which count from its end.
    /// Nothing, while something has to be read first; all such are asked for together, by [`Self::held`].
    pub(super) fn place(&mut self, entry: &ZipEntry) -> Result<Option<Range<u64>>, Stop> {
        let Some(data) = self.or_ask(entry.data(self.known))? else {
            return Ok(None);
        };
        if entry.method()? == Method::Stored {
            return Ok(Some(data));
        }
        let left = self.left.checked_sub(entry.size.max(entry.stored));
        self.left = left.ok_or(CheckpointError::Unreadable(
            "This archive is compressed, and what is in it takes more than 256 MiB, which a page should not \
             hold. Unpack it and open what is in it, or save it uncompressed.",
        ))?;
        let Some(bytes) = self.or_ask(self.known.get(data))? else {
            return Ok(None);
        };
        if !self.needs.is_empty() {
            // It will be run again.
            return Ok(None);
        }
        let begin = self.known.size + self.held.len() as u64;
        self.held.extend(inflate(entry, bytes)?);
        Ok(Some(begin..begin + entry.size))
    }

    /// Bytes of placed contents, from the file or the held ones.
    pub(super) fn bytes(&mut self, range: Range<u64>) -> Result<Option<&[u8]>, Stop> {
        let size = self.known.size;
        if range.start >= size {
            let held = (range.start - size) as usize..(range.end - size) as usize;
            return self.held.get(held).map(Some).ok_or(Stop::Ends);
        }
        match self.known.get(range) {
            Err(Stop::Need(ranges)) => {
                self.needs.extend(ranges);
                Ok(None)
            }
            known => known.map(Some),
        }
    }

    /// What is held, once everything was placed.
    pub(super) fn held(self) -> Result<Vec<u8>, Stop> {
        if self.needs.is_empty() {
            Ok(self.held)
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

/// What a deflated entry holds.
fn inflate(entry: &ZipEntry, bytes: &[u8]) -> Result<Vec<u8>, Stop> {
    // The caller has held the size against what may be inflated.
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
