//! Description of an encoding for lists of encodings.

/// Entry in the list of position encodings.
#[derive(Debug, Clone, Copy)]
pub struct Encoding {
    /// Short name, stable in links.
    pub id: &'static str,
    /// One-sentence description.
    pub about: &'static str,
}

/// Upper limit on bucket counts and distances. The models' library computes bucket limits in single precision, which
/// represents every integer only up to this number.
pub(super) const MAX_BUCKETED: usize = 1 << f32::MANTISSA_DIGITS;
