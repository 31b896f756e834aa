//! Failure of a question: a kind, which decides the remedy that the page offers, and a sentence.

use super::HeadId;
use crate::{
    checkpoint::{CheckpointError, ErrorKind, RemoteFailure},
    lazy::LoadError,
    model::ModelError,
    short_text::short_message,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Kind of failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailureKind {
    /// A file is damaged, unsupported or inconsistent.
    RefusedFile,
    /// The question needs a file that was not provided.
    MissingFile {
        /// Name of the file.
        name: String,
    },
    /// A server did not send the requested data.
    Network,
    /// The data are larger than a page can hold.
    TooLarge,
    /// The model was closed, or reopened with other options.
    Closed,
    /// The states of a run over a text are no longer in memory: they were evicted, or lost with the worker.
    RunGone,
    /// The model does not have the requested part.
    NotThere,
    /// The page itself is at fault.
    OurFault,
}

/// Action with which a user can resolve a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// Send the question again.
    TryAgain,
    /// Provide the file with this name.
    AddFile(String),
    /// Open another file.
    OpenAnother,
}

/// Reason why there is no answer. `Display` writes the sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Kind, which decides the remedy.
    pub kind: FailureKind,
    /// Says what is wrong, where, and what to do.
    pub sentence: String,
}

impl Failure {
    /// Forms a failure of a kind. Long names in the sentence are shortened.
    pub fn new(kind: FailureKind, sentence: impl Into<String>) -> Self {
        Self {
            kind,
            sentence: short_message(&sentence.into()),
        }
    }

    /// The model does not have the requested part.
    pub fn not_there(sentence: impl Into<String>) -> Self {
        Self::new(FailureKind::NotThere, sentence)
    }

    /// The model does not have that head.
    #[must_use]
    pub fn no_such_head(id: HeadId) -> Self {
        Self::not_there(format!(
            "The open model has no layer {}, head {}.",
            id.layer + 1,
            id.head + 1
        ))
    }

    /// The page itself is at fault.
    pub fn ours(sentence: impl Into<String>) -> Self {
        Self::new(FailureKind::OurFault, sentence)
    }

    /// The model is not open, or no longer in this version.
    #[must_use]
    pub fn model_closed() -> Self {
        Self::new(
            FailureKind::Closed,
            "That model is no longer open. Open it again.",
        )
    }

    /// Action with which a user can resolve the failure, if the page can offer one.
    #[must_use]
    pub fn remedy(&self) -> Option<Remedy> {
        match &self.kind {
            FailureKind::Network | FailureKind::OurFault => Some(Remedy::TryAgain),
            FailureKind::MissingFile { name } => Some(Remedy::AddFile(name.clone())),
            FailureKind::RefusedFile | FailureKind::TooLarge => Some(Remedy::OpenAnother),
            FailureKind::Closed | FailureKind::RunGone | FailureKind::NotThere => None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl From<ErrorKind> for FailureKind {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::RefusedFile | ErrorKind::RefusedAddress | ErrorKind::LostFile => {
                Self::RefusedFile
            }
            ErrorKind::MissingFile { name } => Self::MissingFile { name },
            ErrorKind::Network | ErrorKind::OnlyWhole { .. } => Self::Network,
            ErrorKind::TooLarge => Self::TooLarge,
            ErrorKind::OurFault => Self::OurFault,
        }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Checkpoint(error) => error.into(),
            error => Self::new(FailureKind::RefusedFile, error.to_string()),
        }
    }
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Self {
        Self::new(error.kind().into(), error.to_string())
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Self::new(FailureKind::Network, error.to_string())
    }
}

impl From<RemoteFailure> for Failure {
    fn from(failure: RemoteFailure) -> Self {
        let sentence = failure.to_string();
        Self::new(failure.kind.into(), sentence)
    }
}
