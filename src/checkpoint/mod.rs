//! Reads named tensors from checkpoint files. Independent of the browser, of model families and of encodings.
//!
//! A [`Checkpoint`] is one file or several shards. Opening it reads only the list of its tensors. A tensor is read on
//! demand, whole or by rows, and its numbers are returned as `f32`, row-major. Every position in a file is a `u64`,
//! also on wasm32, because single files exceed 4 GiB. The number of bytes read is counted, so that the page can show
//! it.
//!
//! Formats: safetensors, `PyTorch` (zipped and older), `NumPy`, GGUF, and kernels as JSON or CSV. `formats.rs` tells
//! them apart by content. Each parser is a plain function of the bytes read so far, see `partial_bytes.rs`. Files come
//! from a [`ByteSource`], or are opened on a server by `servers.rs`.
//!
//! This is not a general library of file formats: it does not write, it decodes floats only, and it is more tolerant
//! than the formats are. It allows holes between tensors, any order and any alignment, because many files need it.

mod address;
mod address_error;
mod any_source;
mod boxed_source;
mod byte_source;
mod dtype;
mod error;
mod error_kind;
mod fetch;
mod file_groups;
mod file_kind;
mod formats;
mod gguf;
mod hub;
mod index;
mod kernels;
mod limits;
mod memory_source;
mod network;
mod numpy;
mod partial_bytes;
mod pickle;
mod pickle_globals;
mod pickle_objects;
mod pickle_tensors;
mod range_cache;
mod remote;
mod remote_error;
mod remote_failure;
mod response_headers;
pub mod safetensors;
mod servers;
mod shard_match;
mod shards;
mod sniff;
mod source_error;
mod tensor;
mod tensor_file;
mod torch;
mod weights;
mod weights_in_memory;
mod zip;

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::BTreeMap,
    fmt,
    ops::Range,
    rc::Rc,
};

use futures_util::lock::Mutex;

pub use address::Address;
pub use address_error::AddressError;
pub use any_source::AnySource;
pub use boxed_source::BoxedSource;
pub use byte_source::ByteSource;
pub use dtype::Dtype;
pub use error::CheckpointError;
pub(crate) use error::{Name, ShapeText, Shortened};
pub use error_kind::ErrorKind;
pub use fetch::{Fetch, FetchError, Response};
pub use file_groups::{Bundle, Bundled, FileGroups, LooseShard, group_files};
pub use file_kind::FileKind;
pub use hub::{HUB, HubError, HubModel, HubName};
pub use index::Index;
use limits::{LARGEST_READ, SMALL_GAP};
pub use memory_source::MemorySource;
pub use network::Network;
pub use remote::RemoteSource;
pub use remote_error::RemoteError;
pub use remote_failure::RemoteFailure;
pub use servers::{NoNetwork, OpenRemote, RemoteModel, Servers};
pub use shard_match::ShardFit;
pub use shards::ShardIndex;
pub use sniff::describe;
pub use source_error::SourceError;
pub use tensor::{Order, TensorInfo};
use tensor_file::TensorFile;
pub use weights::Weights;
pub use weights_in_memory::WeightsInMemory;

/// Named tensors in one file or several. The lists of tensors have been read, their numbers have not.
pub struct Checkpoint<S> {
    name: String,
    shards: Vec<Shard<S>>,
    /// Every tensor and the shard it is in, sorted by name.
    names: Vec<(String, u32)>,
}

/// One file of a checkpoint, opened when one of its tensors is read.
struct Shard<S> {
    name: String,
    /// The file; `None` until it is provided.
    source: RefCell<Option<Rc<S>>>,
    file: OnceCell<TensorFile<S>>,
    /// Held while the file is opened, so that two concurrent reads open it once.
    opening: Mutex<()>,
    /// Whether the last file provided for this shard could not be opened.
    refused: Cell<bool>,
}

impl<S> Shard<S> {
    fn new(name: String, source: Option<Rc<S>>) -> Self {
        Self {
            name,
            source: RefCell::new(source),
            file: OnceCell::new(),
            opening: Mutex::default(),
            refused: Cell::new(false),
        }
    }

