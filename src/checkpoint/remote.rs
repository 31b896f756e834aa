//! A file on a server, read by HTTP range requests, one range per request.
//!
//! The first request fetches the first 64 KiB, which hold most headers, and its response states the size. No request is
//! sent before the first read, so of a checkpoint of thirty shards only the shards that are read are requested.
//! Redirects are resolved once: later ranges are requested from the URL that the first redirect led to, and from the
//! original URL if the other no longer answers.
//!
//! A server must answer with status 206 and exactly the requested bytes, and must expose the size of the file to other
//! origins. The header `Content-Range` states the size if the server exposes it, as the Hub does. If that header is
//! hidden, as at GitHub, the size is the `Content-Length` of a plain request whose body is not read. In that case only
//! the number of bytes in a response can be checked.

use super::{
    byte_source::ByteSource,
    fetch::{Fetch, Response},
    limits::{FIRST_READ, LARGEST_READ},
    network::Network,
    range_cache::FileNumber,
    range_store::StoredFile,
    remote_error::RemoteError,
    remote_failure::RemoteFailure,
    response_headers::{SentRange, Version, length, refusal},
    source_error::SourceError,
};
use futures_util::lock::{Mutex, OwnedMutexGuard};
use std::{
    cell::{OnceCell, RefCell},
    fmt,
    ops::Range,
    rc::Rc,
    sync::Arc,
};

/// A file on a server.
pub struct RemoteSource<F> {
    network: Rc<Network<F>>,
    url: String,
    /// Whether a server that ignores ranges may send the whole file.
    whole_allowed: bool,
    first_answer: OnceCell<FirstAnswer>,
    opening_lock: Mutex<()>,
    /// URL that redirects led to.
    direct: RefCell<Option<String>>,
    /// Ranges that were requested and have not arrived.
    pending_ranges: RefCell<Vec<PendingRange>>,
}

impl<F: Fetch> RemoteSource<F> {
    /// Creates a source that sends its first request on the first read.
    pub fn lazy(network: &Rc<Network<F>>, url: &str, whole_allowed: bool) -> Self {
        Self {
            network: Rc::clone(network),
            url: url.to_owned(),
            whole_allowed,
            first_answer: OnceCell::new(),
            opening_lock: Mutex::default(),
            direct: RefCell::default(),
            pending_ranges: RefCell::default(),
        }
    }

    /// Creates a source and sends the first request.
    ///
    /// # Errors
    /// [`RemoteError::RangeIgnored`] if the server sends only whole files, this one is larger than 64 KiB and
    /// `whole_allowed` is false; the user should then be asked. Other errors if the file cannot be read.
    pub async fn open(
        network: &Rc<Network<F>>,
        url: &str,
        whole_allowed: bool,
    ) -> Result<Self, RemoteError> {
        let source = Self::lazy(network, url, whole_allowed);
        source.first_answer().await?;
        Ok(source)
    }

    async fn first_answer(&self) -> Result<&FirstAnswer, RemoteError> {
        if let Some(first) = self.first_answer.get() {
            return Ok(first);
        }
        let _alone = self.opening_lock.lock().await;
        if let Some(first) = self.first_answer.get() {
            return Ok(first);
        }
        let first = self.persist(async |url| self.ask_first(url).await).await?;
        Ok(self.first_answer.get_or_init(|| first))
    }

    /// Retries once if the error may be temporary, or if the URL that redirects led to has expired.
    async fn persist<T>(
        &self,
        ask: impl AsyncFn(&str) -> Result<T, RemoteError>,
    ) -> Result<T, RemoteError> {
        let direct = self.direct.borrow().clone();
        let error = match ask(direct.as_deref().unwrap_or(&self.url)).await {
            Err(error) => error,
            result => return result,
        };
        let closed = direct.is_some() && matches!(error, RemoteError::Status { .. });
        if !closed && !error.is_passing() {
            return Err(error);
        }
        self.direct.take();
        ask(&self.url).await
    }

