//! Code that a browser fetches when it is first needed.
//!
//! Such code is never called by its name, since that would make it a part of whatever calls it, but through a
//! value that a [`Loader`] gives. Natively the value is at hand; the worker fetches it. `analysis::LazyParts` lists
//! the parts there are.

use futures_util::future::LocalBoxFuture;
use std::fmt;

/// Fetches a part of the program, unless it is there, and gives what that part is for.
pub type Loader<T> = fn() -> LocalBoxFuture<'static, Result<T, LoadError>>;

/// A part that could not be fetched. `Display` says so, and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The part.
    pub part: LazyPart,
    /// Why it did not come.
    pub why: LoadFailure,
}

/// The parts of the worker that are fetched when they are first needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LazyPart {
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

/// Why one of the page's own files did not come, although it was asked for twice. `Display` says so, and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadFailure {
    /// The connection is gone, it was cut, or the server has no such file.
    Lost,
    /// The server sent nothing for [`PATIENCE_S`] seconds.
    Silent,
    /// A web page came in its place, as networks with a sign-in page answer.
    WebPage,
}

/// Seconds without a byte after which a file is given up. The constant of `www/own_file.js` is the same.
pub const PATIENCE_S: u32 = 20;

impl LoadFailure {
    /// The failure by the reason that `www/own_file.js` gives.
    #[must_use]
    pub fn from_reason(reason: &str) -> Self {
        match reason {
            "silent" => Self::Silent,
            "web page" => Self::WebPage,
            _ => Self::Lost,
        }
    }
}

impl fmt::Display for LoadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost => f.write_str(
                "Try again when the connection is back. If that does not help, there may be a newer version of the \
                 page: load the page again.",
            ),
            Self::Silent => write!(
                f,
                "The server sent nothing for {PATIENCE_S} seconds, twice. Try again when the connection is better."
            ),
            Self::WebPage => f.write_str(
                "The network answered with a web page instead of the file. Are you behind a sign-in page? If so, sign \
                 in there, then try again. If not, there may be a newer version of the page: load the page again.",
            ),
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let does = match self.part {
            LazyPart::Fits => "fits kernels",
            LazyPart::Formats => "reads other files than safetensors",
            LazyPart::Gpu => "computes on GPUs",
            LazyPart::Lessons => "reads lessons",
            LazyPart::Remote => "opens addresses",
            LazyPart::Waves => "finds waves",
        };
        let why = self.why;
        write!(
            f,
            "The part of this page that {does} could not be fetched. {why}"
        )
    }
}

impl std::error::Error for LoadError {}
