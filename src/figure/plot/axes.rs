//! The two axes of a plot: their names, ranges and ticks.

use super::{
    Axis,
    frame::{
        Tick, base_line, bottom_tick, bottom_ticks, horizontal_name, value_label, value_tick,
        value_ticks, vertical_name,
    },
};
use crate::figure::{Ink, LinearScale, Rect, Scene, plot::PlotArea};

/// An axis of a plot.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotAxis {
    /// Its name. Empty if the marks have no common quantity.
    pub name: &'static str,
    /// The quantity that it shares with the cursor, if any.
    pub quantity: Option<Axis>,
    /// The numbers at its ends. `None` for the range of the marks.
    pub range: Option<(f64, f64)>,
    /// The map from numbers to pixels, and the numbers at ticks.
    pub scale: AxisScale,
}

/// The kind of an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AxisScale {
    /// Linear, with ticks at round numbers.
    Linear,
    /// Linear, with ticks at integers.
    Whole,
    /// Linear over layers from 1, with ticks at integers; row 0 is named: it is the position table, above the layers.
    Layers(&'static str),
    /// Linear, with ticks at given numbers such as multiples of π, and their labels.
    Marked(&'static [(f64, &'static str)]),
    /// Logarithmic, with ticks at the powers of ten whose exponents are multiples of a number.
    Log(usize),
    /// Logarithmic over steps, with ticks at 0 and the powers of ten. The axis begins at 0, which is drawn at the place
    /// of ½.
    Steps,
}

/// Place of step 0 on a logarithmic axis, and the left end of the axis.
const STEP_ZERO: f64 = 0.5;
const LEFT_OF_ZERO: f64 = 0.4;

/// A map from numbers to pixels, linear or of their logarithms.
#[derive(Debug, Clone, Copy)]
pub(in crate::figure) struct Scale {
    linear: LinearScale,
    is_log: bool,
    /// Whether values below [`STEP_ZERO`] are drawn there.
    has_step_zero: bool,
}

impl Scale {
    /// Maps `domain` to `pixels` linearly, in that order.
    pub(in crate::figure) fn new(domain: (f64, f64), pixels: (f64, f64)) -> Self {
        Self {
            linear: LinearScale::new(domain, pixels),
            is_log: false,
            has_step_zero: false,
        }
    }

    /// Maps the logarithms of `domain` to `pixels`, in that order.
    fn log(domain: (f64, f64), pixels: (f64, f64)) -> Self {
        Self {
            linear: LinearScale::new((domain.0.log10(), domain.1.log10()), pixels),
            is_log: true,
            has_step_zero: false,
        }
    }

    /// Maps the logarithms of the steps from 0 to `last` to `pixels`.
    fn steps(last: f64, pixels: (f64, f64)) -> Self {
        Self {
            has_step_zero: true,
            ..Self::log((LEFT_OF_ZERO, last.max(1.0)), pixels)
        }
    }

    /// Returns the pixel of a value.
    pub(in crate::figure) fn pixel(&self, value: f64) -> f64 {
        let value = match self.has_step_zero {
            // A missing number stays one.
            true if value < STEP_ZERO => STEP_ZERO,
            _ => value,
        };
        let value = if self.is_log { value.log10() } else { value };
        self.linear.pixel(value)
    }

    /// Returns the value at a pixel.
    pub(in crate::figure) fn value(&self, pixel: f64) -> f64 {
        let value = self.linear.value(pixel);
        let value = if self.is_log {
            10_f64.powf(value)
        } else {
            value
        };
        match self.has_step_zero {
            // Nearer to step 0 than to step 1.
            true if value < STEP_ZERO.sqrt() => 0.0,
            _ => value,
        }
    }
}

impl PlotAxis {
    /// Creates an axis of a quantity, over the range of the marks.
    #[must_use]
    pub fn new(quantity: Axis, scale: AxisScale) -> Self {
        Self {
            quantity: Some(quantity),
            ..Self::with_name(quantity.title(), scale)
        }
    }

    /// Creates an axis with a name, without a quantity of the cursor.
    #[must_use]
    pub fn with_name(name: &'static str, scale: AxisScale) -> Self {
        Self {
            name,
            quantity: None,
            range: None,
            scale,
        }
    }

