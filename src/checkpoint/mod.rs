//! Reads named tensors from checkpoint files. Independent of the browser, of model families and of encodings.
//!
//! A [`Checkpoint`] is one file or several shards. Opening it reads only the list of its tensors. A tensor is read on
//! demand, whole or by rows, and its numbers are returned as `f32`, row-major. Every position in a file is a `u64`,
//! also on wasm32, because single files exceed 4 GiB. The number of bytes read is counted, so that the page can show
//! it.
//!
//! 8-bit floats are multiplied by the scale factors that lie beside them (`scale_factors.rs`), and weights that GPTQ, AWQ
//! or bitsandbytes have packed are unpacked (`packed_weights/`), so that every reader gets a model's own numbers.
//!
//! Formats: safetensors, `PyTorch` (zipped and older), `NumPy`, GGUF, and kernels as JSON or CSV. `formats.rs` tells
//! them apart by content. Each parser is a plain function of the bytes read so far, see `partial_bytes.rs`. Files come
//! from a [`ByteSource`], or are opened on a server by `servers.rs`.
//!
//! This is not a general library of file formats: it does not write, it decodes what weights are stored in, and it is more
//! tolerant than the formats are. It allows holes between tensors, any order and any alignment, because many files need
//! it.

mod adapter;
mod address;
mod address_error;
mod any_source;
mod block_type;
mod blocks;
mod boxed_source;
mod byte_source;
mod clean_text;
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
mod named_kinds;
mod network;
mod numpy;
mod onnx;
mod packed_weights;
mod packing;
mod partial_bytes;
mod pickle;
mod pickle_calls;
mod pickle_config;
mod pickle_globals;
mod pickle_objects;
mod pickle_omissions;
mod pickle_tensors;
mod quantisation_settings;
mod range_cache;
mod range_store;
mod reading;
mod remote;
mod remote_error;
mod remote_failure;
mod remote_tokenizer;
mod response_headers;
pub mod safetensors;
mod scale_factors;
mod servers;
mod shard_match;
mod shard_metadata;
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
    borrow::Cow,
    cell::{Cell, OnceCell, RefCell},
    collections::BTreeMap,
    fmt,
    rc::Rc,
};

use futures_util::lock::Mutex;

pub use adapter::Adapter;
pub use address::Address;
pub use address_error::AddressError;
pub use any_source::AnySource;
pub use block_type::BlockType;
pub use boxed_source::BoxedSource;
pub use byte_source::ByteSource;
pub use dtype::Dtype;
pub use error::CheckpointError;
pub(crate) use error::{CleanText, Name, ShapeText};
pub use error_kind::ErrorKind;
pub use fetch::{Fetch, FetchError, Response};
pub use file_groups::{
    Bundle, BundleFiles, FileGroups, LooseShard, group_files, group_files_and_configs,
};
pub use file_kind::FileKind;
pub use hub::{HUB, HubError, HubModel, HubName};
pub use index::Index;
pub use memory_source::MemorySource;
pub use named_kinds::describe_named;
use named_kinds::with_name;
pub use network::Network;
use packed_weights::{QuantState, integers_of, names_of_packed_weights};
pub use packing::Packing;
pub use pickle_omissions::OMISSIONS;
pub use quantisation_settings::QuantisationSettings;
pub use range_store::{RangeStore, StoreFull, StoredFile};
pub use remote::RemoteSource;
pub use remote_error::RemoteError;
pub use remote_failure::RemoteFailure;
pub use remote_tokenizer::NamedBytes;
pub(crate) use scale_factors::factor_names;
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
    /// Every tensor and the shard it is in, sorted by name. A weight that is packed in other tensors is one of them.
    names: Vec<(String, u32)>,
    /// Names of the weights of GPTQ and AWQ, sorted.
    packed_weights: Vec<String>,
    /// States of bitsandbytes that have been read, by the names of their tensors.
    quant_states: RefCell<BTreeMap<String, Rc<QuantState>>>,
    /// How the configuration says that weights are stored.
    quantisation: QuantisationSettings,
}

/// One file of a checkpoint, opened when one of its tensors is read.
struct Shard<S> {
    name: String,
    /// The file; `None` until it is provided.
    source: RefCell<Option<Rc<S>>>,
    file: OnceCell<TensorFile<S>>,
    /// Held while the file is opened, so that two concurrent reads open it once.
    opening_lock: Mutex<()>,
    /// Whether the last file provided for this shard could not be opened.
    was_refused: Cell<bool>,
}

impl<S> Shard<S> {
    fn new(name: String, source: Option<Rc<S>>) -> Self {
        Self {
            name,
            source: RefCell::new(source),
            file: OnceCell::new(),
            opening_lock: Mutex::default(),
            was_refused: Cell::new(false),
        }
    }

    /// Whether a file should be provided: none was, or the last one could not be opened.
    fn is_missing(&self) -> bool {
        self.source.borrow().is_none() || self.was_refused.get()
    }
}

impl<S: ByteSource> Checkpoint<S> {
    /// Opens a checkpoint that is one file, in any supported format. `name` is the name shown to the user.
    ///
    /// # Errors
    /// If the bytes cannot be read, have no supported format, or describe tensors that cannot exist, or if the parser
    /// of the format cannot be loaded.
    pub async fn open(source: S, name: &str) -> Result<Self, CheckpointError> {
        let source = Rc::new(source);
        let file = TensorFile::open(Rc::clone(&source)).await;
        let file = file.map_err(|error| with_name(error, name))?;
        let names = file.tensors().iter().map(|tensor| (tensor.name.clone(), 0));
        let names = names.collect();
        let shard = Shard {
            file: OnceCell::from(file),
            ..Shard::new(name.to_owned(), Some(source))
        };
        Ok(Self::new(name, names, vec![shard]))
    }

