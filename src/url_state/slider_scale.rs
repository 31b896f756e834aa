//! Scale of a slider: range, step, linear or logarithmic.

/// Maps the positions of a slider to numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SliderScale {
    /// The leftmost position.
    pub low: f64,
    /// The rightmost position.
    pub high: f64,
    /// Distance between two positions.
    pub step: f64,
    /// If set, positions are exponents of this base. Otherwise positions are the numbers themselves.
    pub powers_of: Option<f64>,
}

impl SliderScale {
    /// A linear slider.
    #[must_use]
    pub const fn linear(low: f64, high: f64, step: f64) -> Self {
        Self {
            low,
            high,
            step,
            powers_of: None,
        }
    }

    /// A logarithmic slider, whose positions are exponents of a base.
    #[must_use]
    pub const fn powers_of(base: f64, low: f64, high: f64, step: f64) -> Self {
        Self {
            low,
            high,
            step,
            powers_of: Some(base),
        }
    }

    /// Returns the position of a number. On a logarithmic slider, numbers below the range and those that are not
    /// positive are leftmost.
    #[must_use]
    pub fn position_of(&self, value: f64) -> f64 {
        match self.powers_of {
            // The logarithm of a negative number is NaN, and `max` then returns the other operand.
            Some(base) => value.log(base).max(self.low),
            None => value,
        }
    }

    /// Returns the number at a position. On a logarithmic slider it is rounded to three digits; integer powers such as
    /// 4096 = 2¹² are exact.
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

    /// Returns the number this many positions away, for fields that step like the slider beside them.
    #[must_use]
    pub fn step(&self, value: f64, steps: f64) -> f64 {
        let moved = self.position_of(value) + steps * self.step;
        if self.powers_of.is_some() {
            return self.at_position(moved);
        }
        // Rounds off the error of adding decimal steps, as in 0.1 + 0.2.
        let digits = 10_f64.powf(3.0 - self.step.log10().floor());
        (moved * digits).round() / digits
    }
}
