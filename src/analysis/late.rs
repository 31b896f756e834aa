//! Code that a browser fetches when it is first needed: the search for kernels.
//!
//! Such code is never called by its name, since that would make it a part of whatever calls it, but through a
//! value that [`Late`] gives. Natively the value is at hand; the worker gives one that it fetches.

use super::{Failure, FailureKind};
use futures_util::{FutureExt, future::LocalBoxFuture};
use gaussian_fit::{FitError, GaussianFit, Points, Search};

/// A part could not be fetched: the connection is gone, or the page has been renewed since it was opened.
#[derive(Clone, Copy, Debug)]
pub struct NotFetched;

impl From<NotFetched> for Failure {
    fn from(_: NotFetched) -> Self {
        Self::new(
            FailureKind::Network,
            "The part of this page that fits kernels could not be fetched. Try again when the connection is back; if that does not help, load the page again.",
        )
    }
}

/// Fetches a part of the program, and gives what that part is for.
pub type Fetched<T> = fn() -> LocalBoxFuture<'static, Result<T, NotFetched>>;

/// The parts that may come late.
#[derive(Clone, Copy, Debug)]
pub struct Late {
    /// The search for the kernels that make up a profile.
    pub fits: Fetched<StartSearch>,
}

impl Late {
    /// Every part is at hand.
    pub const HERE: Self = Self {
        fits: || async { Ok(start_search as StartSearch) }.boxed_local(),
    };
}

/// Starts a search for so many kernels at most.
pub type StartSearch = fn(Points, usize) -> Result<Box<dyn KernelSearch>, FitError>;

/// A search that adds one kernel at a time.
pub trait KernelSearch {
    /// Adds a kernel where it explains most.
    fn add(&mut self);

    /// The best fit with the kernels there are.
    fn settle(&mut self) -> GaussianFit;

    /// The share of the points' weighted variance that a function explains.
    fn r2(&self, f: &dyn Fn(f64) -> f64) -> f64;
}

impl KernelSearch for Search {
    fn add(&mut self) {
        self.add();
    }

    fn settle(&mut self) -> GaussianFit {
        self.settle()
    }

    fn r2(&self, f: &dyn Fn(f64) -> f64) -> f64 {
        self.r2(f)
    }
}

/// Starts a search by least squares, see `gaussian-fit`.
///
/// # Errors
/// Why the points cannot be fitted.
pub fn start_search(points: Points, most: usize) -> Result<Box<dyn KernelSearch>, FitError> {
    Ok(Box::new(Search::new(points, most)?))
}
