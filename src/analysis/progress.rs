//! Who waits for an answer while it is read and computed.

use crate::model::Note;

/// Hears of the progress of a reading or a computation, and lets others run between its steps.
#[expect(
    async_fn_in_trait,
    reason = "everything that is open lives on one thread"
)]
pub trait Progress {
    /// So many of so many bytes of a model's files have been read.
    fn progress(&self, read: u64, size: u64);

    /// Something that should be known of the model was learned on the way.
    fn note(&self, note: Note);

    /// Lets others run. Whoever no longer wants the answer drops the future, which then ends here or at a
    /// read.
    async fn pause(&self);
}
