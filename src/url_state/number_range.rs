//! The numbers that a field takes, and what is said of others.

use super::codec::finite_number;
use std::ops::RangeInclusive;

/// The numbers from one to another: all of them, or the whole ones.
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

    /// The whole numbers of a range.
    #[must_use]
    pub const fn whole(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            whole: true,
        }
    }

    /// The counts of a range.
    #[must_use]
    pub const fn of_counts(range: &RangeInclusive<usize>) -> Self {
        Self::whole(*range.start() as f64, *range.end() as f64)
    }

    /// The least.
    #[must_use]
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The greatest.
    #[must_use]
    pub fn high(&self) -> f64 {
        self.high
    }

    /// Whether they are whole numbers alone.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// The number that somebody typed, with a decimal point or a decimal comma.
    ///
    /// # Errors
    /// Which numbers may be typed, as a sentence, where this is none of them.
    pub fn read(&self, typed: &str) -> Result<f64, String> {
        let text = typed.trim().replace('−', "-");
        // A comma beside a point, or a second one, separates thousands: which one is the decimal sign is then a
        // guess, and no number is guessed.
        let text = if text.contains('.') {
            text
        } else {
            text.replacen(',', ".", 1)
        };
        let number = finite_number(&text).filter(|number| self.holds(*number));
        number.ok_or_else(|| self.sentence())
    }

    /// The nearest of them.
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

/// A number as a field shows it while nobody types in it: four significant digits, whole numbers in full.
#[must_use]
pub fn four_digits(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e6 {
        return value.to_string();
    }
    let text = format!("{value:.3e}");
    match text.parse::<f64>() {
        // Shortest digits again: no zeros at the end, and no long run of them at the beginning.
        Ok(rounded) if rounded.abs() < 1e-3 || rounded.abs() >= 1e6 => format!("{rounded:e}"),
        Ok(rounded) => rounded.to_string(),
        Err(_) => text,
    }
}
