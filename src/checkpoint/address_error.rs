//! Errors in an address or model name that the user typed, each with a sentence for the user.

use std::fmt;

use super::{error_kind::ErrorKind, remote_failure::RemoteFailure};

/// Why the typed text is not a usable address or name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddressError {
    /// It does not begin with `https://`.
    Scheme,
    /// It begins with `http:` and does not name the local machine.
    Insecure,
    /// It contains a user name or a password.
    Credentials,
    /// It names no server.
    Host,
    /// It is too long or contains characters that are not allowed in addresses.
    Characters,
    /// It is not the name of a model.
    Name,
    /// The text after the @ is not a revision.
    Revision,
    /// It is a page on the Hub that is not a model's.
    NoModel,
}

impl AddressError {
    /// The kind of error, which decides the remedy the page offers.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::RefusedAddress
    }
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scheme => {
                "The address does not begin with https://. Paste the whole address as the browser shows it."
            }
            Self::Insecure => {
                "The address begins with http://, which a secure page must not read from other machines. Try \
                 https://, or download the file and drop it here."
            }
            Self::Credentials => {
                "The address contains a user name or a password, which links would pass on. Leave out \
                 everything up to the @, or download the file and drop it here."
            }
            Self::Host => {
                "The address names no server, or contains letters that addresses do not have. Paste it as the \
                 browser shows it."
            }
            Self::Characters => {
                "The address is too long or contains spaces or signs that addresses do not have. Paste it as the \
                 browser shows it."
            }
            Self::Name => {
                "This is not the name of a model on the Hub. Type a name like org/model or org/model@revision, or an address that begins with https://."
            }
            Self::Revision => {
                "The text after the @ is not a revision. Use a branch, a tag or a commit, such as main."
            }
            Self::NoModel => {
                "This is the page of a dataset or an app, not of a model. Paste the address of the file \
                 itself, or of the model's page."
            }
        })
    }
}

impl std::error::Error for AddressError {}

impl From<AddressError> for RemoteFailure {
    fn from(error: AddressError) -> Self {
        Self::new(error.kind(), &error)
    }
}
