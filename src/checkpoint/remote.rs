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
    opened: OnceCell<FirstAnswer>,
    opening: Mutex<()>,
    /// URL that redirects led to.
    direct: RefCell<Option<String>>,
    /// Ranges that were requested and have not arrived.
    coming: RefCell<Vec<OnItsWay>>,
}

impl<F: Fetch> RemoteSource<F> {
    /// Creates a source that sends its first request on the first read.
    pub fn lazy(network: &Rc<Network<F>>, url: &str, whole_allowed: bool) -> Self {
        Self {
            network: Rc::clone(network),
            url: url.to_owned(),
            whole_allowed,
            opened: OnceCell::new(),
            opening: Mutex::default(),
            direct: RefCell::default(),
            coming: RefCell::default(),
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
        source.opened().await?;
        Ok(source)
    }

    async fn opened(&self) -> Result<&FirstAnswer, RemoteError> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let _alone = self.opening.lock().await;
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let opened = self.persist(async |url| self.ask_first(url).await).await?;
        Ok(self.opened.get_or_init(|| opened))
    }

    /// Retries once if the error may be temporary, or if the URL that redirects led to has expired.
    async fn persist<T>(
        &self,
        ask: impl AsyncFn(&str) -> Result<T, RemoteError>,
    ) -> Result<T, RemoteError> {
        let direct = self.direct.borrow().clone();
        let error = match ask(direct.as_deref().unwrap_or(&self.url)).await {
            Err(error) => error,
            done => return done,
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
        let sent = SentRange::from_response(&response);
        let (size, first) = match response.status() {
            206 => self.first_range(url, response, sent).await?,
            200 => return self.whole(response, version).await,
            // An empty file has no first byte to send.
            416 if sent.is_none_or(|sent| sent.size == Some(0)) => (0, Vec::new()),
            _ => return Err(refusal(&response)),
        };
        // `Last-Modified` has a resolution of seconds, too coarse to identify bytes cached by an earlier source.
        let etag = version.etag.as_ref();
        let named = etag.map(|etag| format!("{} {size} {etag}", self.url));
        let file = self.network.cache.file(named);
        self.network.cache.keep(file, 0, &first);
        *self.direct.borrow_mut() = direct;
        Ok(FirstAnswer {
            size,
            version,
            held: HeldBytes::Ranges(file),
        })
    }

    /// Returns the size of the file and its first bytes.
    async fn first_range(
        &self,
        url: &str,
        response: F::Response,
        sent: Option<SentRange>,
    ) -> Result<(u64, Vec<u8>), RemoteError> {
        let size = sent.as_ref().and_then(|sent| sent.size);
        let range = 0..size.map_or(FIRST_READ, |size| size.min(FIRST_READ));
        if let Some(SentRange {
            range: given,
            size: Some(size),
        }) = &sent
            && given.end > *size
        {
            return Err(RemoteError::Contradiction {
                given: given.clone(),
                size: *size,
            });
        }
        if let Some(SentRange { range: given, size }) = sent
            && (given.start != 0 || (size.is_some() && given.end != range.end))
        {
            return Err(RemoteError::WrongRange { range, given });
        }
        let first = response.body(range.end + 1).await?;
        let received = first.len() as u64;
        if received > range.end || (size.is_some() && received < range.end) {
            return Err(RemoteError::Length { range, received });
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
            held: HeldBytes::Whole(bytes),
        })
    }

    async fn ask(
        &self,
        url: &str,
        range: Range<u64>,
        opened: &FirstAnswer,
    ) -> Result<Vec<u8>, RemoteError> {
        let response = self.network.fetch.get(url, Some(range.clone())).await?;
        let status = response.status();
        let another = Version::from_response(&response).differs(&opened.version);
        match status {
            206 | 200 if another => return Err(RemoteError::Changed),
            206 => {}
            200 => {
                return Err(RemoteError::RangeIgnored {
                    size: Some(opened.size),
                });
            }
            // The file was long enough when it was opened.
            416 => return Err(RemoteError::Changed),
            _ => return Err(refusal(&response)),
        }
        if let Some(SentRange { range: given, size }) = SentRange::from_response(&response) {
            if let Some(size) = size.filter(|size| *size != opened.size) {
                return Err(RemoteError::Resized {
                    before: opened.size,
                    now: size,
                });
            }
            if given != range {
                return Err(RemoteError::WrongRange { range, given });
            }
        }
        let requested = range.end - range.start;
        let bytes = response.body(requested + 1).await?;
        match bytes.len() as u64 {
            received if received != requested => Err(RemoteError::Length { range, received }),
            _ => Ok(bytes),
        }
    }

