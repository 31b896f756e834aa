//! Sliders of kernels: which number each one sets, and its range.

use super::{AMPLITUDES, CENTRES, SHARPNESSES, SliderScale};
use crate::encoding::{Kernel, Kernels};
use std::ops::RangeInclusive;

/// One of the three numbers of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KernelNumber {
    /// a, in units of the score.
    Amplitude,
    /// |b|. Its slider is logarithmic.
    Sharpness,
    /// c, an offset.
    Centre,
}

impl KernelNumber {
    /// All three, in display order from top to bottom.
    pub const ALL: [Self; 3] = [Self::Amplitude, Self::Sharpness, Self::Centre];

    /// The name on the page.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Amplitude => "amplitude a",
            Self::Sharpness => "sharpness b",
            Self::Centre => "centre c",
        }
    }

    /// The symbol above its column.
    #[must_use]
    pub fn letter(self) -> &'static str {
        match self {
            Self::Amplitude => "a",
            Self::Sharpness => "|b|",
            Self::Centre => "c",
        }
    }

    /// Returns this number of a kernel. The sharpness is |b|.
    #[must_use]
    pub fn value(self, kernel: &Kernel) -> f64 {
        match self {
            Self::Amplitude => kernel.a,
            Self::Sharpness => kernel.b.abs(),
            Self::Centre => kernel.c,
        }
    }

    /// Sets this number of a kernel.
    pub fn put(self, kernel: &mut Kernel, value: f64) {
        match self {
            Self::Amplitude => kernel.a = value,
            Self::Sharpness => kernel.b = value,
            Self::Centre => kernel.c = value,
        }
    }

    /// Range for typed values, which is larger than that of the slider.
    #[must_use]
    pub fn limits(self) -> RangeInclusive<f64> {
        match self {
            Self::Amplitude => AMPLITUDES,
            Self::Sharpness => SHARPNESSES,
            Self::Centre => CENTRES,
        }
    }

    /// Scale of the slider. Amplitudes and centres keep their number of steps for any range.
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

/// Half the range of the sliders of amplitudes and centres: they run from −reach to +reach.
///
/// At first it is computed from the kernels and the open head alone, so that a link always opens the same sliders. It
/// stays while it [suits](Self::suits) the kernels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SliderReach {
    /// Reach of amplitudes, in units of the score.
    pub amplitude: f64,
    /// Reach of centres, in offsets.
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
    /// Computes the reach for kernels beside a head whose profile has this span (greatest minus least value).
    ///
    /// Amplitudes reach twice that span, enough for any readable kernel, and at least 1.5 times the greatest amplitude.
    /// Without a head they reach the default, or 1.5 times the greatest amplitude if that does not suit the default.
    #[must_use]
    pub fn compute(kernels: &Kernels, head_span: Option<f64>) -> Self {
        let usual = Self::default();
        let (a, c) = greatest(kernels);
        // The greatest amplitude has at least a hundred of the slider's thousand steps.
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

impl SliderReach {
    /// Returns whether sliders of this reach suit the kernels: every number is on its slider, and the greatest amplitude
    /// has at least 25 of the slider's thousand steps. Sliders then keep their reach, so that no thumb moves by itself.
    #[must_use]
    pub fn suits(&self, kernels: &Kernels) -> bool {
        const COARSEST: f64 = 40.0;
        let (a, c) = greatest(kernels);
        a <= self.amplitude && c <= self.centre && (a == 0.0 || a >= self.amplitude / COARSEST)
    }
}

/// Returns the greatest amplitude and the farthest centre of the kernels.
fn greatest(kernels: &Kernels) -> (f64, f64) {
    let most = |number: KernelNumber| {
        let values = kernels.0.iter().map(|kernel| number.value(kernel).abs());
        values.fold(0.0, f64::max)
    };
    (most(KernelNumber::Amplitude), most(KernelNumber::Centre))
}

/// Rounds up to the next of 1, 2, 4, 5, 10, 20, 40, 50 …
fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.max(1e-12).log10().floor());
    let steps = [1.0, 2.0, 4.0, 5.0, 10.0];
    let step = steps
        .into_iter()
        .find(|step| step * power >= value * (1.0 - 1e-12));
    step.unwrap_or(10.0) * power
}
