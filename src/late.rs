//! Code that a browser fetches when it is first needed.
//!
//! Such code is never called by its name, since that would make it a part of whatever calls it, but through a
//! value that a [`Fetched`] gives. Natively the value is at hand; the worker fetches it. `analysis::Late` lists
//! the parts there are.

use futures_util::future::LocalBoxFuture;
use std::fmt;

/// Fetches a part of the program, unless it is there, and gives what that part is for.
pub type Fetched<T> = fn() -> LocalBoxFuture<'static, Result<T, NotFetched>>;

/// The part that could not be fetched: the connection is gone, or the page has been renewed since it was opened.
/// `Display` says so, and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotFetched {
    /// The search for kernels.
    Fits,
    /// The parsers of all formats but safetensors.
    Formats,
    /// What computes on a GPU.
    Gpu,
    /// What reads lessons.
    Lessons,
    /// The code that asks servers for files.
    Remote,
    /// What finds waves.
    Waves,
}

impl fmt::Display for NotFetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let does = match self {
            Self::Fits => "fits kernels",
            Self::Formats => "reads other files than safetensors",
            Self::Gpu => "computes on GPUs",
            Self::Lessons => "reads lessons",
            Self::Remote => "opens addresses",
            Self::Waves => "finds waves",
        };
        write!(
            f,
            "The part of this page that {does} could not be fetched. Try again when the connection is back; if that \
             does not help, load the page again."
        )
    }
}

impl std::error::Error for NotFetched {}
