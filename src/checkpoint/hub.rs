//! Models on the Hugging Face Hub by their names, opened in few requests.
//!
//! A model is a folder of files. Which there are is not asked, but tried in the order in which they are
//! likely: one request for each miss, none for a hit, since the first request of a file brings its header.

use std::{fmt, rc::Rc};

use futures_util::future::join;

use super::{
    address_error::AddressError,
    error::{CheckpointError, Name},
    error_kind::ErrorKind,
    fetch::Fetch,
    file_groups::Bundled,
    remote::{Network, RemoteSource},
    remote_error::RemoteError,
    remote_failure::RemoteFailure,
    shards::ShardIndex,
};

/// The Hub's origin. Everything here takes the origin as an argument, so that tests can bring their own.
pub const HUB: &str = "https://huggingface.co";

/// The files that may hold a model's weights, the likeliest first, and whether each is but an index.
const CANDIDATES: [(&str, bool); 4] = [
    ("model.safetensors", false),
    ("model.safetensors.index.json", true),
    ("pytorch_model.bin", false),
    ("pytorch_model.bin.index.json", true),
];

/// What stands in the addresses of files: the page about one, what Git holds in its place, the file itself.
pub(super) const FILE_WORDS: [&str; 3] = ["blob", "raw", "resolve"];

/// Longer texts are no configuration.
const LONGEST_CONFIG: u64 = 8 << 20;
/// Longer texts are no index.
const LONGEST_INDEX: u64 = 64 << 20;

/// A model on the Hub, or one of the folders in it.
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
    /// Reads `org/model`, `model`, or either with `@revision`.
    ///
    /// # Errors
    /// When it is no such name.
    pub fn parse(typed: &str) -> Result<Self, AddressError> {
        let (model, revision) = typed
            .trim()
            .split_once('@')
            .unwrap_or((typed.trim(), "main"));
        Self::checked(model, revision, "")
    }

    /// Reads the path of a page on the Hub, without its first slash: `org/model`, `org/model/tree/main`,
    /// `org/model/tree/main/folder`. `None` for paths of files.
    ///
    /// # Errors
    /// When it is the page of something that is no model.
    pub(super) fn of_page(path: &str) -> Result<Option<Self>, AddressError> {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        // The word stands after the name, which has one part or two, or three for what is no model; a file
        // follows it.
        let is_word = |at: usize| {
            let found = parts.get(at).is_some_and(|p| FILE_WORDS.contains(p));
            found && parts.len() > at + 2
        };
        let is_model = !matches!(parts.first(), Some(&("datasets" | "spaces")));
        if is_word(1) || is_word(2) || (!is_model && is_word(3)) {
            return Ok(None);
        }
        if !is_model {
            return Err(AddressError::NoModel);
        }
        match parts.as_slice() {
            [model, "tree", revision, folder @ ..] => Self::of_tree(model, revision, folder),
            [org, model, "tree", revision, folder @ ..] => {
                Self::of_tree(&format!("{org}/{model}"), revision, folder)
            }
            [model] => Self::checked(model, "main", "").map(Some),
            // Further pages are about the model, too: its discussions, its commits.
            [org, model, ..] => Self::checked(&format!("{org}/{model}"), "main", "").map(Some),
            [] => Err(AddressError::Name),
        }
    }

    fn of_tree(model: &str, revision: &str, folder: &[&str]) -> Result<Option<Self>, AddressError> {
        // Addresses write the slash of refs/pr/1 so; any other escape is no letter of a revision.
        let revision = revision.replace("%2F", "/").replace("%2f", "/");
        Self::checked(model, &revision, &folder.join("/")).map(Some)
    }

    fn checked(model: &str, revision: &str, folder: &str) -> Result<Self, AddressError> {
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

    /// The model's page, from which [`Address::parse`](super::Address::parse) reads the same name again.
    pub fn page(&self, hub: &str) -> String {
        let revision = self.revision.replace('/', "%2F");
        let slash = if self.folder.is_empty() { "" } else { "/" };
        let (model, folder) = (&self.model, &self.folder);
        format!("{hub}/{model}/tree/{revision}{slash}{folder}")
    }

    /// Where a file of the model is fetched from; `hub` is the Hub's origin.
    pub fn file(&self, hub: &str, file: &str) -> String {
        let revision = self.revision.replace('/', "%2F");
        let slash = if self.folder.is_empty() { "" } else { "/" };
        let (model, folder) = (&self.model, &self.folder);
        format!("{hub}/{model}/resolve/{revision}/{folder}{slash}{file}")
    }
}