    async fn ask_first(&self, url: &str) -> Result<FirstAnswer, RemoteError> {
        let response = self.network.fetch.get(url, Some(0..FIRST_READ)).await?;
        let version = Version::from_response(&response);
        let direct = response.url().filter(|at| at != url);
        let sent_range = SentRange::from_response(&response);
        let (size, first) = match response.status() {
            206 => self.first_range(url, response, sent_range).await?,
            200 => return self.whole(response, version).await,
            // An empty file has no first byte to send.
            416 if sent_range.is_none_or(|range| range.size == Some(0)) => (0, Vec::new()),
            _ => return Err(refusal(&response)),
        };
        // `Last-Modified` has a resolution of seconds, too coarse to identify bytes cached by an earlier source.
        let etag = version.etag.as_ref();
        let named = etag.map(|etag| format!("{} {size} {etag}", self.url));
        let file = self.network.cache.file(named);
        self.network.cache.keep(file, 0, &first);
        let stored_file = etag.map(|etag| StoredFile {
            url: self.url.clone(),
            version: format!("{size} {etag}"),
        });
        *self.direct.borrow_mut() = direct;
        Ok(FirstAnswer {
            size,
            version,
            bytes: FirstBytes::Ranges(file, stored_file),
        })
    }

    /// Returns the size of the file and its first bytes.
    async fn first_range(
        &self,
        url: &str,
        response: F::Response,
        sent_range: Option<SentRange>,
    ) -> Result<(u64, Vec<u8>), RemoteError> {
        let size = sent_range.as_ref().and_then(|range| range.size);
        let range = 0..size.map_or(FIRST_READ, |size| size.min(FIRST_READ));
        if let Some(SentRange {
            range: given,
            size: Some(size),
        }) = &sent_range
            && given.end > *size
        {
            return Err(RemoteError::Contradiction {
                sent_range: given.clone(),
                size: *size,
            });
        }
        if let Some(SentRange { range: given, size }) = sent_range
            && (given.start != 0 || (size.is_some() && given.end != range.end))
        {
            return Err(RemoteError::WrongRange {
                range,
                sent_range: given,
            });
        }
        let first = response.body(range.end + 1).await?;
        let received = first.len() as u64;
        if received > range.end || (size.is_some() && received < range.end) {
            return Err(RemoteError::Length {
                range,
                received_bytes: received,
            });
        }
        let size = match size {
            Some(size) => size,
            // The file ended before the range did.
            None if received < FIRST_READ => received,
            None => self.size_of_whole(url).await?,
        };
        Ok((size, first))
    }

    /// Requests the size of a file whose `Content-Range` is hidden.
    async fn size_of_whole(&self, url: &str) -> Result<u64, RemoteError> {
        let response = self.network.fetch.get(url, None).await?;
        match response.status() {
            200 => length(&response)
                .filter(|&size| size >= FIRST_READ)
                .ok_or(RemoteError::SizeHidden),
            _ => Err(refusal(&response)),
        }
    }

    /// Reads a file whole, if that is allowed or the file is no larger than the first range.
    async fn whole(
        &self,
        response: F::Response,
        version: Version,
    ) -> Result<FirstAnswer, RemoteError> {
        let size = length(&response);
        let limit = if self.whole_allowed {
            LARGEST_READ
        } else {
            FIRST_READ
        };
        let refused = |size| match self.whole_allowed {
            true => RemoteError::TooLarge { limit },
            false => RemoteError::RangeIgnored { size },
        };
        if !size.map_or(self.whole_allowed, |size| size <= limit) {
            return Err(refused(size));
        }
        let bytes = response.body(limit + 1).await?;
        // `Content-Length` is the compressed length, so the body may be longer.
        if bytes.len() as u64 > limit {
            return Err(refused(None));
        }
        Ok(FirstAnswer {
            size: bytes.len() as u64,
            version,
            bytes: FirstBytes::Whole(bytes),
        })
    }

    async fn ask(
        &self,
        url: &str,
        range: Range<u64>,
        first: &FirstAnswer,
    ) -> Result<Vec<u8>, RemoteError> {
        let response = self.network.fetch.get(url, Some(range.clone())).await?;
        let status = response.status();
        let another = Version::from_response(&response).differs(&first.version);
        match status {
            206 | 200 if another => return Err(RemoteError::Changed),
            206 => {}
            200 => {
                return Err(RemoteError::RangeIgnored {
                    size: Some(first.size),
                });
            }
            // The file was long enough when it was opened.
            416 => return Err(RemoteError::Changed),
            _ => return Err(refusal(&response)),
        }
        if let Some(SentRange { range: given, size }) = SentRange::from_response(&response) {
            if let Some(size) = size.filter(|size| *size != first.size) {
                return Err(RemoteError::Resized {
                    before: first.size,
                    now: size,
                });
            }
            if given != range {
                return Err(RemoteError::WrongRange {
                    range,
                    sent_range: given,
                });
            }
        }
        let requested = range.end - range.start;
        let bytes = response.body(requested + 1).await?;
        match bytes.len() as u64 {
            received if received != requested => Err(RemoteError::Length {
                range,
                received_bytes: received,
            }),
            _ => Ok(bytes),
        }
    }

