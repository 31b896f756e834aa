//! Opens what a person named and did not hand over: a file at an address, or a model of the Hub.
//!
//! The code for servers may come late. Whoever opens models therefore names none of it, but [`OpenRemote`] and
//! what that gives.

use std::{fmt, rc::Rc};

use futures_util::{FutureExt, future::LocalBoxFuture};

use super::{
    address::Address,
    boxed_source::BoxedSource,
    fetch::{Fetch, FetchError},
    file_groups::Bundled,
    remote::{Network, RemoteSource},
    remote_error::RemoteError,
    remote_failure::RemoteFailure,
};

/// Opens what lies on servers.
pub trait OpenRemote {
    /// Opens what somebody named: sends the requests that tell which files there are and how large. With
    /// `whole_allowed`, a server that sends no parts of files may send all of one.
    ///
    /// # Errors
    /// When it is no address and no name of a model, or the server does not give it. The kind
    /// [`ErrorKind::OnlyWhole`](super::ErrorKind::OnlyWhole) means that a person should be asked to allow that.
    fn open<'a>(
        &'a self,
        named: &'a str,
        whole_allowed: bool,
    ) -> LocalBoxFuture<'a, Result<RemoteModel, RemoteFailure>>;
}

/// What was found under a name.
#[derive(Debug)]
pub struct RemoteModel {
    /// What people call it: the name of the file or of the model.
    pub name: String,
    /// Text of its `config.json`, where it has one.
    pub config: Option<String>,
    /// Its files.
    pub files: Bundled<BoxedSource>,
}

/// Servers that are reached through `F`, and the Hub among them.
pub struct Servers<F> {
    network: Rc<Network<F>>,
    hub: String,
}

impl<F: Fetch> Servers<F> {
    /// Nothing is known of them yet; `hub` is the Hub's origin.
    pub fn new(fetch: F, hub: impl Into<String>) -> Self {
        Self {
            network: Rc::new(Network::new(fetch)),
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
                        files: Bundled::One(BoxedSource::new(source)),
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
}

impl<F> fmt::Debug for Servers<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Servers")
            .field("hub", &self.hub)
            .finish_non_exhaustive()
    }
}

/// Reaches no server: for whoever has all files at hand.
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
}
