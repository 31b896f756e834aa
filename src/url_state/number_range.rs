//! Range of the numbers that a field accepts, and the message for others.

use super::codec::finite_number;
use std::ops::RangeInclusive;

/// The real numbers or the integers of a closed range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberRange {
    low: f64,
    high: f64,
    whole: bool,
}

impl NumberRange {
    /// All numbers of a range.
    #[must_use]
    pub const fn all(range: RangeInclusive<f64>) -> Self {
        Self {
            low: *range.start(),
            high: *range.end(),
            whole: false,
        }
    }

    /// The integers of a range.
    #[must_use]
    pub const fn whole(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            whole: true,
        }
    }

    /// The integers of a range of counts.
    #[must_use]
    pub const fn from_counts(range: &RangeInclusive<usize>) -> Self {
        Self::whole(*range.start() as f64, *range.end() as f64)
    }

    /// The least number.
    #[must_use]
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The greatest number.
    #[must_use]
    pub fn high(&self) -> f64 {
        self.high
    }

    /// Returns whether only integers are accepted.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// Parses a typed number, with a decimal point or a decimal comma.
    ///
    /// # Errors
    /// A sentence that names the accepted numbers, if the text is not one of them.
    pub fn read(&self, typed: &str) -> Result<f64, String> {
        let text = typed.trim().replace('−', "-");
        // A comma next to a point, or a second comma, separates thousands. The decimal sign is then ambiguous, and the
        // text is rejected.
        let text = if text.contains('.') {
            text
        } else {
            text.replacen(',', ".", 1)
        };
        let number = finite_number(&text).filter(|number| self.holds(*number));
        number.ok_or_else(|| self.sentence())
    }

    /// Returns the nearest accepted number.
    #[must_use]
    pub fn nearest(&self, number: f64) -> f64 {
        let number = if self.whole { number.round() } else { number };
        number.clamp(self.low, self.high)
    }

    fn holds(&self, number: f64) -> bool {
        (self.low..=self.high).contains(&number) && !(self.whole && number.fract() != 0.0)
    }

    fn sentence(&self) -> String {
        let kind = if self.whole {
            "Whole numbers"
        } else {
            "Numbers"
        };
        let sentence = format!("{kind} from {} to {}.", self.low, self.high);
        sentence.replace('-', "−")
    }
}

/// Formats a number for a field that is not being edited: four significant digits, integers in full.
#[must_use]
pub fn four_digits(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e6 {
        return value.to_string();
    }
    let text = format!("{value:.3e}");
    match text.parse::<f64>() {
        // Formats the shortest digits again, without trailing zeros and without long runs of leading ones.
        Ok(rounded) if rounded.abs() < 1e-3 || rounded.abs() >= 1e6 => format!("{rounded:e}"),
        Ok(rounded) => rounded.to_string(),
        Err(_) => text,
    }
}