    async fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, RemoteError> {
        let first = self.first_answer().await?;
        let size = first.size;
        if range.start > range.end || range.end > size {
            return Err(RemoteError::Outside { range, size });
        }
        if range.end - range.start > LARGEST_READ {
            return Err(RemoteError::TooLarge {
                limit: LARGEST_READ,
            });
        }
        let (file, stored_file) = match &first.bytes {
            FirstBytes::Ranges(file, stored_file) => (*file, stored_file.as_ref()),
            // The whole file is in memory, so both ends fit in a `usize`.
            FirstBytes::Whole(bytes) => {
                return Ok(bytes[range.start as usize..range.end as usize].to_vec());
            }
        };
        let cache = &self.network.cache;
        loop {
            let mut known = cache.look_up(file, &range);
            let missing = known.missing_range;
            if missing.is_empty() {
                known.before.append(&mut known.after);
                return Ok(known.before);
            }
            if let Some(other) = self.overlapping_request(&missing) {
                // Whether that request succeeds or fails, look in the cache again.
                other.lock().await;
                continue;
            }
            let coming = RangeReservation::new(self, missing.clone());
            let storage = &self.network.storage;
            let mut bytes = match storage.read(stored_file, missing.clone()).await {
                Some(bytes) => bytes,
                None => {
                    let ask = async |url: &str| self.ask(url, missing.clone(), first).await;
                    let bytes = self.persist(ask).await?;
                    storage.write(stored_file, missing.start, &bytes).await;
                    bytes
                }
            };
            cache.keep(file, missing.start, &bytes);
            drop(coming);
            bytes.append(&mut known.after);
            if !known.before.is_empty() {
                bytes.splice(0..0, known.before);
            }
            return Ok(bytes);
        }
    }

    /// A lock to wait for if some of these bytes have already been requested.
    fn overlapping_request(&self, range: &Range<u64>) -> Option<Arc<Mutex<()>>> {
        let coming = self.pending_ranges.borrow();
        let overlaps = |other: &Range<u64>| other.start < range.end && range.start < other.end;
        let (_, until) = coming.iter().find(|(other, _)| overlaps(other))?;
        Some(Arc::clone(until))
    }
}

impl<F: Fetch> ByteSource for RemoteSource<F> {
    async fn ready(&self) -> Result<(), SourceError> {
        self.first_answer().await.map_err(RemoteFailure::from)?;
        Ok(())
    }

    fn size(&self) -> u64 {
        self.first_answer.get().map_or(0, |first| first.size)
    }

    async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        Ok(self.bytes(range).await.map_err(RemoteFailure::from)?)
    }

    /// True, unless the server has sent the whole file.
    fn is_remote(&self) -> bool {
        let first = self.first_answer.get();
        first.is_none_or(|first| matches!(first.bytes, FirstBytes::Ranges(..)))
    }
}

impl<F> fmt::Debug for RemoteSource<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSource")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// A requested range, and a lock that is held until it arrives or the request fails.
type PendingRange = (Range<u64>, Arc<Mutex<()>>);

/// The properties that the first response states.
#[derive(Debug)]
struct FirstAnswer {
    size: u64,
    version: Version,
    bytes: FirstBytes,
}

#[derive(Debug)]
enum FirstBytes {
    /// Ranges of the file, in the cache, and in the storage if the server states the version.
    Ranges(FileNumber, Option<StoredFile>),
    /// The whole file, because the server does not send ranges.
    Whole(Vec<u8>),
}

/// Marks a range as requested while this value lives. The future that reads it may be dropped at any time.
struct RangeReservation<'a, F> {
    source: &'a RemoteSource<F>,
    until: Arc<Mutex<()>>,
    _held: Option<OwnedMutexGuard<()>>,
}

impl<'a, F> RangeReservation<'a, F> {
    fn new(source: &'a RemoteSource<F>, range: Range<u64>) -> Self {
        let until = Arc::new(Mutex::new(()));
        let lock = until.try_lock_owned();
        let entry = (range, Arc::clone(&until));
        source.pending_ranges.borrow_mut().push(entry);
        Self {
            source,
            until,
            _held: lock,
        }
    }
}

impl<F> Drop for RangeReservation<'_, F> {
    fn drop(&mut self) {
        let mut coming = self.source.pending_ranges.borrow_mut();
        coming.retain(|(_, until)| !Arc::ptr_eq(until, &self.until));
    }
}