    /// Whether a file should be provided: none was, or the last one could not be opened.
    fn is_missing(&self) -> bool {
        self.source.borrow().is_none() || self.refused.get()
    }
}

/// Decoders of a tensor's numbers: for the whole tensor, and for some of its rows.
type RowDecoders<T> = (
    fn(&TensorInfo, &[u8]) -> Vec<T>,
    fn(&Dtype, &[u8]) -> Vec<T>,
);

impl<S: ByteSource> Checkpoint<S> {
    /// Opens a checkpoint that is one file, in any supported format. `name` is the name shown to the user.
    ///
    /// # Errors
    /// If the bytes cannot be read, have no supported format, or describe tensors that cannot exist, or if the parser
    /// of the format cannot be loaded.
    pub async fn open(source: S, name: &str) -> Result<Self, CheckpointError> {
        let source = Rc::new(source);
        let file = TensorFile::open(Rc::clone(&source)).await?;
        let names = file.tensors().iter().map(|tensor| (tensor.name.clone(), 0));
        let names = names.collect();
        let shard = Shard {
            file: OnceCell::from(file),
            ..Shard::new(name.to_owned(), Some(source))
        };
        Ok(Self {
            name: name.to_owned(),
            names,
            shards: vec![shard],
        })
    }

    /// Creates a checkpoint from shards. Reads nothing yet; missing shards can be provided later with [`Self::offer`].
    pub fn from_shards(
        index: ShardIndex,
        name: &str,
        sources: impl IntoIterator<Item = (String, S)>,
    ) -> Self {
        let shard = |name| Shard::new(name, None);
        let checkpoint = Self {
            name: name.to_owned(),
            names: index.tensors,
            shards: index.files.into_iter().map(shard).collect(),
        };
        for (name, source) in sources {
            // Ignore files that are not shards of this checkpoint.
            let _ = checkpoint.offer(&name, source);
        }
        checkpoint
    }

    /// Provides a shard that is missing or that could not be opened.
    ///
    /// # Errors
    /// If the checkpoint has no such shard or has already opened it; the error returns the source.
    pub fn offer(&self, name: &str, source: S) -> Result<(), S> {
        let is_match = |shard: &&Shard<S>| shard.name == name && shard.file.get().is_none();
        match self.shards.iter().find(is_match) {
            Some(shard) => {
                *shard.source.borrow_mut() = Some(Rc::new(source));
                shard.refused.set(false);
                Ok(())
            }
            None => Err(source),
        }
    }

    /// Names of the shards that were not provided yet or could not be opened.
    pub fn missing(&self) -> Vec<String> {
        let names = self.shards.iter().filter(|shard| shard.is_missing());
        names.map(|shard| shard.name.clone()).collect()
    }

    /// Name shown to the user.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Total size in bytes of the files provided so far.
    pub fn size(&self) -> u64 {
        let size = |shard: &Shard<S>| shard.source.borrow().as_ref().map_or(0, |s| s.size());
        self.shards.iter().map(size).sum()
    }

    /// Whether reading sends requests to a server.
    pub fn is_remote(&self) -> bool {
        let remote = |shard: &Shard<S>| {
            shard
                .source
                .borrow()
                .as_ref()
                .is_some_and(|s| s.is_remote())
        };
        self.shards.iter().any(remote)
    }

    /// Bytes read so far, headers included. Bytes read twice count twice, unless they lie within the first 64 KiB of a
    /// file.
    pub fn bytes_read(&self) -> u64 {
        self.files().map(TensorFile::bytes_read).sum()
    }

