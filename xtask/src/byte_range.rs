//! Ranges of bytes that a request asks for.

use std::ops::Range;

use hyper::header::{HeaderMap, RANGE};

/// A range of bytes of a file, of one or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByteRange {
    first: usize,
    /// The last byte, which the range includes; `None` is that of the file.
    last: Option<usize>,
}

impl ByteRange {
    /// The range of a request. Several ranges, and those counted from the end, are ignored, as a server may.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let range = headers.get(RANGE)?.to_str().ok()?.strip_prefix("bytes=")?;
        let (first, last) = range.split_once('-')?;
        Some(Self {
            first: first.parse().ok()?,
            last: match last {
                "" => None,
                last => Some(last.parse().ok()?),
            },
        })
    }

    /// The bytes within a file of this size; `None` if the file has none of them.
    pub(crate) fn within(self, size: usize) -> Option<Range<usize>> {
        let end = self
            .last
            .map_or(size, |last| last.saturating_add(1))
            .min(size);
        (self.first < end).then_some(self.first..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    #[test]
    fn ranges_lie_within_the_file() {
        let within = |range: &'static str| {
            let headers = HeaderMap::from_iter([(RANGE, HeaderValue::from_static(range))]);
            ByteRange::from_headers(&headers).map(|range| range.within(10))
        };
        assert_eq!(within("bytes=0-3"), Some(Some(0..4)));
        assert_eq!(within("bytes=4-"), Some(Some(4..10)));
        assert_eq!(within("bytes=9-99"), Some(Some(9..10)));
        assert_eq!(within("bytes=10-"), Some(None));
        assert_eq!(within("bytes=5-2"), Some(None));
        for ignored in ["bytes=-5", "bytes=0-1,4-5", "lines=0-1", "bytes=a-b"] {
            assert_eq!(within(ignored), None, "{ignored}");
        }
        assert_eq!(ByteRange::from_headers(&HeaderMap::new()), None);
    }
}
