//! The frame of a plot on two axes: how high it is, hairlines at round values, ticks below it.

use super::{Anchor, Ink, LinearScale, Rect, Scene, scale::tick_label};

/// The height of a plot, whose height over its width should be `aspect`.
pub(super) fn plot_height(width: f64, aspect: f64) -> f64 {
    (width * aspect).clamp(140.0, 420.0)
}

/// The vertical axis: a hairline across the plot at every round value, which stands to its left.
pub(super) fn value_axis(scene: &mut Scene, y: &LinearScale, frame: &Rect) {
    let (ticks, digits) = y.ticks((frame.height / 42.0).max(2.0) as usize);
    for tick in ticks {
        let at = y.pixel(tick);
        scene.line(vec![(frame.x, at), (frame.right(), at)], Ink::Hairline, 1.0);
        let place = (frame.x - 7.0, at);
        scene.text(tick_label(tick, digits), place, Anchor::End, Ink::Muted);
    }
}

/// The line below a plot.
pub(super) fn base_line(scene: &mut Scene, frame: &Rect) {
    let ends = vec![(frame.x, frame.bottom()), (frame.right(), frame.bottom())];
    scene.line(ends, Ink::Muted, 1.0);
}

/// A tick below a plot, and the number that it stands for.
pub(super) fn bottom_tick(scene: &mut Scene, frame: &Rect, at: f64, label: String) {
    let bottom = frame.bottom();
    scene.line(vec![(at, bottom), (at, bottom + 4.0)], Ink::Muted, 1.0);
    scene.text(label, (at, bottom + 13.0), Anchor::Middle, Ink::Muted);
}

/// The horizontal axis: ticks at whole numbers, and on their right what they count.
pub(super) fn bottom_axis(scene: &mut Scene, x: &LinearScale, frame: &Rect, title: &str) {
    base_line(scene, frame);
    let (ticks, _) = x.ticks((frame.width / 56.0) as usize);
    for tick in ticks.into_iter().filter(|t| t.fract().abs() < 1e-9) {
        let at = x.pixel(tick);
        if at < frame.right() - TITLE {
            bottom_tick(scene, frame, at, tick_label(tick, 0));
        }
    }
    let place = (frame.right(), frame.bottom() + 13.0);
    scene.text(title, place, Anchor::End, Ink::Muted);
}

/// Room for the title of the horizontal axis, where no tick stands.
const TITLE: f64 = 76.0;