    /// Sets the numbers at its ends: left and right, or bottom and top.
    #[must_use]
    pub fn between(self, from: f64, to: f64) -> Self {
        Self {
            range: Some((from, to)),
            ..self
        }
    }

    /// Sets the ends so that each of `count` integers from `first` on is in the middle of a cell.
    #[must_use]
    pub fn cells(self, first: usize, count: usize) -> Self {
        let from = first as f64 - 0.5;
        self.between(from, from + count as f64)
    }

    /// Swaps the ends: a vertical axis then goes from top to bottom.
    #[must_use]
    pub fn reverse(self) -> Self {
        Self {
            range: self.range.map(|(from, to)| (to, from)),
            ..self
        }
    }

    /// Sets the quantity that it shares with the cursor.
    #[must_use]
    pub fn with_quantity(self, quantity: Axis) -> Self {
        Self {
            quantity: Some(quantity),
            ..self
        }
    }

    /// Returns the place of a step on a logarithmic axis: that of step 0 is ½.
    pub(in crate::figure) fn step_place(step: f64) -> f64 {
        step.max(STEP_ZERO)
    }

    /// Returns the numbers in the middle of so many equal parts of the axis, from its first end on.
    pub(in crate::figure) fn values_across(&self, parts: usize) -> impl Iterator<Item = f64> {
        let scale = self.scale(self.range.unwrap_or((0.0, 1.0)), (0.0, parts as f64));
        (0..parts).map(move |part| scale.value(part as f64 + 0.5))
    }

    pub(super) fn scale(&self, range: (f64, f64), pixels: (f64, f64)) -> Scale {
        match self.scale {
            AxisScale::Log(_) => Scale::log(range, pixels),
            AxisScale::Steps => Scale::steps(range.1, pixels),
            _ => Scale::new(range, pixels),
        }
    }

    /// Returns the ticks of a vertical axis of this height.
    pub(super) fn ticks_down(&self, y: &Scale, height: f64) -> Vec<Tick> {
        match self.scale {
            AxisScale::Log(every) => decades(y, every),
            AxisScale::Steps => step_ticks(y),
            AxisScale::Marked(ticks) => given_ticks(y, ticks),
            AxisScale::Linear | AxisScale::Whole => value_ticks(&y.linear, height),
            AxisScale::Layers(top) => layer_ticks(y, height, top),
        }
    }

    /// Draws the axis below a frame: the line, ticks with labels, and the name.
    pub(in crate::figure) fn draw_below(&self, scene: &mut Scene, frame: &Rect, x: &Scale) {
        base_line(scene, frame);
        self.draw_ticks(scene, frame, x);
    }

    fn draw_ticks(&self, scene: &mut Scene, frame: &Rect, x: &Scale) {
        for (tick, label) in self.ticks_across(x, frame.width) {
            bottom_tick(scene, frame, x.pixel(tick), label);
        }
        horizontal_name(scene, frame, self.name);
    }

    /// Returns the ticks of a horizontal axis of this length.
    fn ticks_across(&self, x: &Scale, length: f64) -> Vec<Tick> {
        match self.scale {
            AxisScale::Log(every) => decades(x, every),
            AxisScale::Steps => step_ticks(x),
            AxisScale::Marked(ticks) => given_ticks(x, ticks),
            AxisScale::Linear => bottom_ticks(&x.linear, length, false),
            AxisScale::Whole | AxisScale::Layers(_) => bottom_ticks(&x.linear, length, true),
        }
    }
}

/// Draws both axes: hairlines across the area at the ticks of the vertical one, ticks below it, and their names.
pub(super) fn draw_axes(scene: &mut Scene, area: &PlotArea, across: &PlotAxis, down: &PlotAxis) {
    let frame = &area.frame;
    for (tick, label) in down.ticks_down(&area.y, frame.height) {
        let at = area.y.pixel(tick);
        scene.line(area.horizontal(at), Ink::Hairline, 1.0);
        value_label(scene, frame, at, label);
    }
    vertical_name(scene, frame, down.name);
    across.draw_below(scene, frame, &area.x);
}

