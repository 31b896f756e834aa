//! The frame of a plot with two axes: its height, hairlines at round values, ticks below, and the names of both axes.
//!
//! The name of the vertical axis is above its labels, at the left edge of the figure. The name of the horizontal axis
//! is centred on a line of its own below the tick labels.

use crate::figure::{
    Anchor, Ink, LinearScale, Rect, Scene,
    scale::tick_label,
    text::{TEXT, fit_name, width},
};

/// Space above a plot for the name of its vertical axis.
pub(in crate::figure) const ABOVE: f64 = 24.0;
/// Space below a plot for ticks, their labels and the name of the axis.
pub(in crate::figure) const BELOW: f64 = 40.0;
/// Distance from the plot up to the name of the vertical axis.
const NAME_ABOVE: f64 = 15.0;
/// Distances from the plot down to tick labels and to the name of the horizontal axis.
const LABELS_BELOW: f64 = 13.0;
const NAME_BELOW: f64 = 30.0;
/// Space between labels and the vertical axis.
const GAP: f64 = 7.0;
/// Least space between two labels of a horizontal axis.
const APART: f64 = 10.0;
/// Preferred and least distance between two ticks of a horizontal axis.
const TICKS_APART: f64 = 56.0;
const CLOSEST: f64 = 24.0;
/// Approximate distance between two ticks of a vertical axis.
const VALUES_APART: f64 = 42.0;
/// Axes whose greatest value is below this use exponents.
const LEAST: f64 = 1e-3;

/// A tick and its label.
pub(in crate::figure) type Tick = (f64, String);

/// Height of a plot with the preferred ratio `aspect` of height to width.
pub(in crate::figure) fn plot_height(width: f64, aspect: f64) -> f64 {
    (width * aspect).clamp(140.0, 420.0)
}

/// Round values on a vertical axis of this height. All labels have the same number of decimals.
pub(in crate::figure) fn value_ticks(y: &LinearScale, height: f64) -> Vec<Tick> {
    let (ticks, digits) = y.ticks((height / VALUES_APART).max(2.0) as usize);
    let greatest = ticks
        .iter()
        .fold(0.0, |most: f64, tick| most.max(tick.abs()));
    let exponent = greatest.log10().floor() as i32;
    let label = |tick: f64| {
        if greatest > 0.0 && greatest < LEAST {
            with_exponent(tick, exponent, digits)
        } else {
            tick_label(tick, digits)
        }
    };
    ticks.into_iter().map(|tick| (tick, label(tick))).collect()
}

/// Formats a value with a fixed power of ten: “−2.5e−6”. Zero has no exponent.
fn with_exponent(value: f64, exponent: i32, digits: usize) -> String {
    let digits = (digits as i32 + exponent).max(0) as usize;
    let unit = 10_f64.powi(exponent);
    match tick_label(value / unit, digits) {
        zero if zero.chars().all(|c| matches!(c, '0' | '.')) => "0".to_owned(),
        number => format!("{number}e{exponent}").replace('-', "−"),
    }
}

/// Space left of a plot for the labels of its vertical axis: `least`, or more if they are wider, up to half of the
/// figure.
pub(in crate::figure) fn left_margin<'a>(
    labels: impl IntoIterator<Item = &'a str>,
    least: f64,
    figure: f64,
) -> f64 {
    let widths = labels.into_iter().map(|label| width(label, TEXT));
    let widest = widths.fold(0.0, f64::max);
    (widest + GAP + 1.0).max(least).min(figure / 2.0)
}

/// Draws a label of the vertical axis.
pub(in crate::figure) fn value_label(scene: &mut Scene, frame: &Rect, at: f64, label: String) {
    scene.text(label, (frame.x - GAP, at), Anchor::End, Ink::Muted);
}

/// Draws a label of the vertical axis at a short tick, for plots without hairlines.
pub(in crate::figure) fn value_tick(scene: &mut Scene, frame: &Rect, at: f64, label: String) {
    scene.line(vec![(frame.x - 4.0, at), (frame.x, at)], Ink::Muted, 1.0);
    // At the top edge it would overlap the name of the axis.
    value_label(scene, frame, at.max(frame.y + TEXT / 2.0), label);
}

/// Draws the name of the vertical axis. The figure must leave [`ABOVE`] for it.
pub(in crate::figure) fn vertical_name(scene: &mut Scene, frame: &Rect, name: &str) {
    if !name.is_empty() {
        let place = (0.0, frame.y - NAME_ABOVE);
        scene.text(
            fit_name(name, scene.width),
            place,
            Anchor::Start,
            Ink::Muted,
        );
    }
}

/// Draws the line below a plot.
pub(in crate::figure) fn base_line(scene: &mut Scene, frame: &Rect) {
    let ends = vec![(frame.x, frame.bottom()), (frame.right(), frame.bottom())];
    scene.line(ends, Ink::Muted, 1.0);
}

/// Round numbers on a horizontal axis, as many as fit with their labels. With `whole`, only integers.
pub(in crate::figure) fn bottom_ticks(x: &LinearScale, length: f64, whole: bool) -> Vec<Tick> {
    let with_count = |count: usize| -> Vec<Tick> {
        let (ticks, digits) = x.ticks(count);
        let is_labelled = |tick: &f64| !whole || tick.fract().abs() < 1e-9;
        let digits = if whole { 0 } else { digits };
        let ticks = ticks.into_iter().filter(is_labelled);
        ticks.map(|tick| (tick, tick_label(tick, digits))).collect()
    };
    let are_apart = |ticks: &Vec<Tick>, least: f64| {
        ticks.windows(2).all(|two| {
            let [(a, left), (b, right)] = two else {
                return true;
            };
            let labels = (width(left, TEXT) + width(right, TEXT)) / 2.0;
            x.pixel(*b) - x.pixel(*a) >= (labels + APART).max(least)
        })
    };
    let densest = ((length / CLOSEST) as usize).max(1);
    let most = |least: f64| {
        let mut all = (1..=densest).rev().map(with_count);
        all.find(|ticks| are_apart(ticks, least))
    };
    // Three ticks are preferred even if they are closer.
    let ticks = most(TICKS_APART).filter(|ticks| ticks.len() >= 3);
    ticks.or_else(|| most(0.0)).unwrap_or_else(|| with_count(1))
}

/// Draws a tick below a plot and its label, which is moved if it would leave the figure.
pub(in crate::figure) fn bottom_tick(scene: &mut Scene, frame: &Rect, at: f64, label: String) {
    let bottom = frame.bottom();
    scene.line(vec![(at, bottom), (at, bottom + 4.0)], Ink::Muted, 1.0);
    let place = (inside(scene, at, &label), bottom + LABELS_BELOW);
    scene.text(label, place, Anchor::Middle, Ink::Muted);
}

/// Draws the name of the horizontal axis, below the tick labels.
pub(in crate::figure) fn horizontal_name(scene: &mut Scene, frame: &Rect, name: &str) {
    let name = fit_name(name, scene.width);
    let middle = inside(scene, frame.x + frame.width / 2.0, &name);
    let place = (middle, frame.bottom() + NAME_BELOW);
    scene.text(name, place, Anchor::Middle, Ink::Muted);
}

/// Returns the middle of a text at `at`, moved so that the text stays inside the figure.
fn inside(scene: &Scene, at: f64, text: &str) -> f64 {
    let half = width(text, TEXT) / 2.0;
    at.min(scene.width - half).max(half)
}
