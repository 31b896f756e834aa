//! Kinds of error. Each has its own remedy.

use serde::{Deserialize, Serialize};

/// Kind of an error. The error's sentence is for the user; its kind tells the page which remedy to offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorKind {
    /// The file has an unsupported format, is damaged, or the server refuses it. Another file may work.
    RefusedFile,
    /// The typed address or name cannot be used. It can be corrected.
    RefusedAddress,
    /// A file that belongs to the model was not provided. It can be added.
    MissingFile {
        /// The file's name.
        name: String,
    },
    /// The file was moved, changed or cut short after it was chosen. It can be chosen again.
    LostFile,
    /// The network or the server failed. The same request may succeed later.
    Network,
    /// The server sends only the whole file. It can be read whole if the user allows that.
    OnlyWhole {
        /// The file's size in bytes, if the server states it.
        size: Option<u64>,
    },
    /// The request takes more memory than a page should hold.
    TooLarge,
    /// A bug in this program.
    OurFault,
}
