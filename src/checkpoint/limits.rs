//! How much is read at once.

/// The bytes of a file that are read first. Most headers fit in them, so that most checkpoints open with one
/// read.
pub(super) const FIRST_READ: u64 = 64 << 10;

/// The most bytes that one call reads. A table larger than this is read by rows.
pub(super) const LARGEST_READ: u64 = 512 << 20;

/// Two ranges that lie this close to one another are read together, because a second read takes longer than
/// the bytes between them.
pub(super) const SMALL_GAP: u64 = 32 << 10;
