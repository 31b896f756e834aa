//! HTTP interface through which the core requests remote files. Implemented by the browser's `fetch` in the worker and
//! by a script in tests.

use std::{fmt, ops::Range};

/// An HTTP client that sends GET requests.
pub trait Fetch {
    /// The type of a response.
    type Response: Response;

    /// Requests `url`, or one range of its bytes, end exclusive. Resolves when the response's headers have arrived and
    /// redirects have been followed. Dropping the future or the response aborts the request.
    ///
    /// # Errors
    /// If no response arrives. A response of any status is not an error.
    async fn get(&self, url: &str, range: Option<Range<u64>>)
    -> Result<Self::Response, FetchError>;
}

/// A response whose body has not been read yet.
pub trait Response {
    /// The HTTP status.
    fn status(&self) -> u16;

    /// Final URL of the response, after redirects; `None` if it is unknown.
    fn url(&self) -> Option<String>;

    /// A header, if the server exposes it to pages of other origins.
    fn header(&self, name: &str) -> Option<String>;

    /// Reads the body up to its end, or until `most` bytes have arrived.
    ///
    /// # Errors
    /// If the connection breaks off, or no data arrives for too long.
    async fn body(self, most: u64) -> Result<Vec<u8>, FetchError>;
}

/// Why a request failed. A browser gives a page no more detail than this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchError {
    /// No response arrived, or none that the browser shows to pages of other origins.
    Unreachable,
    /// The body broke off.
    CutOff,
    /// No data arrived for this long.
    Silent {
        /// Length of the timeout.
        seconds: u32,
    },
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The browser hides the reason from pages, so the message names both.
            Self::Unreachable => f.write_str(
                "The server could not be reached, or it does not allow other sites to read this file (CORS). Check the address and the connection; if the address works in a new tab, download the file there and drop it here.",
            ),
            Self::CutOff => f.write_str(
                "The connection broke off in the middle of the file, twice. Try again, or download the file and \
                 drop it here.",
            ),
            Self::Silent { seconds } => write!(
                f,
                "The server has sent nothing for {seconds} seconds. Try again, or download the file and drop it \
                 here."
            ),
        }
    }
}

impl std::error::Error for FetchError {}
