//! How an encoding is described in lists of encodings.

/// A way to encode position that this crate knows.
#[derive(Debug, Clone, Copy)]
pub struct Encoding {
    /// Short name, stable in links.
    pub id: &'static str,
    /// A sentence that describes it.
    pub about: &'static str,
}

/// The largest size of bucketed offsets. The models' library rounds in single precision where buckets end, and
/// beyond this number single precision no longer holds every whole number.
pub(super) const MAX_BUCKETED: usize = 1 << f32::MANTISSA_DIGITS;
