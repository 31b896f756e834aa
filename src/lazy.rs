//! Code that the browser loads on first use.
//!
//! A direct call would link such code into the caller's module, so it is reached through a value that a [`Loader`]
//! returns. Natively the value is available at once; the worker downloads it. `analysis::LazyParts` lists the parts.

use futures_util::future::LocalBoxFuture;
use std::fmt;

/// Loads a part of the program on first use and returns its entry point.
pub type Loader<T> = fn() -> LocalBoxFuture<'static, Result<T, LoadError>>;

/// A part that could not be loaded. `Display` says so, and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The part that failed.
    pub part: LazyPart,
    /// Why it could not be loaded.
    pub why: LoadFailure,
}

/// Parts of the worker that are loaded on first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LazyPart {
    /// The search for kernels.
    Fits,
    /// The parsers of all formats but safetensors.
    Formats,
    /// The WebGPU implementation.
    Gpu,
    /// The Markdown parser for lessons.
    Lessons,
    /// The code that requests files from servers.
    Remote,
    /// The search for waves.
    Waves,
}

/// Why one of the page's own files could not be loaded, even on the second try. `Display` says so, and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadFailure {
    /// The connection failed or broke off, or the server has no such file.
    Lost,
    /// The server sent nothing for [`PATIENCE_S`] seconds.
    Silent,
    /// The response is a web page, as from networks with a sign-in page.
    WebPage,
}

/// Timeout in seconds without a byte received. `www/own_file.js` has the same constant.
pub const PATIENCE_S: u32 = 20;

impl LoadFailure {
    /// Parses the reason that `www/own_file.js` reports.
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
