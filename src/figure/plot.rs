//! Lines over offsets in a frame, whether offsets are denser than pixels or not.

use super::{Extent, Ink, LinearScale, Mark, Rect, Scene};
use std::ops::RangeInclusive;

/// Where values at offsets come to lie.
pub(super) struct Plot<'a> {
    pub(super) frame: &'a Rect,
    pub(super) x: LinearScale,
    pub(super) y: LinearScale,
    /// Offsets that are drawn.
    pub(super) shown: RangeInclusive<i64>,
    /// Offsets are denser than pixels.
    pub(super) dense: bool,
}

impl Plot<'_> {
    /// One point a pixel where offsets are denser than pixels, the extreme by `pick` of its heights, which
    /// run down; one for each offset otherwise.
    pub(super) fn trace(
        &self,
        first: i64,
        values: &[f64],
        pick: fn(f64, f64) -> f64,
    ) -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> = Vec::new();
        // A pixel's y runs down: the greatest value stands highest.
        for (px, y) in self.points(first, values) {
            match points.last_mut() {
                Some(last) if self.dense && px - last.0 < 0.5 => last.1 = pick(last.1, y),
                _ => points.push((px, y)),
            }
        }
        points
    }

    /// Every value that is shown, as a point in the frame.
    fn points<'a>(
        &'a self,
        first: i64,
        values: &'a [f64],
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let frame = self.frame;
        let skipped = (self.shown.start() - first).max(0);
        let offsets = first + skipped..=*self.shown.end();
        offsets
            .zip(values.iter().skip(skipped as usize))
            .map(move |(k, &value)| {
                let px = self.x.pixel(k as f64).clamp(frame.x, frame.right());
                let py = self.y.pixel(value);
                (px, py.clamp(frame.y - 1.0, frame.bottom() + 1.0))
            })
    }

    /// The greatest values alone: a bound from above.
    pub(super) fn upper(&self, first: i64, values: &[f64]) -> Vec<(f64, f64)> {
        self.trace(first, values, f64::min)
    }

    /// A line. Where it is denser than pixels, the area from the least to the greatest of each pixel, as
    /// thick as the line and never dashed: a stroke that goes up and down in every pixel takes browsers
    /// several frames to paint.
    pub(super) fn draw(
        &self,
        scene: &mut Scene,
        (first, values): (i64, &[f64]),
        stroke: Ink,
        width: f64,
        dash: Option<f64>,
    ) {
        if !self.dense {
            scene.marks.push(Mark::Line {
                points: self.upper(first, values),
                stroke,
                width,
                dash,
            });
            return;
        }
        for mut extents in self.extents(first, values) {
            for extent in &mut extents {
                extent.high -= width / 2.0;
                extent.low += width / 2.0;
            }
            scene.marks.push(Mark::Extents {
                extents,
                fill: stroke,
            });
        }
    }

    /// Where each pixel's values begin and end, from above, in runs without gaps. A pixel begins where the
    /// one before ended, so that a jump is as thick as any other stretch.
    fn extents(&self, first: i64, values: &[f64]) -> Vec<Vec<Extent>> {
        let mut runs: Vec<Vec<Extent>> = Vec::new();
        let mut before = None;
        for (px, y) in self.points(first, values) {
            if !y.is_finite() {
                before = None;
                continue;
            }
            let ended = before.replace(y);
            match (ended, runs.last_mut()) {
                (Some(ended), Some(run)) => match run.last_mut() {
                    Some(extent) if px - extent.x < 1.0 => {
                        (extent.high, extent.low) = (extent.high.min(y), extent.low.max(y));
                    }
                    _ => run.push(Extent {
                        x: px,
                        high: y.min(ended),
                        low: y.max(ended),
                    }),
                },
                _ => runs.push(vec![Extent {
                    x: px,
                    high: y,
                    low: y,
                }]),
            }
        }
        runs
    }
}