/// As people write it: `org/model`, with `@revision` where it is not the main branch.
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

/// The Hub's own rule for either half of a name.
fn is_name(part: &str) -> bool {
    let edge = ['-', '.'];
    is_step(part)
        && !part.starts_with(edge)
        && !part.ends_with(edge)
        && !part.contains("--")
        && !part.contains("..")
        && !part.ends_with(".git")
}

/// A step of a path that means itself, whoever reads it.
fn is_step(step: &str) -> bool {
    let letter = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    !step.is_empty() && step != "." && step != ".." && step.bytes().all(letter)
}

/// What opening a model brings.
#[derive(Debug)]
pub struct HubModel<F> {
    /// The text of its `config.json`, where it has one.
    pub config: Option<String>,
    /// Its weights: one file, whose first request has been answered, or several, none of which has been asked
    /// for.
    pub files: Bundled<RemoteSource<F>>,
}

impl HubName {
    /// Opens the model: its configuration and the first of the usual files it has. Two requests where that
    /// is `model.safetensors`; `hub` is the Hub's origin, `whole_allowed` as for [`RemoteSource::open`].
    ///
    /// # Errors
    /// When there is no such model, it has no weights of a usual name, or they cannot be had.
    pub async fn open<F: Fetch>(
        &self,
        network: &Rc<Network<F>>,
        hub: &str,
        whole_allowed: bool,
    ) -> Result<HubModel<F>, HubError> {
        let config = self.file(hub, "config.json");
        let config = async { optional(network.text(&config, LONGEST_CONFIG).await) };
        let (config, files) = join(config, self.weights(network, hub, whole_allowed)).await;
        // Where both fail, what befell the weights is the answer.
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
    ) -> Result<Bundled<RemoteSource<F>>, HubError> {
        for (name, is_index) in CANDIDATES {
            let url = self.file(hub, name);
            if !is_index {
                let source = RemoteSource::open(network, &url, whole_allowed).await;
                if let Some(source) = optional(source)? {
                    return Ok(Bundled::One(source));
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
                return Ok(Bundled::Shards { index, sources });
            }
        }
        Err(HubError::NoWeights {
            name: self.to_string(),
        })
    }
}

/// A file that need not be there. A model that is not there is another matter: then the Hub says so in
/// its code.
fn optional<T>(found: Result<T, RemoteError>) -> Result<Option<T>, HubError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(RemoteError::Status { status: 404, code })
            if code.as_deref().is_none_or(|code| code == "EntryNotFound") =>
        {
            Ok(None)
        }
        Err(error) => Err(HubError::Remote(error)),
    }
}

/// Why a model of the Hub could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HubError {
    /// A file could not be had.
    Remote(RemoteError),
    /// The index of its files is none.
    Index(CheckpointError),
    /// It has no file of a usual name.
    NoWeights {
        /// The model.
        name: String,
    },
}

impl HubError {
    /// What sort of trouble this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Remote(error) => error.kind(),
            Self::Index(error) => error.kind(),
            Self::NoWeights { .. } => ErrorKind::RefusedFile,
        }
    }
}

impl fmt::Display for HubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Remote(error) => error.fmt(f),
            Self::Index(error) => error.fmt(f),
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
