//! Interface to the caller that waits while an answer is read and computed.

use crate::model::Note;

/// Rows of a matrix computed between two pauses.
pub(super) const ROWS_AT_ONCE: usize = 128;

/// Receives the progress of reading or computing, and lets other tasks run between steps.
pub trait Progress {
    /// Reports that `read` of `size` bytes of a model's files have been read.
    fn progress(&self, read: u64, size: u64);

    /// Reports a note about the model.
    fn note(&self, note: Note);

    /// Lets other tasks run. A caller that no longer needs the answer drops the future, which then ends here or at a
    /// read.
    async fn pause(&self);
}