    /// Names of all tensors, sorted. Known before any shard is opened.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(|(name, _)| name.as_str())
    }

    /// Whether the checkpoint has a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.shard_of(name).is_some()
    }

    /// Tensors of the files opened so far. A checkpoint of one file lists all of them.
    pub fn tensors(&self) -> Vec<&TensorInfo> {
        self.files().flat_map(TensorFile::tensors).collect()
    }

    /// The tensor of this name, or `None` if its file has not been opened.
    pub fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        self.shards
            .get(self.shard_of(name)?)?
            .file
            .get()?
            .tensor(name)
    }

    /// The tensor of this name. Opens its file first.
    ///
    /// # Errors
    /// If the checkpoint has no such tensor, or its file is missing or cannot be opened.
    pub async fn locate(&self, name: &str) -> Result<TensorInfo, CheckpointError> {
        let tensor = name.to_owned();
        let Some(at) = self.shard_of(name) else {
            return Err(CheckpointError::NoSuchTensor { tensor });
        };
        let shard = self.shards[at].name.clone();
        let file = self.file(at).await?;
        let info = file.tensor(name).cloned();
        let mut info = info.ok_or(CheckpointError::NotInShard { tensor, shard })?;
        info.file = at as u32;
        Ok(info)
    }

    /// Opens every file provided so far, so that [`Self::tensors`] lists all of their tensors.
    ///
    /// # Errors
    /// If one of them cannot be opened.
    pub async fn open_all(&self) -> Result<(), CheckpointError> {
        for (at, shard) in self.shards.iter().enumerate() {
            let is_present = shard.source.borrow().is_some();
            if is_present {
                self.file(at).await?;
            }
        }
        Ok(())
    }

    /// Metadata that the writer of the file stored in it. Empty for a checkpoint in several shards.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        static NOTHING: BTreeMap<String, String> = BTreeMap::new();
        match self.shards.as_slice() {
            [only] => only.file.get().map_or(&NOTHING, TensorFile::metadata),
            _ => &NOTHING,
        }
    }

    /// Reads a whole tensor.
    ///
    /// # Errors
    /// If it holds no floats, is larger than 512 MiB, or its bytes cannot be read.
    pub async fn read(&self, tensor: &TensorInfo) -> Result<Vec<f32>, CheckpointError> {
        let file = self.checked(tensor).await?;
        let bytes = file.read(tensor, tensor.begin..tensor.end).await?;
        Ok(tensor.numbers(&bytes))
    }

    /// Reads a whole tensor and keeps double precision where the file has it.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub async fn read_exact(&self, tensor: &TensorInfo) -> Result<Vec<f64>, CheckpointError> {
        let file = self.checked(tensor).await?;
        let bytes = file.read(tensor, tensor.begin..tensor.end).await?;
        Ok(tensor.exact_numbers(&bytes))
    }

    /// Reads several tensors. Tensors that lie close together in one file are read in one go.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub async fn read_many(
        &self,
        tensors: &[&TensorInfo],
    ) -> Result<Vec<Vec<f32>>, CheckpointError> {
        let mut order: Vec<usize> = (0..tensors.len()).collect();
        order.sort_by_key(|&at| (tensors[at].file, tensors[at].begin));
        let mut numbers = vec![Vec::new(); tensors.len()];
        let mut rest = order.as_slice();
        while let Some((&first, _)) = rest.split_first() {
            let (file, begin) = (tensors[first].file, tensors[first].begin);
            let mut end = tensors[first].end;
            let together = rest
                .iter()
                .take_while(|&&at| {
                    let next = tensors[at];
                    let near = next.file == file
                        && next.begin <= end.saturating_add(SMALL_GAP)
                        && next.end.max(end) - begin <= LARGEST_READ;
                    if near {
                        end = end.max(next.end);
                    }
                    near
                })
                .count()
                .max(1);
            let (group, others) = rest.split_at(together);
            rest = others;
            for &at in group {
                self.checked(tensors[at]).await?;
            }
            let file = self.checked(tensors[first]).await?;
            let bytes = file.read(tensors[first], begin..end).await?;
            for &at in group {
                let tensor = tensors[at];
                // Both ends lie within the bytes just read, which fit in memory.
                let part = (tensor.begin - begin) as usize..(tensor.end - begin) as usize;
                numbers[at] = tensor.numbers(&bytes[part]);
            }
        }
        Ok(numbers)
    }

    /// Reads rows `rows` of a tensor, counted along its first dimension.
    ///
    /// # Errors
    /// As [`Self::read`], and if the tensor has no such rows.
    pub async fn read_rows(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
    ) -> Result<Vec<f32>, CheckpointError> {
        let decode = (TensorInfo::numbers as fn(&_, &_) -> _, Dtype::decode as _);
        self.rows(tensor, rows, decode).await
    }

    /// Like [`Self::read_rows`], but keeps double precision where the file has it.
    ///
    /// # Errors
    /// As [`Self::read_rows`].
    pub async fn read_exact_rows(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
    ) -> Result<Vec<f64>, CheckpointError> {
        let decode = (
            TensorInfo::exact_numbers as fn(&_, &_) -> _,
            Dtype::decode_exact as _,
        );
        self.rows(tensor, rows, decode).await
    }

    /// Reads rows of a tensor. A column-major tensor is read whole, any other only where the rows lie.
    async fn rows<T: Clone>(
        &self,
        tensor: &TensorInfo,
        rows: Range<u64>,
        (whole, some): RowDecoders<T>,
    ) -> Result<Vec<T>, CheckpointError> {
        let file = self.checked(tensor).await?;
        let height = tensor.shape.first().copied().unwrap_or(0);
        if rows.start > rows.end || rows.end > height {
            return Err(CheckpointError::NoSuchRows {
                tensor: tensor.name.clone(),
                rows,
                available: height,
            });
        }
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        if tensor.order == Order::ColumnMajor {
            // The numbers of a row are not contiguous, so read the whole tensor.
            let bytes = file.read(tensor, tensor.begin..tensor.end).await?;
            let numbers = whole(tensor, &bytes);
            // The length of a row fits in memory, as the whole tensor does; it is 0 for an empty tensor.
            let row = numbers.len() as u64 / height;
            let part = (rows.start * row) as usize..(rows.end * row) as usize;
            return Ok(numbers[part].to_vec());
        }
        // Neither product overflows: both stay within the tensor, which lies within the file.
        let row = tensor.bytes() / height;
        let range = tensor.begin + rows.start * row..tensor.begin + rows.end * row;
        let bytes = file.read(tensor, range).await?;
        Ok(some(&tensor.dtype, &bytes))
    }

    /// Checks a `TensorInfo` against its file. `TensorInfo` is plain data, so the caller may have changed it.
    async fn checked(&self, tensor: &TensorInfo) -> Result<&TensorFile<S>, CheckpointError> {
        if !tensor.dtype.is_float() {
            return Err(CheckpointError::NotFloats {
                tensor: tensor.name.clone(),
                dtype: tensor.dtype.clone(),
            });
        }
        if tensor.order == Order::Scattered {
            let tensor = tensor.name.clone();
            return Err(CheckpointError::Scattered { tensor });
        }
        let at = tensor.file as usize;
        if at >= self.shards.len() {
            let tensor = tensor.name.clone();
            return Err(CheckpointError::NoSuchTensor { tensor });
        }
        let file = self.file(at).await?;
        file.check(tensor)?;
        Ok(file)
    }

    /// A file, opened on first use.
    async fn file(&self, at: usize) -> Result<&TensorFile<S>, CheckpointError> {
        let shard = &self.shards[at];
        if let Some(file) = shard.file.get() {
            return Ok(file);
        }
        let _alone = shard.opening.lock().await;
        if let Some(file) = shard.file.get() {
            return Ok(file);
        }
        let source = shard.source.borrow().clone();
        let source = source.ok_or_else(|| CheckpointError::MissingShard {
            shard: shard.name.clone(),
        })?;
        let file = TensorFile::open(source).await;
        let file = file.inspect_err(|error| {
            // A network failure may be temporary, so do not report the file as refused.
            shard.refused.set(error.kind() != ErrorKind::Network);
        })?;
        shard.refused.set(false);
        Ok(shard.file.get_or_init(|| file))
    }

    fn files(&self) -> impl Iterator<Item = &TensorFile<S>> {
        self.shards.iter().filter_map(|shard| shard.file.get())
    }

    fn shard_of(&self, name: &str) -> Option<usize> {
        let at = self.names.binary_search_by(|(n, _)| n.as_str().cmp(name));
        Some(self.names[at.ok()?].1 as usize)
    }
}

impl<S> fmt::Debug for Checkpoint<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoint")
            .field("name", &self.name)
            .field("tensors", &self.names.len())
            .field("shards", &self.shards.len())
            .finish_non_exhaustive()
    }
}
