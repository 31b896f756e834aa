//! Cache of bytes of remote files, shared by all sources. Evicts the least recently used pieces.

use std::{cell::RefCell, ops::Range, rc::Rc};

/// Maximum number of cached bytes: the query and key weights of a BERT-base model, 57 MB, fit.
const LIMIT: usize = 64 << 20;
/// Maximum number of pieces. Each look-up scans all of them, so they must be few.
const MOST_PIECES: usize = 4096;

/// Cached pieces of remote files.
#[derive(Debug, Default)]
pub(super) struct RangeCache {
    /// Versions of the files, by number.
    files: RefCell<Vec<Option<String>>>,
    /// The most recently used piece comes last.
    pieces: RefCell<Vec<CachedPiece>>,
}

struct CachedPiece {
    file: FileNumber,
    begin: u64,
    bytes: Rc<[u8]>,
}

/// Identifies one version of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileNumber(usize);

/// The cached part of a range: bytes at its beginning and at its end. The bytes between them are missing.
#[derive(Debug)]
pub(super) struct CachedRange {
    pub(super) before: Vec<u8>,
    pub(super) missing_range: Range<u64>,
    pub(super) after: Vec<u8>,
}

impl RangeCache {
    /// The number of a file. Two files get the same number if both state the same version. A file without a version
    /// gets a new number.
    pub(super) fn file(&self, version: Option<String>) -> FileNumber {
        let mut files = self.files.borrow_mut();
        let known = files.iter().position(|f| f.is_some() && *f == version);
        FileNumber(known.unwrap_or_else(|| {
            files.push(version);
            files.len() - 1
        }))
    }

    /// Returns the cached bytes of a range, from both of its ends.
    pub(super) fn look_up(&self, file: FileNumber, range: &Range<u64>) -> CachedRange {
        let (mut begin, mut end) = (range.start, range.end);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        while begin < end
            && let Some(piece) = self.take(|p| p.file == file && p.range().contains(&begin))
        {
            let stop = piece.end().min(end);
            before.extend_from_slice(piece.part(begin..stop));
            begin = stop;
        }
        while begin < end
            && let Some(piece) = self.take(|p| p.file == file && p.begin < end && end <= p.end())
        {
            let start = piece.begin.max(begin);
            after.splice(0..0, piece.part(start..end).iter().copied());
            end = start;
        }
        CachedRange {
            before,
            missing_range: begin..end,
            after,
        }
    }

    /// Caches bytes. Ignores a piece larger than half of the cache.
    pub(super) fn keep(&self, file: FileNumber, begin: u64, bytes: &[u8]) {
        if bytes.is_empty() || bytes.len() > LIMIT / 2 {
            return;
        }
        let new = CachedPiece {
            file,
            begin,
            bytes: bytes.into(),
        };
        let mut pieces = self.pieces.borrow_mut();
        pieces.retain(|p| !(p.file == file && begin <= p.begin && p.end() <= new.end()));
        pieces.push(new);
        let mut bytes: usize = pieces.iter().map(|p| p.bytes.len()).sum();
        let mut gone = 0;
        while bytes > LIMIT || pieces.len() - gone > MOST_PIECES {
            bytes -= pieces[gone].bytes.len();
            gone += 1;
        }
        pieces.drain(..gone);
    }

    /// Finds a piece and marks it as used.
    fn take(&self, is_match: impl Fn(&CachedPiece) -> bool) -> Option<CachedPiece> {
        let mut pieces = self.pieces.borrow_mut();
        let at = pieces.iter().rposition(is_match)?;
        pieces[at..].rotate_left(1);
        pieces.last().map(|piece| CachedPiece {
            file: piece.file,
            begin: piece.begin,
            bytes: Rc::clone(&piece.bytes),
        })
    }
}

impl CachedPiece {
    fn end(&self) -> u64 {
        self.begin + self.bytes.len() as u64
    }

    fn range(&self) -> Range<u64> {
        self.begin..self.end()
    }

    /// Bytes of the piece, by their range in the file.
    fn part(&self, range: Range<u64>) -> &[u8] {
        &self.bytes[(range.start - self.begin) as usize..(range.end - self.begin) as usize]
    }
}

impl std::fmt::Debug for CachedPiece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CachedPiece({:?}, {:?})", self.file, self.range())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The range that a read would still fetch. Asserts that the cached ends equal the file's bytes.
    fn missing_range(cache: &RangeCache, file: FileNumber, range: Range<u64>) -> Range<u64> {
        let known = cache.look_up(file, &range);
        let bytes = |range: Range<u64>| range.map(|at| at as u8).collect::<Vec<u8>>();
        assert_eq!(known.before, bytes(range.start..known.missing_range.start));
        assert_eq!(known.after, bytes(known.missing_range.end..range.end));
        known.missing_range
    }

    fn keep(cache: &RangeCache, file: FileNumber, range: Range<u64>) {
        let bytes: Vec<u8> = range.clone().map(|at| at as u8).collect();
        cache.keep(file, range.start, &bytes);
    }

    #[test]
    fn pieces_answer_for_what_they_hold_side_by_side_or_overlapping() {
        let cache = RangeCache::default();
        let file = cache.file(None);
        keep(&cache, file, 10..20);
        keep(&cache, file, 20..30);
        keep(&cache, file, 25..40);
        keep(&cache, file, 60..70);
        assert_eq!(missing_range(&cache, file, 12..38), 38..38);
        assert_eq!(missing_range(&cache, file, 0..40), 0..10);
        assert_eq!(missing_range(&cache, file, 15..65), 40..60);
        assert_eq!(missing_range(&cache, file, 0..80), 0..80);
        // The hole and the pieces in it become one piece.
        keep(&cache, file, 0..80);
        assert_eq!(cache.pieces.borrow().len(), 1);
        assert_eq!(missing_range(&cache, file, 0..80), 80..80);
    }

    #[test]
    fn files_are_told_apart_by_version() {
        let cache = RangeCache::default();
        let first = cache.file(Some("a 1".to_owned()));
        keep(&cache, first, 0..9);
        assert_eq!(cache.file(Some("a 1".to_owned())), first);
        let second = cache.file(Some("a 2".to_owned()));
        assert_eq!(missing_range(&cache, second, 0..9), 0..9);
        assert_ne!(cache.file(None), cache.file(None));
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first_and_the_bound_holds() {
        let cache = RangeCache::default();
        let file = cache.file(None);
        let size = (LIMIT / 4) as u64;
        let begin = |n: u64| n * 2 * size;
        for n in 0..4 {
            cache.keep(file, begin(n), &vec![0; size as usize]);
        }
        let is_cached = |n: u64| {
            let range = begin(n)..begin(n) + 1;
            cache.look_up(file, &range).missing_range.is_empty()
        };
        assert!((0..4).all(is_cached));
        // The first is used again, so the second is the oldest.
        assert!(is_cached(0));
        cache.keep(file, begin(4), &vec![0; size as usize]);
        assert_eq!(
            [0, 1, 2, 3, 4].map(is_cached),
            [true, false, true, true, true]
        );

        cache.keep(file, begin(9), &vec![0; LIMIT / 2 + 1]);
        assert!(!is_cached(9) && is_cached(4));
        for n in 0..2 * MOST_PIECES as u64 {
            cache.keep(file, begin(20) + 2 * n, &[0]);
        }
        assert_eq!(cache.pieces.borrow().len(), MOST_PIECES);
    }
}
