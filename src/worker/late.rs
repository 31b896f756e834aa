//! The worker's parts that are fetched when they are first needed. The build cuts the worker's module at the
//! functions marked here.

use crate::analysis::{Late, NotFetched, StartSearch, start_search};
use futures_util::FutureExt;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

/// What the core gets of the parts.
pub(super) const LATE: Late = Late {
    fits: || {
        // The loader's error says no more than that it failed.
        let fetched = fits().map(|fetched| fetched.or(Err(NotFetched)));
        fetched.boxed_local()
    },
};

#[wasm_split(fits, fallible)]
fn fits() -> Result<StartSearch, SplitLoaderError> {
    Ok(start_search)
}
