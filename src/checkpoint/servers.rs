//! Opens a remote file by its URL, or a model on the Hub by its name.
//!
//! The code for servers is a lazy part of the worker, so code that opens models only uses [`OpenRemote`] and
//! [`RemoteModel`]. The trait is needed because [`Servers`] is generic in how it sends requests: lazy functions and
//! the session know no type of its parameter.

use std::{fmt, rc::Rc};

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    address::Address,
    boxed_source::BoxedSource,
    fetch::{Fetch, FetchError},
    file_groups::BundleFiles,
    network::Network,
    range_store::RangeStore,
    remote::RemoteSource,
    remote_error::RemoteError,
    remote_failure::RemoteFailure,
    remote_tokenizer::{NamedBytes, tokenizer_files},
};

/// Opens files and models on servers.
pub trait OpenRemote {
    /// Opens a file or model by its URL or name: sends the requests that determine its files and their sizes. With
    /// `whole_allowed`, a server that does not send ranges may send a file whole.
    ///
    /// # Errors
    /// If `named` is neither a URL nor the name of a model, or the server does not provide it. The kind
    /// [`ErrorKind::OnlyWhole`](super::ErrorKind::OnlyWhole) means that the user should be asked to allow a whole
    /// download.
    fn open<'a>(
        &'a self,
        named: &'a str,
        whole_allowed: bool,
    ) -> LocalBoxFuture<'a, Result<RemoteModel, RemoteFailure>>;

    /// Sets whether bytes that are fetched from now on are stored for later visits.
    fn set_storing(&self, is_storing: bool);

    /// Whether the storage has refused bytes since [`Self::set_storing`].
    fn is_storage_full(&self) -> bool;

    /// Reads the files of the tokenizer beside a file or model. Returns none if there is no tokenizer.
    ///
    /// # Errors
    /// If `named` is neither a URL nor the name of a model, or a file exists and cannot be read.
    fn tokenizer_files<'a>(
        &'a self,
        named: &'a str,
    ) -> LocalBoxFuture<'a, Result<NamedBytes, RemoteFailure>>;
}

/// A model that was opened on a server.
#[derive(Debug)]
pub struct RemoteModel {
    /// Name shown to the user: that of the file or of the model.
    pub name: String,
    /// Text of its `config.json`, if it has one.
    pub config: Option<String>,
    /// Files of its weights.
    pub files: BundleFiles<BoxedSource>,
}

/// Opens files and models through `F`, including those on the Hub.
pub struct Servers<F> {
    network: Rc<Network<F>>,
    hub: String,
}

impl<F: Fetch> Servers<F> {
    /// Sends no requests yet; `hub` is the Hub's origin.
    pub fn new(fetch: F, hub: impl Into<String>) -> Self {
        Self {
            network: Rc::new(Network::new(fetch)),
            hub: hub.into(),
        }
    }

    /// Sends no requests yet, and stores ranges of files where [`OpenRemote::set_storing`] says so.
    pub fn with_store(fetch: F, hub: impl Into<String>, store: Rc<dyn RangeStore>) -> Self {
        Self {
            network: Rc::new(Network::new(fetch).with_store(store)),
            hub: hub.into(),
        }
    }
}

impl<F: Fetch + 'static> OpenRemote for Servers<F> {
    fn open<'a>(
        &'a self,
        named: &'a str,
        whole_allowed: bool,
    ) -> LocalBoxFuture<'a, Result<RemoteModel, RemoteFailure>> {
        async move {
            Ok(match Address::parse(named, &self.hub)? {
                Address::File(address) => {
                    let source = RemoteSource::open(&self.network, &address, whole_allowed).await?;
                    let path = address.split(['?', '#']).next().unwrap_or_default();
                    let name = path.rsplit('/').next().unwrap_or_default();
                    RemoteModel {
                        name: name.to_owned(),
                        config: None,
                        files: BundleFiles::One(BoxedSource::new(source)),
                    }
                }
                Address::Hub(name) => {
                    let model = name.open(&self.network, &self.hub, whole_allowed).await?;
                    RemoteModel {
                        name: name.to_string(),
                        config: model.config,
                        files: model.files.map(BoxedSource::new),
                    }
                }
            })
        }
        .boxed_local()
    }

    fn set_storing(&self, is_storing: bool) {
        self.network.set_storing(is_storing);
    }

    fn is_storage_full(&self) -> bool {
        self.network.is_storage_full()
    }

    fn tokenizer_files<'a>(
        &'a self,
        named: &'a str,
    ) -> LocalBoxFuture<'a, Result<NamedBytes, RemoteFailure>> {
        async move {
            let files = match Address::parse(named, &self.hub)? {
                Address::File(address) => {
                    let path = address.split(['?', '#']).next().unwrap_or_default();
                    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                    tokenizer_files(&self.network, |file| format!("{folder}/{file}")).await?
                }
                Address::Hub(name) => {
                    tokenizer_files(&self.network, |file| name.file(&self.hub, file)).await?
                }
            };
            Ok(files)
        }
        .boxed_local()
    }
}

impl<F> fmt::Debug for Servers<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Servers")
            .field("hub", &self.hub)
            .finish_non_exhaustive()
    }
}

/// Reaches no server, for sessions whose files are all local.
#[derive(Clone, Copy, Debug)]
pub struct NoNetwork;

impl OpenRemote for NoNetwork {
    fn open<'a>(
        &'a self,
        _named: &'a str,
        _whole_allowed: bool,
    ) -> LocalBoxFuture<'a, Result<RemoteModel, RemoteFailure>> {
        let error = RemoteError::Fetch(FetchError::Unreachable);
        async { Err(error.into()) }.boxed_local()
    }

    fn set_storing(&self, _is_storing: bool) {}

    fn is_storage_full(&self) -> bool {
        false
    }

    fn tokenizer_files<'a>(
        &'a self,
        _named: &'a str,
    ) -> LocalBoxFuture<'a, Result<NamedBytes, RemoteFailure>> {
        let error = RemoteError::Fetch(FetchError::Unreachable);
        async { Err(error.into()) }.boxed_local()
    }
}