    /// Creates a checkpoint from sorted names and their shards.
    fn new(name: &str, mut names: Vec<(String, u32)>, shards: Vec<Shard<S>>) -> Self {
        let find = |names: &[(String, u32)], name: &str| {
            names.binary_search_by(|(other, _)| other.as_str().cmp(name))
        };
        let all = names.iter().map(|(name, _)| name.as_str());
        let packed_weights = names_of_packed_weights(all, |name| find(&names, name).is_ok());
        let shard_of = |weight: &String| {
            let at = find(&names, &integers_of(weight)).ok()?;
            Some((weight.clone(), names[at].1))
        };
        let weights: Vec<_> = packed_weights.iter().filter_map(shard_of).collect();
        names.extend(weights);
        names.sort_by(|(a, _), (b, _)| a.cmp(b));
        Self {
            name: name.to_owned(),
            shards,
            names,
            packed_weights,
            quant_states: RefCell::default(),
            quantisation: QuantisationSettings::default(),
        }
    }

    /// Creates a checkpoint from shards. Reads nothing yet; missing shards can be provided later with [`Self::offer`].
    pub fn from_shards(
        index: ShardIndex,
        name: &str,
        sources: impl IntoIterator<Item = (String, S)>,
    ) -> Self {
        let shard = |name| Shard::new(name, None);
        let shards = index.files.into_iter().map(shard).collect();
        let checkpoint = Self::new(name, index.tensors, shards);
        for (name, source) in sources {
            // Ignore files that are not shards of this checkpoint.
            let _ = checkpoint.offer(&name, source);
        }
        checkpoint
    }

    /// Sets how a configuration says that weights are stored.
    #[must_use]
    pub fn with_quantisation(self, quantisation: QuantisationSettings) -> Self {
        Self {
            quantisation,
            ..self
        }
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
                shard.was_refused.set(false);
                Ok(())
            }
            None => Err(source),
        }
    }

    /// Names of the shards that were not provided yet or could not be opened.
    pub fn missing_files(&self) -> Vec<String> {
        let names = self.shards.iter().filter(|shard| shard.is_missing());
        names.map(|shard| shard.name.clone()).collect()
    }

    /// Names and kinds of the files. A file that was not opened yet has the kind of the others.
    pub fn file_kinds(&self) -> Vec<(String, FileKind)> {
        let usual = self.files().map(TensorFile::kind).next();
        let kind = |shard: &Shard<S>| shard.file.get().map(TensorFile::kind).or(usual);
        let named = |shard: &Shard<S>| Some((shard.name.clone(), kind(shard)?));
        self.shards.iter().filter_map(named).collect()
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

    /// The tensor of this name as its file stores it, or `None` if its file has not been opened.
    pub fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        self.shards
            .get(self.shard_of(name)?)?
            .file
            .get()?
            .tensor(name)
    }

    /// The tensor of this name. Opens its file first. A packed weight has the shape that it stands for, and its positions
    /// count its numbers.
    ///
    /// # Errors
    /// If the checkpoint has no such tensor, its file is missing or cannot be opened, or the tensors of a packed weight do
    /// not fit each other.
    pub async fn locate(&self, name: &str) -> Result<TensorInfo, CheckpointError> {
        match self.packed_weight(name).await? {
            Some(weight) => Ok(weight.info(name)),
            None => self.stored_tensor(name).await,
        }
    }

    /// The tensor of this name as its file stores it. Opens its file first.
    async fn stored_tensor(&self, name: &str) -> Result<TensorInfo, CheckpointError> {
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

    /// Opens the first of the files provided so far, if there is one. Its metadata may have the configuration.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub async fn open_first(&self) -> Result<(), CheckpointError> {
        let is_present = |shard: &Shard<S>| shard.source.borrow().is_some();
        if let Some(first) = self.shards.iter().position(is_present) {
            self.file(first).await?;
        }
        Ok(())
    }

    /// Metadata that the writer stored in the files that have been opened. Of several shards, the first that has an entry
    /// counts.
    pub fn metadata(&self) -> Cow<'_, BTreeMap<String, String>> {
        let mut files = self.files().map(TensorFile::metadata);
        match (files.next(), files.next()) {
            (None, _) => Cow::default(),
            (Some(only), None) => Cow::Borrowed(only),
            (Some(first), Some(second)) => Cow::Owned(shard_metadata::join(
                [first, second].into_iter().chain(files),
            )),
        }
    }

    /// Checks a `TensorInfo` against its file. `TensorInfo` is plain data, so the caller may have changed it.
    async fn check_info(&self, tensor: &TensorInfo) -> Result<&TensorFile<S>, CheckpointError> {
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
        if !tensor.is_whole() {
            return Err(CheckpointError::PartialBlocks {
                tensor: tensor.name.clone(),
                dtype: tensor.dtype.clone(),
                shape: tensor.shape.clone(),
            });
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
        let _alone = shard.opening_lock.lock().await;
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
            shard.was_refused.set(error.kind() != ErrorKind::Network);
        })?;
        shard.was_refused.set(false);
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