/// Draws both axes without hairlines and without a line below: ticks outside of the area, and their names.
pub(super) fn draw_axes_outside(
    scene: &mut Scene,
    area: &PlotArea,
    across: &PlotAxis,
    down: &PlotAxis,
) {
    let frame = &area.frame;
    across.draw_ticks(scene, frame, &area.x);
    for (tick, label) in down.ticks_down(&area.y, frame.height) {
        value_tick(scene, frame, area.y.pixel(tick), label);
    }
    vertical_name(scene, frame, down.name);
}

/// Returns the given ticks that are on the scale.
fn given_ticks(scale: &Scale, ticks: &[(f64, &str)]) -> Vec<Tick> {
    let inside = ticks.iter().filter(|tick| scale.linear.contains(tick.0));
    inside.map(|(at, name)| (*at, (*name).to_owned())).collect()
}

/// Returns the name of row 0, and integers below it at a height.
fn layer_ticks(y: &Scale, height: f64, top: &str) -> Vec<Tick> {
    let numbers = value_ticks(&y.linear, height).into_iter();
    let is_layer = |(at, _): &Tick| at.fract() == 0.0 && *at >= 1.0;
    let numbers = numbers.filter(is_layer);
    let label = |(at, _): Tick| (at, at.to_string());
    [(0.0, top.to_owned())]
        .into_iter()
        .chain(numbers.map(label))
        .collect()
}

/// Returns the powers of ten on a logarithmic scale whose exponents are multiples of `every`.
fn decades(scale: &Scale, every: usize) -> Vec<Tick> {
    const DECADES: i32 = 300;
    let exponents = (-DECADES..=DECADES).filter(|exponent| exponent % every as i32 == 0);
    let inside = exponents.filter(|exponent| scale.linear.contains(f64::from(*exponent)));
    let tick = |exponent: i32| (10_f64.powi(exponent), power_of_ten(exponent));
    inside.map(tick).collect()
}

/// Returns step 0 and the powers of ten on a logarithmic scale of steps.
fn step_ticks(scale: &Scale) -> Vec<Tick> {
    let zero = (0.0, "0".to_owned());
    let powers = decades(scale, 1).into_iter();
    let powers = powers.filter(|(step, _)| *step >= 1.0);
    [zero].into_iter().chain(powers).collect()
}

/// Formats a power of ten: 0.01, 1, 10, 10³.
fn power_of_ten(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    if (-2..=2).contains(&exponent) {
        return 10_f64.powi(exponent).to_string();
    }
    let sign = if exponent < 0 { "⁻" } else { "" };
    let digits = exponent.unsigned_abs().to_string().into_bytes();
    let digits = digits.iter().map(|digit| DIGITS[usize::from(digit - b'0')]);
    format!("10{sign}{}", digits.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::{Scale, power_of_ten, step_ticks};

    #[test]
    fn a_scale_of_steps_has_a_place_for_zero() {
        let scale = Scale::steps(1100.0, (0.0, 300.0));
        let labels: Vec<String> = step_ticks(&scale)
            .into_iter()
            .map(|(_, label)| label)
            .collect();
        assert_eq!(labels, ["0", "1", "10", "100", "10³"]);
        let pixels = [0.0, 1.0, 2.0, 1000.0].map(|step| scale.pixel(step));
        assert!(pixels.is_sorted() && pixels[0] > 0.0 && pixels[3] < 300.0);
        assert_eq!(scale.value(0.0), 0.0);
        assert_eq!(scale.value(pixels[0]), 0.0);
        assert!((scale.value(pixels[2]) - 2.0).abs() < 1e-9);
        assert!(scale.pixel(f64::NAN).is_nan());
    }

    #[test]
    fn powers_of_ten_are_short_near_one() {
        let powers = [-16, -3, -2, -1, 0, 1, 2, 3, 12].map(power_of_ten);
        let labels = [
            "10⁻¹⁶",
            "10⁻³",
            "0.01",
            "0.1",
            "1",
            "10",
            "100",
            "10³",
            "10¹²",
        ];
        assert_eq!(powers, labels);
    }
}
