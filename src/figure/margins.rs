//! Space beside matrices, and beside plots of the same scale.

/// Space left of a matrix, and of line plots below it, so that both have the same scale.
pub(super) const LEFT: f64 = 44.0;
/// Space right of the matrix.
pub(super) const RIGHT: f64 = 12.0;
