//! Opens models on the Hugging Face Hub by name, with few requests.
//!
//! A model is a folder of files. The folder is not listed; likely files are requested in order of likelihood. This
//! costs one request per miss and none per hit, since the first request of a file also returns its header.

use std::{fmt, rc::Rc};

use futures_util::future::join;

use super::{
    adapter::Adapter,
    address_error::AddressError,
    error::{CheckpointError, Name},
    error_kind::ErrorKind,
    fetch::Fetch,
    file_groups::BundleFiles,
    network::Network,
    remote::RemoteSource,
    remote_error::RemoteError,
    remote_failure::RemoteFailure,
    shards::ShardIndex,
};

/// The Hub's origin. All functions take it as a parameter, so that tests can use another.
pub const HUB: &str = "https://huggingface.co";

/// Files that may hold a model's weights, the likeliest first, and whether each is only an index.
const CANDIDATES: [(&str, bool); 4] = [
    ("model.safetensors", false),
    ("model.safetensors.index.json", true),
    ("pytorch_model.bin", false),
    ("pytorch_model.bin.index.json", true),
];

/// Path words in URLs of files: the page about a file, its text in Git, and the file itself.
pub(super) const FILE_WORDS: [&str; 3] = ["blob", "raw", "resolve"];

/// Maximum size of a configuration in bytes.
const LONGEST_CONFIG: u64 = 8 << 20;
/// Maximum size of an index in bytes.
const LONGEST_INDEX: u64 = 64 << 20;

/// A model on the Hub, or a folder in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubName {
    /// `org/model`, or `model` for the few that have no organisation.
    pub model: String,
    /// A branch, a tag or a commit.
    pub revision: String,
    /// A folder within the model, without slashes at its ends; empty for the model itself.
    pub folder: String,
}

impl HubName {
    /// Parses `org/model`, `model`, or either with `@revision`.
    ///
    /// # Errors
    /// If the text is not such a name.
    pub fn parse(typed: &str) -> Result<Self, AddressError> {
        let (model, revision) = typed
            .trim()
            .split_once('@')
            .unwrap_or((typed.trim(), "main"));
        Self::from_parts(model, revision, "")
    }

    /// Parses the path of a page on the Hub, without its leading slash: `org/model`, `org/model/tree/main`,
    /// `org/model/tree/main/folder`. Returns `None` for paths of files.
    ///
    /// # Errors
    /// If it is the page of a dataset or an app.
    pub(super) fn from_page(path: &str) -> Result<Option<Self>, AddressError> {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        // The word follows the name and precedes a file. A model's name has one or two parts, a dataset's or an app's
        // three.
        let is_word = |at: usize| {
            let is_file_word = parts.get(at).is_some_and(|p| FILE_WORDS.contains(p));
            is_file_word && parts.len() > at + 2
        };
        let is_model = !matches!(parts.first(), Some(&("datasets" | "spaces")));
        if is_word(1) || is_word(2) || (!is_model && is_word(3)) {
            return Ok(None);
        }
        if !is_model {
            return Err(AddressError::NoModel);
        }
        match parts.as_slice() {
            [model, "tree", revision, folder @ ..] => Self::from_tree(model, revision, folder),
            [org, model, "tree", revision, folder @ ..] => {
                Self::from_tree(&format!("{org}/{model}"), revision, folder)
            }
            [model] => Self::from_parts(model, "main", "").map(Some),
            // Further pages, such as discussions and commits, are about the model, too.
            [org, model, ..] => Self::from_parts(&format!("{org}/{model}"), "main", "").map(Some),
            [] => Err(AddressError::Name),
        }
    }

    fn from_tree(
        model: &str,
        revision: &str,
        folder: &[&str],
    ) -> Result<Option<Self>, AddressError> {
        // URLs encode the slash of refs/pr/1 like this. No other escape is valid in a revision.
        let revision = revision.replace("%2F", "/").replace("%2f", "/");
        Self::from_parts(model, &revision, &folder.join("/")).map(Some)
    }

    fn from_parts(model: &str, revision: &str, folder: &str) -> Result<Self, AddressError> {
        let parts: Vec<&str> = model.split('/').collect();
        if parts.len() > 2 || model.len() > 96 || !parts.iter().all(|part| is_name(part)) {
            return Err(AddressError::Name);
        }
        if revision.len() > 256 || !revision.split('/').all(is_step) {
            return Err(AddressError::Revision);
        }
        if folder.len() > 1024 || !(folder.is_empty() || folder.split('/').all(is_step)) {
            return Err(AddressError::Name);
        }
        Ok(Self {
            model: model.to_owned(),
            revision: revision.to_owned(),
            folder: folder.to_owned(),
        })
    }

    /// URL of the model's page, which [`Address::parse`](super::Address::parse) parses to the same name.
    pub fn page(&self, hub: &str) -> String {
        let revision = self.revision.replace('/', "%2F");
        let slash = if self.folder.is_empty() { "" } else { "/" };
        let (model, folder) = (&self.model, &self.folder);
        format!("{hub}/{model}/tree/{revision}{slash}{folder}")
    }

    /// URL of a file of the model; `hub` is the Hub's origin.
    pub fn file(&self, hub: &str, file: &str) -> String {
        let revision = self.revision.replace('/', "%2F");
        let slash = if self.folder.is_empty() { "" } else { "/" };
        let (model, folder) = (&self.model, &self.folder);
        format!("{hub}/{model}/resolve/{revision}/{folder}{slash}{file}")
    }
}

