//! The worker's parts that are fetched when they are first needed. The build cuts the worker's module at the
//! functions marked here.

use super::fetch::servers;
use crate::{
    analysis::{FindWaves, Late, StartSearch, find_waves, start_search},
    checkpoint::{Formats, OpenRemote},
    late::NotFetched,
};
use futures_util::{FutureExt, future::LocalBoxFuture};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

/// What the core gets of the parts.
pub(super) const LATE: Late = Late {
    fits: || or(NotFetched::Fits, fits()),
    formats: || or(NotFetched::Formats, formats()),
    remote: || or(NotFetched::Remote, remote()),
    waves: || or(NotFetched::Waves, waves()),
};

#[wasm_split(fits, fallible)]
fn fits() -> Result<StartSearch, SplitLoaderError> {
    Ok(start_search)
}

#[wasm_split(formats, fallible)]
fn formats() -> Result<Formats, SplitLoaderError> {
    Ok(Formats::all())
}

#[wasm_split(remote, fallible)]
fn remote() -> Result<Box<dyn OpenRemote>, SplitLoaderError> {
    Ok(Box::new(servers()))
}

#[wasm_split(waves, fallible)]
fn waves() -> Result<&'static dyn FindWaves, SplitLoaderError> {
    Ok(find_waves())
}

/// Names the part that does not come: the loader's error says no more than that it failed.
fn or<T: 'static>(
    missing: NotFetched,
    part: impl Future<Output = Result<T, SplitLoaderError>> + 'static,
) -> LocalBoxFuture<'static, Result<T, NotFetched>> {
    part.map(move |fetched| fetched.or(Err(missing)))
        .boxed_local()
}
