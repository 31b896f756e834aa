//! The frame of a plot on two axes: how high it is, hairlines at round values, ticks below it, the names of both axes.
//!
//! The name of the vertical axis is written above its labels, from the left edge of the figure. The name of the horizontal
//! axis is written in a line of its own under the labels of its ticks, in the middle.

use super::{
    Anchor, Ink, LinearScale, Rect, Scene,
    scale::tick_label,
    scene::TEXT,
    text::{fitted, width},
};

/// Space above a plot that has the name of its vertical axis there.
pub(super) const ABOVE: f64 = 24.0;
/// Space below a plot for ticks, their labels and the name of the axis.
pub(super) const BELOW: f64 = 40.0;
/// The name of the vertical axis is so far above the plot.
const NAME_ABOVE: f64 = 15.0;
/// Labels of ticks, and under them the name of the horizontal axis, are so far below the plot.
const LABELS_BELOW: f64 = 13.0;
const NAME_BELOW: f64 = 30.0;
/// Between labels and the vertical axis.
const GAP: f64 = 7.0;
/// Between two labels of a horizontal axis, at least.
const APART: f64 = 10.0;
/// Between two ticks of a horizontal axis, where there is space, and where they are closest.
const TICKS_APART: f64 = 56.0;
const CLOSEST: f64 = 24.0;
/// Between two ticks of a vertical axis, about.
const VALUES_APART: f64 = 42.0;
/// Values below this are written with an exponent.
const LEAST: f64 = 1e-3;

/// A tick and its label.
pub(super) type Tick = (f64, String);

/// The height of a plot, whose height over its width should be `aspect`.
pub(super) fn plot_height(width: f64, aspect: f64) -> f64 {
    (width * aspect).clamp(140.0, 420.0)
}

/// Round values on a vertical axis of a height. All labels have the same number of digits after the point.
pub(super) fn value_ticks(y: &LinearScale, height: f64) -> Vec<Tick> {
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

/// A value in units of a power of ten: “−2.5e−6”, and zero without a unit.
fn with_exponent(value: f64, exponent: i32, digits: usize) -> String {
    let digits = (digits as i32 + exponent).max(0) as usize;
    let unit = 10_f64.powi(exponent);
    match tick_label(value / unit, digits) {
        zero if zero.chars().all(|c| matches!(c, '0' | '.')) => "0".to_owned(),
        number => format!("{number}e{exponent}").replace('-', "−"),
    }
}

/// Space left of a plot for the labels of its vertical axis: `least`, or more where they are wider, up to half of the
/// figure.
pub(super) fn left_margin<'a>(
    labels: impl IntoIterator<Item = &'a str>,
    least: f64,
    figure: f64,
) -> f64 {
    let widths = labels.into_iter().map(|label| width(label, TEXT));
    let widest = widths.fold(0.0, f64::max);
    (widest + GAP + 1.0).max(least).min(figure / 2.0)
}

/// The vertical axis: a hairline across the plot at every round value, whose label is left of it, and its name above.
pub(super) fn value_axis(scene: &mut Scene, y: &LinearScale, frame: &Rect, name: &str) {
    for (tick, label) in value_ticks(y, frame.height) {
        let at = y.pixel(tick);
        scene.line(vec![(frame.x, at), (frame.right(), at)], Ink::Hairline, 1.0);
        value_label(scene, frame, at, label);
    }
    vertical_name(scene, frame, name);
}

/// A label of the vertical axis.
pub(super) fn value_label(scene: &mut Scene, frame: &Rect, at: f64, label: String) {
    scene.text(label, (frame.x - GAP, at), Anchor::End, Ink::Muted);
}

/// A label of the vertical axis at a tick of its own, where no hairline crosses the plot.
pub(super) fn value_tick(scene: &mut Scene, frame: &Rect, at: f64, label: String) {
    scene.line(vec![(frame.x - 4.0, at), (frame.x, at)], Ink::Muted, 1.0);
    // Its upper half would be in the line of the axis' name.
    value_label(scene, frame, at.max(frame.y + TEXT / 2.0), label);
}

