//! Storage of ranges of remote files that outlasts the page.

use futures_util::future::LocalBoxFuture;
use std::{cell::Cell, fmt, ops::Range, rc::Rc};

/// A version of a remote file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// Address of the file.
    pub url: String,
    /// Size and entity tag of the version.
    pub version: String,
}

/// Path of the addresses under which ranges are stored.
const PATH: &str = "stored-range";

impl StoredFile {
    /// Name of the browser's cache in which ranges are stored.
    pub const CACHE: &str = "diagonal models";

    /// Address under which a range of the file is stored, relative to the page.
    #[must_use]
    pub fn address(&self, range: &Range<u64>) -> String {
        let mut query = form_urlencoded::Serializer::new(format!("{PATH}?"));
        query.append_pair("url", &self.url);
        query.append_pair("version", &self.version);
        query.append_pair("begin", &range.start.to_string());
        query.append_pair("end", &range.end.to_string());
        query.finish()
    }

    /// The file and the range that are stored under an absolute or relative address; `None` for any other address.
    #[must_use]
    pub fn from_address(address: &str) -> Option<(Self, Range<u64>)> {
        let (path, query) = address.split_once('?')?;
        if path.rsplit('/').next() != Some(PATH) {
            return None;
        }
        let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
        let value = |key: &str| {
            pairs
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value)
        };
        let range = value("begin")?.parse().ok()?..value("end")?.parse().ok()?;
        let file = Self {
            url: value("url")?.to_string(),
            version: value("version")?.to_string(),
        };
        (range.start < range.end).then_some((file, range))
    }
}

/// The storage refuses more bytes, for example because its quota is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreFull;

/// Storage of ranges of remote files, such as a browser's private storage.
pub trait RangeStore {
    /// The bytes of exactly this range, if they are stored.
    fn read<'a>(
        &'a self,
        file: &'a StoredFile,
        range: Range<u64>,
    ) -> LocalBoxFuture<'a, Option<Vec<u8>>>;

    /// Stores the bytes of a range that begins at `begin`.
    ///
    /// # Errors
    /// If the storage refuses them; other ranges stay stored.
    fn write<'a>(
        &'a self,
        file: &'a StoredFile,
        begin: u64,
        bytes: &'a [u8],
    ) -> LocalBoxFuture<'a, Result<(), StoreFull>>;
}

/// A storage, and whether ranges that are fetched go into it. Ranges that are stored are always used.
#[derive(Clone, Default)]
pub(super) struct RangeStorage {
    store: Option<Rc<dyn RangeStore>>,
    is_writing: Cell<bool>,
    is_full: Cell<bool>,
}

impl RangeStorage {
    pub(super) fn new(store: Rc<dyn RangeStore>) -> Self {
        Self {
            store: Some(store),
            ..Self::default()
        }
    }

    /// Sets whether ranges that are fetched from now on are stored.
    pub(super) fn set_writing(&self, is_writing: bool) {
        self.is_writing.set(is_writing);
        self.is_full.set(false);
    }

    /// Whether the storage has refused a range since [`Self::set_writing`].
    pub(super) fn is_full(&self) -> bool {
        self.is_full.get()
    }

    /// The bytes of a range, if they are stored.
    pub(super) async fn read(
        &self,
        file: Option<&StoredFile>,
        range: Range<u64>,
    ) -> Option<Vec<u8>> {
        let length = range.end - range.start;
        let bytes = self.store.as_ref()?.read(file?, range).await?;
        (bytes.len() as u64 == length).then_some(bytes)
    }

    /// Stores the bytes of a range, if that is wanted. After a refusal nothing more is written.
    pub(super) async fn write(&self, file: Option<&StoredFile>, begin: u64, bytes: &[u8]) {
        let (Some(store), Some(file)) = (&self.store, file) else {
            return;
        };
        if self.is_writing.get() && !self.is_full.get() {
            let written = store.write(file, begin, bytes).await;
            self.is_full.set(written.is_err());
        }
    }
}

impl fmt::Debug for RangeStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RangeStorage")
            .field("is_there", &self.store.is_some())
            .field("is_writing", &self.is_writing)
            .field("is_full", &self.is_full)
            .finish()
    }
}
