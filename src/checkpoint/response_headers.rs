//! Headers of responses: version, range and size of a file.

use super::{fetch::Response, remote_error::RemoteError};
use std::ops::Range;

/// Headers by which a server distinguishes versions of a file; either may be absent.
#[derive(Debug)]
pub(super) struct Version {
    pub(super) etag: Option<String>,
    last_modified: Option<String>,
}

impl Version {
    pub(super) fn from_response(response: &impl Response) -> Self {
        Self {
            etag: response.header("etag"),
            last_modified: response.header("last-modified"),
        }
    }

    /// Whether two responses are known to be of different versions. If both have entity tags, these decide: copies of
    /// one file on several machines may differ in `Last-Modified`.
    pub(super) fn differs(&self, other: &Self) -> bool {
        match (&self.etag, &other.etag) {
            (Some(one), Some(another)) => strong(one) != strong(another),
            _ => matches!((&self.last_modified, &other.last_modified),
                (Some(one), Some(another)) if one.trim() != another.trim()),
        }
    }
}

/// The range that a response states it contains.
pub(super) struct SentRange {
    pub(super) range: Range<u64>,
    /// Size of the file; `None` if the server hides it.
    pub(super) size: Option<u64>,
}

impl SentRange {
    /// Parses `Content-Range`, such as "bytes 0-65535/440449768", where either half may be "*" (RFC 9110, 14.4).
    pub(super) fn from_response(response: &impl Response) -> Option<Self> {
        let header = response.header("content-range")?;
        let (range, size) = header.trim().strip_prefix("bytes ")?.split_once('/')?;
        let size = size.trim().parse().ok();
        let range = match range.split_once('-') {
            Some((first, last)) => {
                let last: u64 = last.trim().parse().ok()?;
                first.trim().parse().ok()?..last.checked_add(1)?
            }
            None => 0..0,
        };
        Some(Self { range, size })
    }
}

pub(super) fn length(response: &impl Response) -> Option<u64> {
    response.header("content-length")?.trim().parse().ok()
}

/// The error for a response that is not the requested file.
pub(super) fn refusal(response: &impl Response) -> RemoteError {
    RemoteError::Status {
        status: response.status(),
        code: response.header("x-error-code"),
    }
}

/// An entity tag without the weak mark `W/`, which a proxy may add.
fn strong(etag: &str) -> &str {
    etag.strip_prefix("W/").unwrap_or(etag)
}
