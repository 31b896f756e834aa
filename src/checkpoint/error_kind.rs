//! The kinds of error, each of which has a remedy of its own.

use serde::{Deserialize, Serialize};

/// What sort of trouble an error is. An error's sentence is for a person; its kind tells the page which remedy
/// to offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorKind {
    /// The file is not of a kind that is read here, is damaged, or is not handed out. Another file may do.
    RefusedFile,
    /// The address or name that was typed cannot be used. It can be corrected.
    RefusedAddress,
    /// A file that belongs to the model was not handed over. It can be added.
    MissingFile {
        /// The file's name.
        name: String,
    },
    /// The file was moved, changed or cut short after it was chosen. It can be chosen again.
    LostFile,
    /// The network or the server failed. The same request may succeed later.
    Network,
    /// The server sends the whole file only. It can be read whole if the person allows that.
    OnlyWhole {
        /// The file's size in bytes, where the server says it.
        size: Option<u64>,
    },
    /// The request takes more memory than a page should hold.
    TooLarge,
    /// This program made a mistake.
    OurFault,
}
