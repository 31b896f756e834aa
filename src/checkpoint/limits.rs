//! Limits on the size of reads.

/// Number of bytes of a file that are read first. Most headers fit, so that most checkpoints open with one read.
pub(super) const FIRST_READ: u64 = 64 << 10;

/// Maximum number of bytes per read. A larger table is read by rows.
pub(super) const LARGEST_READ: u64 = 512 << 20;

/// Ranges at most this far apart are read together, because a second read takes longer than reading the gap.
pub(super) const SMALL_GAP: u64 = 32 << 10;