/// The name of the vertical axis. A figure that has one leaves [`ABOVE`] for it.
pub(super) fn vertical_name(scene: &mut Scene, frame: &Rect, name: &str) {
    if !name.is_empty() {
        let place = (0.0, frame.y - NAME_ABOVE);
        scene.text(fitted(name, scene.width), place, Anchor::Start, Ink::Muted);
    }
}

/// The line below a plot.
pub(super) fn base_line(scene: &mut Scene, frame: &Rect) {
    let ends = vec![(frame.x, frame.bottom()), (frame.right(), frame.bottom())];
    scene.line(ends, Ink::Muted, 1.0);
}

/// Round numbers on a horizontal axis, as many as have space for their labels; whole ones alone where `whole` says so.
pub(super) fn bottom_ticks(x: &LinearScale, length: f64, whole: bool) -> Vec<Tick> {
    let with_count = |count: usize| -> Vec<Tick> {
        let (ticks, digits) = x.ticks(count);
        let is_taken = |tick: &f64| !whole || tick.fract().abs() < 1e-9;
        let digits = if whole { 0 } else { digits };
        let taken = ticks.into_iter().filter(is_taken);
        taken.map(|tick| (tick, tick_label(tick, digits))).collect()
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
    // Three ticks are worth standing closer.
    let ticks = most(TICKS_APART).filter(|ticks| ticks.len() >= 3);
    ticks.or_else(|| most(0.0)).unwrap_or_else(|| with_count(1))
}

/// A tick below a plot, and its label, which is moved where it would leave the figure.
pub(super) fn bottom_tick(scene: &mut Scene, frame: &Rect, at: f64, label: String) {
    let bottom = frame.bottom();
    scene.line(vec![(at, bottom), (at, bottom + 4.0)], Ink::Muted, 1.0);
    let place = (inside(scene, at, &label), bottom + LABELS_BELOW);
    scene.text(label, place, Anchor::Middle, Ink::Muted);
}

/// The name of the horizontal axis, under the labels of its ticks.
pub(super) fn horizontal_name(scene: &mut Scene, frame: &Rect, name: &str) {
    let name = fitted(name, scene.width);
    let middle = inside(scene, frame.x + frame.width / 2.0, &name);
    let place = (middle, frame.bottom() + NAME_BELOW);
    scene.text(name, place, Anchor::Middle, Ink::Muted);
}

/// The middle of a text that is to be at `at`, or the nearest from which it does not leave the figure.
fn inside(scene: &Scene, at: f64, text: &str) -> f64 {
    let half = width(text, TEXT) / 2.0;
    at.min(scene.width - half).max(half)
}

/// The horizontal axis: ticks at whole numbers, and its name.
pub(super) fn bottom_axis(scene: &mut Scene, x: &LinearScale, frame: &Rect, name: &str) {
    base_line(scene, frame);
    for (tick, label) in bottom_ticks(x, frame.width, true) {
        bottom_tick(scene, frame, x.pixel(tick), label);
    }
    horizontal_name(scene, frame, name);
}

/// Entries of a legend in rows, each from `left` on: where each begins, the row of each, and how many rows there are.
/// `widths` has the width of every entry with the space after it.
pub(super) fn legend_rows(
    widths: impl IntoIterator<Item = f64>,
    left: f64,
    figure: f64,
) -> (Vec<(f64, usize)>, usize) {
    let (mut x, mut row, mut places) = (left, 0, Vec::new());
    for width in widths {
        if x + width > figure && x > left {
            (x, row) = (left, row + 1);
        }
        places.push((x, row));
        x += width;
    }
    let rows = if places.is_empty() { 0 } else { row + 1 };
    (places, rows)
}