    async fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, RemoteError> {
        let opened = self.opened().await?;
        let size = opened.size;
        if range.start > range.end || range.end > size {
            return Err(RemoteError::Outside { range, size });
        }
        if range.end - range.start > LARGEST_READ {
            return Err(RemoteError::TooLarge {
                limit: LARGEST_READ,
            });
        }
        let file = match &opened.held {
            HeldBytes::Ranges(file) => *file,
            // The whole file is in memory, so both ends fit in a `usize`.
            HeldBytes::Whole(bytes) => {
                return Ok(bytes[range.start as usize..range.end as usize].to_vec());
            }
        };
        let cache = &self.network.cache;
        loop {
            let mut known = cache.look_up(file, &range);
            let missing = known.missing;
            if missing.is_empty() {
                known.before.append(&mut known.after);
                return Ok(known.before);
            }
            if let Some(other) = self.overlapping(&missing) {
                // Whether that request succeeds or fails, look in the cache again.
                other.lock().await;
                continue;
            }
            let coming = Coming::new(self, missing.clone());
            let ask = async |url: &str| self.ask(url, missing.clone(), opened).await;
            let mut bytes = self.persist(ask).await?;
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
    fn overlapping(&self, range: &Range<u64>) -> Option<Arc<Mutex<()>>> {
        let coming = self.coming.borrow();
        let overlaps = |other: &Range<u64>| other.start < range.end && range.start < other.end;
        let (_, until) = coming.iter().find(|(other, _)| overlaps(other))?;
        Some(Arc::clone(until))
    }
}

impl<F: Fetch> ByteSource for RemoteSource<F> {
    async fn ready(&self) -> Result<(), SourceError> {
        self.opened().await.map_err(RemoteFailure::from)?;
        Ok(())
    }

    fn size(&self) -> u64 {
        self.opened.get().map_or(0, |opened| opened.size)
    }

    async fn read(&self, range: Range<u64>) -> Result<Vec<u8>, SourceError> {
        Ok(self.bytes(range).await.map_err(RemoteFailure::from)?)
    }

    /// True, unless the server has sent the whole file.
    fn is_remote(&self) -> bool {
        let opened = self.opened.get();
        opened.is_none_or(|opened| matches!(opened.held, HeldBytes::Ranges(_)))
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
type OnItsWay = (Range<u64>, Arc<Mutex<()>>);

/// The properties that the first response states.
#[derive(Debug)]
struct FirstAnswer {
    size: u64,
    version: Version,
    held: HeldBytes,
}

#[derive(Debug)]
enum HeldBytes {
    /// Ranges of the file, in the cache.
    Ranges(FileNumber),
    /// The whole file, because the server does not send ranges.
    Whole(Vec<u8>),
}

/// Marks a range as requested while this value lives. The future that reads it may be dropped at any time.
struct Coming<'a, F> {
    source: &'a RemoteSource<F>,
    until: Arc<Mutex<()>>,
    _held: Option<OwnedMutexGuard<()>>,
}

impl<'a, F> Coming<'a, F> {
    fn new(source: &'a RemoteSource<F>, range: Range<u64>) -> Self {
        let until = Arc::new(Mutex::new(()));
        let held = until.try_lock_owned();
        let entry = (range, Arc::clone(&until));
        source.coming.borrow_mut().push(entry);
        Self {
            source,
            until,
            _held: held,
        }
    }
}

impl<F> Drop for Coming<'_, F> {
    fn drop(&mut self) {
        let mut coming = self.source.coming.borrow_mut();
        coming.retain(|(_, until)| !Arc::ptr_eq(until, &self.until));
    }
}
