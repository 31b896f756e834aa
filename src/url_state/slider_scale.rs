//! How a slider runs over a number: from where to where, in what steps, and whether over its powers.

/// The positions of a slider, and the numbers they stand for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SliderScale {
    /// The leftmost position.
    pub low: f64,
    /// The rightmost.
    pub high: f64,
    /// From one position to the next.
    pub step: f64,
    /// Positions are exponents of this number; without one they are the numbers themselves.
    pub powers_of: Option<f64>,
}

impl SliderScale {
    /// A slider whose positions are the numbers.
    #[must_use]
    pub const fn linear(low: f64, high: f64, step: f64) -> Self {
        Self {
            low,
            high,
            step,
            powers_of: None,
        }
    }

    /// A slider whose positions are exponents of a base.
    #[must_use]
    pub const fn powers_of(base: f64, low: f64, high: f64, step: f64) -> Self {
        Self {
            low,
            high,
            step,
            powers_of: Some(base),
        }
    }

    /// Where a number stands. A slider over powers puts leftmost what would stand further left, and what is not
    /// positive.
    #[must_use]
    pub fn position_of(&self, value: f64) -> f64 {
        match self.powers_of {
            // What has no logarithm is no number, so the maximum is the other one.
            Some(base) => value.log(base).max(self.low),
            None => value,
        }
    }

    /// The number at a position. Over powers it is rounded to three digits, which is what the eye tells apart; a
    /// power itself, 4096 of 2, is as it is.
    #[must_use]
    pub fn at_position(&self, position: f64) -> f64 {
        match self.powers_of {
            Some(base) => {
                let value = base.powf(position);
                if position >= 0.0 && position.fract() == 0.0 {
                    return value.round();
                }
                let digits = 10_f64.powf(2.0 - value.log10().floor());
                (value * digits).round() / digits
            }
            None => position,
        }
    }

    /// The number so many positions away, for fields that step like the slider beside them.
    #[must_use]
    pub fn stepped(&self, value: f64, steps: f64) -> f64 {
        let moved = self.position_of(value) + steps * self.step;
        if self.powers_of.is_some() {
            return self.at_position(moved);
        }
        // Sums of decimal steps have tails, 0.1 + 0.2, far below a step.
        let digits = 10_f64.powf(3.0 - self.step.log10().floor());
        (moved * digits).round() / digits
    }
}
