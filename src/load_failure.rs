//! Why one of the page's own files could not be loaded.

use std::fmt;

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
