//! Scales from numbers to pixels, ticks, and formatting of numbers.

use std::ops::RangeInclusive;

/// A linear map from a domain to pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearScale {
    domain: (f64, f64),
    pixels: (f64, f64),
}

impl LinearScale {
    /// Maps `domain` to `pixels`, in that order. An empty domain is widened.
    #[must_use]
    pub fn new(domain: (f64, f64), pixels: (f64, f64)) -> Self {
        let (low, high) = domain;
        let domain = if low == high {
            (low - 0.5, high + 0.5)
        } else {
            domain
        };
        Self { domain, pixels }
    }

    /// Returns the pixel of a value.
    #[must_use]
    pub fn pixel(&self, value: f64) -> f64 {
        let share = (value - self.domain.0) / (self.domain.1 - self.domain.0);
        self.pixels.0 + share * (self.pixels.1 - self.pixels.0)
    }

    /// Returns the value at a pixel.
    #[must_use]
    pub fn value(&self, pixel: f64) -> f64 {
        let share = (pixel - self.pixels.0) / (self.pixels.1 - self.pixels.0);
        self.domain.0 + share * (self.domain.1 - self.domain.0)
    }

    /// Returns whether a value is between the ends of the scale, to half a pixel.
    pub(super) fn contains(&self, value: f64) -> bool {
        let (from, to) = self.pixels;
        (from.min(to) - 0.5..=from.max(to) + 0.5).contains(&self.pixel(value))
    }

    /// Returns about `count` round numbers inside the domain, and the number of decimals they need.
    #[must_use]
    pub fn ticks(&self, count: usize) -> (Vec<f64>, usize) {
        let (low, high) = (
            self.domain.0.min(self.domain.1),
            self.domain.0.max(self.domain.1),
        );
        let rough = (high - low) / count.max(1) as f64;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|m| m * power)
            .find(|&step| step >= rough * 0.8)
            .unwrap_or(10.0 * power);
        let digits = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        let (first, last) = (
            (low / step - 1e-9).ceil() as i64,
            (high / step + 1e-9).floor() as i64,
        );
        ((first..=last).map(|t| t as f64 * step).collect(), digits)
    }
}

/// Returns the smallest range of all finite values, widened by `margin` times its length. `None` if there is no finite
/// value.
pub(in crate::figure) fn extent(
    values: impl Iterator<Item = f64>,
    margin: f64,
) -> Option<RangeInclusive<f64>> {
    let (low, high) = values
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        });
    (low <= high).then(|| {
        let padding = if low == high {
            low.abs().max(1.0)
        } else {
            high - low
        } * margin;
        low - padding..=high + padding
    })
}

/// Formats a share as percent with one digit after the point.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Formats a number for display: three significant digits, a true minus sign, an exponent only for very small or large
/// values. A dash if it is not finite.
#[must_use]
pub fn number(value: f64) -> String {
    let size = value.abs();
    let text = if !value.is_finite() {
        "–".to_owned()
    } else if size == 0.0 {
        "0".to_owned()
    } else if !(1e-4..1e6).contains(&size) {
        format!("{value:.2e}")
    } else {
        let digits = (2.0 - size.log10().floor()).clamp(0.0, 6.0) as usize;
        format!("{value:.digits$}")
    };
    text.replace('-', "−")
}

/// Formats an integer with a true minus sign.
#[must_use]
pub fn format_signed(value: i64) -> String {
    value.to_string().replace('-', "−")
}

/// Formats an integer as an ordinal: 2nd, 11th, 23rd.
#[must_use]
pub fn ordinal(number: usize) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// Formats the label of a tick.
pub(in crate::figure) fn tick_label(value: f64, digits: usize) -> String {
    let zero = value.abs() < 0.5 * 10_f64.powi(-(digits as i32));
    if zero && digits > 3 {
        return "0".to_owned();
    }
    let size = format!("{:.digits$}", if zero { 0.0 } else { value.abs() });
    let sign = if value < 0.0 && !zero { "−" } else { "" };
    format!("{sign}{size}")
}

/// Formats an integer with separated thousands.
#[must_use]
pub fn group_thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::tick_label;

    #[test]
    fn a_tick_has_a_zero_before_its_point_and_a_true_minus() {
        for (value, digits, label) in [
            (0.0, 5, "0"),
            (-1e-9, 2, "0.00"),
            (-0.5, 1, "−0.5"),
            (0.0125, 4, "0.0125"),
            (-0.0125, 4, "−0.0125"),
            (10.0004, 4, "10.0004"),
            (-20.0004, 4, "−20.0004"),
        ] {
            assert_eq!(tick_label(value, digits), label);
        }
    }
}
