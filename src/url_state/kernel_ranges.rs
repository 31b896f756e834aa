//! Ranges of the parameters of kernels.

use std::ops::RangeInclusive;

/// Range of the amplitude of a kernel.
pub const AMPLITUDES: RangeInclusive<f64> = -1e6..=1e6;
/// Range of the sharpness of a kernel.
pub const SHARPNESSES: RangeInclusive<f64> = 0.0..=100.0;
/// Range of the centre of a kernel.
pub const CENTRES: RangeInclusive<f64> = -65_536.0..=65_536.0;
