//! Arrows between points, in pixels.

use crate::figure::scene::BADGE;

/// Space between an arrow and the middle of a point at either end: that of a badge, and a gap.
const APART: f64 = BADGE + 3.0;
/// Length of the strokes of the head, and the tangent of their angle to the shaft.
const HEAD: f64 = 7.0;
const SPREAD: f64 = 0.5;

/// Returns the shaft of an arrow between two points and the two strokes of its head as one line. `None` if the points
/// are too close to one another.
pub(super) fn arrow(from: (f64, f64), to: (f64, f64)) -> Option<[Vec<(f64, f64)>; 2]> {
    let (across, down) = (to.0 - from.0, to.1 - from.1);
    let length = across.hypot(down);
    if !(length.is_finite() && length > 2.0 * APART + HEAD) {
        return None;
    }
    let (x, y) = (across / length, down / length);
    let start = (from.0 + APART * x, from.1 + APART * y);
    let tip = (to.0 - APART * x, to.1 - APART * y);
    let stroke = |side: f64| {
        let (back, aside) = (HEAD, side * HEAD * SPREAD);
        (tip.0 - back * x - aside * y, tip.1 - back * y + aside * x)
    };
    Some([vec![start, tip], vec![stroke(1.0), tip, stroke(-1.0)]])
}

#[cfg(test)]
mod tests {
    use super::{APART, HEAD, arrow};

    #[test]
    fn an_arrow_ends_before_its_points() {
        let [shaft, head] = arrow((0.0, 0.0), (100.0, 0.0)).expect("an arrow");
        assert_eq!(shaft, [(APART, 0.0), (100.0 - APART, 0.0)]);
        assert_eq!(head[1], shaft[1]);
        assert_eq!(head[0].0, 100.0 - APART - HEAD);
        assert_eq!(head[0].1, -head[2].1);
        assert!(arrow((0.0, 0.0), (APART, APART)).is_none());
        assert!(arrow((0.0, f64::NAN), (100.0, 0.0)).is_none());
    }
}
