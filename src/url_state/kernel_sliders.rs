//! The sliders of kernels: which number each one moves, and how far it runs.

use super::{AMPLITUDES, CENTRES, SHARPNESSES, SliderScale};
use crate::encoding::{Kernel, Kernels};
use std::ops::RangeInclusive;

/// One of a kernel's three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KernelNumber {
    /// a, in units of the score.
    Amplitude,
    /// |b|; its slider runs over powers of ten.
    Sharpness,
    /// c, an offset.
    Centre,
}

impl KernelNumber {
    /// All three, as they stand below each other.
    pub const ALL: [Self; 3] = [Self::Amplitude, Self::Sharpness, Self::Centre];

    /// What the page calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Amplitude => "amplitude a",
            Self::Sharpness => "sharpness b",
            Self::Centre => "centre c",
        }
    }

    /// The letter over its column.
    #[must_use]
    pub fn letter(self) -> &'static str {
        match self {
            Self::Amplitude => "a",
            Self::Sharpness => "|b|",
            Self::Centre => "c",
        }
    }

    /// The number of a kernel.
    #[must_use]
    pub fn of(self, kernel: &Kernel) -> f64 {
        match self {
            Self::Amplitude => kernel.a,
            Self::Sharpness => kernel.b.abs(),
            Self::Centre => kernel.c,
        }
    }

    /// Gives a kernel another number.
    pub fn put(self, kernel: &mut Kernel, value: f64) {
        match self {
            Self::Amplitude => kernel.a = value,
            Self::Sharpness => kernel.b = value,
            Self::Centre => kernel.c = value,
        }
    }

    /// What may be typed, which is more than the slider reaches.
    #[must_use]
    pub fn limits(self) -> RangeInclusive<f64> {
        match self {
            Self::Amplitude => AMPLITUDES,
            Self::Sharpness => SHARPNESSES,
            Self::Centre => CENTRES,
        }
    }

    /// How its slider runs. Amplitudes and centres keep as many steps however far they reach.
    #[must_use]
    pub fn slider(self, reach: SliderReach) -> SliderScale {
        let around_zero =
            |reach: f64, steps: f64| SliderScale::linear(-reach, reach, reach / steps);
        match self {
            Self::Amplitude => around_zero(reach.amplitude, 1000.0),
            Self::Sharpness => SliderScale::powers_of(10.0, -7.0, 1.0, 0.01),
            Self::Centre => around_zero(reach.centre, 400.0),
        }
    }
}

/// How far the sliders of amplitudes and centres run to either side.
///
/// It follows from the kernels and the open head alone: a page that is loaded again, or a link that was shared, has
/// the sliders of the page before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SliderReach {
    /// Of amplitudes.
    pub amplitude: f64,
    /// Of centres.
    pub centre: f64,
}

impl Default for SliderReach {
    fn default() -> Self {
        Self {
            amplitude: 10.0,
            centre: 40.0,
        }
    }
}

impl SliderReach {
    /// The reach for kernels beside a head, whose profile spans so much from its least to its greatest value.
    ///
    /// Amplitudes run over twice that span, which is as much as a kernel that can be read has; farther where a
    /// kernel is higher. Without a head they run as far as for the kernels one starts with, or as those at hand
    /// need.
    #[must_use]
    pub fn of(kernels: &Kernels, head_span: Option<f64>) -> Self {
        let usual = Self::default();
        let most = |number: KernelNumber| {
            let values = kernels.0.iter().map(|kernel| number.of(kernel).abs());
            values.fold(0.0, f64::max)
        };
        let (a, c) = (most(KernelNumber::Amplitude), most(KernelNumber::Centre));
        // At least a hundred of a slider's thousand steps are left to the highest kernel.
        let fine_enough = |reach: &f64| (reach / 10.0..=*reach).contains(&a) || a == 0.0;
        let amplitude = match head_span.filter(|span| *span > 0.0) {
            Some(span) => round_up((2.0 * span).max(1.5 * a)),
            None => Some(usual.amplitude)
                .filter(fine_enough)
                .unwrap_or_else(|| round_up(1.5 * a)),
        };
        Self {
            amplitude,
            centre: round_up(c).max(usual.centre),
        }
    }
}

/// The next of 1, 2, 4, 5, 10, 20, 40, 50 …
fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.max(1e-12).log10().floor());
    let steps = [1.0, 2.0, 4.0, 5.0, 10.0];
    let step = steps
        .into_iter()
        .find(|step| step * power >= value * (1.0 - 1e-12));
    step.unwrap_or(10.0) * power
}
