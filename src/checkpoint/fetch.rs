//! The interface through which the core requests remote files. In the worker the browser answers, in tests a
//! script does.

use std::{fmt, ops::Range};

/// Something that sends GET requests.
#[expect(
    async_fn_in_trait,
    reason = "futures over browser handles are never Send, and nothing here needs them to be"
)]
pub trait Fetch {
    /// The answer to a request.
    type Response: Response;

    /// Asks for `url`, or for one range of its bytes, end exclusive. Ends when the answer's headers are
    /// here; redirects have been followed by then. Whoever drops the future or the response ends the request.
    ///
    /// # Errors
    /// When no answer comes. An answer of any status is one.
    async fn get(&self, url: &str, range: Option<Range<u64>>)
    -> Result<Self::Response, FetchError>;
}

/// An answer whose body is still on its way.
#[expect(async_fn_in_trait, reason = "as for `Fetch`")]
pub trait Response {
    /// The HTTP status.
    fn status(&self) -> u16;

    /// Where the answer comes from, after redirects; `None` where that is unknown.
    fn url(&self) -> Option<String>;

    /// A header, as far as the server lets pages of other origins see it.
    fn header(&self, name: &str) -> Option<String>;

    /// Reads the body up to its end, or until `most` bytes are here; what comes after them is not waited for.
    ///
    /// # Errors
    /// When the body breaks off or falls silent.
    async fn body(self, most: u64) -> Result<Vec<u8>, FetchError>;
}

/// Why a request failed. A browser tells a page no more than this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchError {
    /// No answer came, or none that pages of other origins may see.
    Unreachable,
    /// The body broke off.
    CutOff,
    /// Nothing came for this long.
    Silent {
        /// How long was waited.
        seconds: u32,
    },
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The browser keeps the reason from pages, so both must be said.
            Self::Unreachable => f.write_str(
                "The browser got no answer it may show to this page. Either the server cannot be reached from \
                 here (or redirects in a circle), or it does not allow pages of other sites to read its files \
                 (CORS). Check the address and the connection; if the address works in a tab of its own, \
                 download the file there and drop it here.",
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