/// Formats as `org/model`, with `@revision` unless it is the main branch, and the folder in parentheses.
impl fmt::Display for HubName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.model)?;
        if self.revision != "main" {
            write!(f, "@{}", self.revision)?;
        }
        if !self.folder.is_empty() {
            write!(f, " ({})", self.folder)?;
        }
        Ok(())
    }
}

/// Whether the Hub allows this as an organisation or model name.
fn is_name(part: &str) -> bool {
    let edge = ['-', '.'];
    is_step(part)
        && !part.starts_with(edge)
        && !part.ends_with(edge)
        && !part.contains("--")
        && !part.contains("..")
        && !part.ends_with(".git")
}

/// Whether this is a path segment that needs no escaping and is not `.` or `..`.
fn is_step(step: &str) -> bool {
    let letter = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    !step.is_empty() && step != "." && step != ".." && step.bytes().all(letter)
}

/// An opened model.
#[derive(Debug)]
pub struct HubModel<F> {
    /// Text of its `config.json`, if it has one.
    pub config: Option<String>,
    /// Its weights: one file, whose first request has been answered, or several, none of which has been requested.
    pub files: BundleFiles<RemoteSource<F>>,
}

impl HubName {
    /// Opens the model: its configuration and the first of the usual files it has. Sends two requests if that is
    /// `model.safetensors`. `hub` is the Hub's origin, `whole_allowed` as for [`RemoteSource::open`].
    ///
    /// # Errors
    /// If the model does not exist, has no weights with a usual name, or they cannot be read.
    pub async fn open<F: Fetch>(
        &self,
        network: &Rc<Network<F>>,
        hub: &str,
        whole_allowed: bool,
    ) -> Result<HubModel<F>, HubError> {
        let config = self.file(hub, "config.json");
        let config = async { optional(network.text(&config, LONGEST_CONFIG).await) };
        let (config, files) = join(config, self.weights(network, hub, whole_allowed)).await;
        // If both fail, report the error of the weights.
        let files = files?;
        Ok(HubModel {
            config: config?,
            files,
        })
    }

    async fn weights<F: Fetch>(
        &self,
        network: &Rc<Network<F>>,
        hub: &str,
        whole_allowed: bool,
    ) -> Result<BundleFiles<RemoteSource<F>>, HubError> {
        for (name, is_index) in CANDIDATES {
            let url = self.file(hub, name);
            if !is_index {
                let source = RemoteSource::open(network, &url, whole_allowed).await;
                if let Some(source) = optional(source)? {
                    return Ok(BundleFiles::One(source));
                }
            } else if let Some(text) = optional(network.text(&url, LONGEST_INDEX).await)? {
                let index = ShardIndex::parse(&text).map_err(HubError::Index)?;
                let source = |name: &String| {
                    let url = self.file(hub, name);
                    (
                        name.clone(),
                        RemoteSource::lazy(network, &url, whole_allowed),
                    )
                };
                let sources = index.files.iter().map(source).collect();
                return Ok(BundleFiles::Shards { index, sources });
            }
        }
        let adapter = self.file(hub, "adapter_config.json");
        Err(
            match optional(network.text(&adapter, LONGEST_CONFIG).await)? {
                Some(text) => HubError::Adapter(Adapter::from_config(&text)),
                None => HubError::NoWeights {
                    name: self.to_string(),
                },
            },
        )
    }
}

/// Turns the error for a missing file into `None`. A missing model stays an error: the Hub reports it with another
/// code.
fn optional<T>(result: Result<T, RemoteError>) -> Result<Option<T>, HubError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(RemoteError::Status { status: 404, code })
            if code.as_deref().is_none_or(|code| code == "EntryNotFound") =>
        {
            Ok(None)
        }
        Err(error) => Err(HubError::Remote(error)),
    }
}

/// Why a model on the Hub could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HubError {
    /// A file could not be read.
    Remote(RemoteError),
    /// The index of its files is not valid.
    Index(CheckpointError),
    /// It is an adapter, which changes the weights of another model.
    Adapter(Adapter),
    /// It has no file with a usual name.
    NoWeights {
        /// Name of the model.
        name: String,
    },
}

impl HubError {
    /// The kind of error, which decides the remedy the page offers.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Remote(error) => error.kind(),
            Self::Index(error) => error.kind(),
            Self::Adapter(_) | Self::NoWeights { .. } => ErrorKind::RefusedFile,
        }
    }
}

impl fmt::Display for HubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Remote(error) => error.fmt(f),
            Self::Index(error) => error.fmt(f),
            Self::Adapter(adapter) => adapter.fmt(f),
            Self::NoWeights { name } => {
                write!(f, "The model {} has neither ", Name(name))?;
                for (at, (file, _)) in CANDIDATES.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { " nor " })?;
                    f.write_str(file)?;
                }
                f.write_str(
                    ". If its weights have another name, paste the address of that file instead.",
                )
            }
        }
    }
}

impl std::error::Error for HubError {}

impl From<HubError> for RemoteFailure {
    fn from(error: HubError) -> Self {
        Self::new(error.kind(), &error)
    }
}
