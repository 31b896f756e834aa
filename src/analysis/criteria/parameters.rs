//! Parameters of the demonstrations in the criteria table.

use super::{CRITERIA, Criterion, EncodingMethod, WAYS};

/// An adjustable number of a demonstration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CriterionParameter {
    /// Label of the parameter.
    pub name: &'static str,
    /// Minimum.
    pub low: f64,
    /// Maximum.
    pub high: f64,
    /// Initial value.
    pub start: f64,
    /// Values are multiples of this.
    pub step: f64,
    /// Whether its slider is logarithmic (base 2).
    pub is_logarithmic: bool,
}

impl CriterionParameter {
    /// Allowed value nearest to `value`; the start value for NaN.
    #[must_use]
    pub fn near(&self, value: f64) -> f64 {
        let value = if value.is_nan() { self.start } else { value };
        // Division by the integer 1/step avoids rounding errors of decimal steps.
        let steps = self.step.recip().round().max(1.0);
        ((value * steps).round() / steps).clamp(self.low, self.high)
    }

    /// Slider position of a value.
    #[must_use]
    pub fn position_of(&self, value: f64) -> f64 {
        if self.is_logarithmic {
            value.log2()
        } else {
            value
        }
    }

    /// Value at a slider position.
    #[must_use]
    pub fn at_position(&self, position: f64) -> f64 {
        self.near(if self.is_logarithmic {
            position.exp2()
        } else {
            position
        })
    }

    /// Step of the slider.
    #[must_use]
    pub fn slider_step(&self) -> f64 {
        if self.is_logarithmic {
            0.0625
        } else {
            self.step
        }
    }
}

const fn whole(name: &'static str, low: f64, high: f64, start: f64) -> CriterionParameter {
    CriterionParameter {
        name,
        low,
        high,
        start,
        step: 1.0,
        is_logarithmic: false,
    }
}

const fn tenths(name: &'static str, low: f64, high: f64, start: f64) -> CriterionParameter {
    CriterionParameter {
        step: 0.1,
        ..whole(name, low, high, start)
    }
}

const fn logarithmic(name: &'static str, low: f64, high: f64, start: f64) -> CriterionParameter {
    CriterionParameter {
        is_logarithmic: true,
        ..whole(name, low, high, start)
    }
}

const LENGTHS: &[CriterionParameter] = &[
    logarithmic("trained on n", 8.0, 512.0, 64.0),
    logarithmic("asked for n", 8.0, 1024.0, 128.0),
];
const TARGET: &[CriterionParameter] = &[
    whole("peak at offset", -24.0, 24.0, -3.0),
    whole("half-width", 1.0, 16.0, 4.0),
];
const SIZE: &[CriterionParameter] = &[
    logarithmic("positions n", 16.0, 8192.0, 512.0),
    logarithmic("width d", 64.0, 8192.0, 768.0),
    whole("layers L", 1.0, 96.0, 12.0),
    whole("heads H", 1.0, 64.0, 12.0),
    whole("kernels S", 1.0, 16.0, 5.0),
];
const UNTRAINED_SCORES: &[CriterionParameter] = &[
    whole("positions n", 8.0, 96.0, 48.0),
    whole("seed", 1.0, 32.0, 1.0),
];
const KERNEL_SHIFT: &[CriterionParameter] = &[
    whole("positions n", 8.0, 96.0, 48.0),
    whole("move all centres by", -20.0, 20.0, 0.0),
];
const COST: &[CriterionParameter] = &[
    logarithmic("positions n", 16.0, 4096.0, 512.0),
    logarithmic("width of a head d", 8.0, 256.0, 64.0),
];
const NUMBER_CHANGE: &[CriterionParameter] = &[
    whole("which number", 0.0, 127.0, 40.0),
    tenths("move it by", -2.0, 2.0, 1.0),
];
const KERNEL: &[CriterionParameter] = &[
    tenths("amplitude a", -8.0, 8.0, 3.0),
    CriterionParameter {
        step: 0.001,
        ..logarithmic("sharpness b", 0.001, 4.0, 0.05)
    },
    tenths("centre c", -24.0, 24.0, -4.0),
];
const OFFSET: &[CriterionParameter] = &[whole("offset k", -160.0, 160.0, -12.0)];

/// Parameters of a cell; indices from 0 in the order of [`WAYS`] and [`CRITERIA`]. Empty outside the table.
#[must_use]
pub fn criterion_parameters(way: usize, criterion: usize) -> &'static [CriterionParameter] {
    let (Some((way, ..)), Some((criterion, ..))) = (WAYS.get(way), CRITERIA.get(criterion)) else {
        return &[];
    };
    match (criterion, way) {
        (Criterion::Inductive, _) => LENGTHS,
        (Criterion::DataDriven, _) => TARGET,
        (Criterion::ParameterEfficient, _) => SIZE,
        (Criterion::TranslationInvariant, EncodingMethod::Tisa) => KERNEL_SHIFT,
        (Criterion::TranslationInvariant, _) => UNTRAINED_SCORES,
        (Criterion::Parallelizable, _) => COST,
        (Criterion::Interpretable, EncodingMethod::Tisa) => KERNEL,
        (Criterion::Interpretable, EncodingMethod::T5) => OFFSET,
        (Criterion::Interpretable, _) => NUMBER_CHANGE,
    }
}
