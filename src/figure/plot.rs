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
    /// The border of an area, which ends at the frame: one point a pixel where offsets are denser than pixels, the
    /// extreme by `pick` of its heights, which run down; one for each offset otherwise.
    pub(super) fn trace(
        &self,
        first: i64,
        values: &[f64],
        pick: fn(f64, f64) -> f64,
    ) -> Vec<(f64, f64)> {
        let (top, bottom) = self.edges();
        let mut points = self.points_by_pixel(first, values, pick);
        for (_, y) in &mut points {
            *y = y.clamp(top, bottom);
        }
        points
    }

    fn points_by_pixel(
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

    /// The heights between which lines are drawn.
    fn edges(&self) -> (f64, f64) {
        (self.frame.y - 1.0, self.frame.bottom() + 1.0)
    }

    /// Every value that is shown, as a point. Where a scale is held, it may lie over the frame or under it.
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
                (px, self.y.pixel(value))
            })
    }

    /// The greatest values alone, as a line: what leaves the frame is cut off, for a line along its edge would be one
    /// of other values.
    pub(super) fn line(&self, first: i64, values: &[f64]) -> Vec<(f64, f64)> {
        between(&self.points_by_pixel(first, values, f64::min), self.edges())
    }

    /// The greatest values alone, as the border of an area.
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
                points: self.line(first, values),
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
    /// one before ended, so that a jump is as thick as any other stretch. What leaves the frame is cut off.
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
        let edges = self.edges();
        runs.iter().flat_map(|run| within(run, edges)).collect()
    }
}

/// The parts of a run that lie between two heights.
fn within(run: &[Extent], (top, bottom): (f64, f64)) -> Vec<Vec<Extent>> {
    let is_seen = |extent: &Extent| extent.low >= top && extent.high <= bottom;
    run.split(|extent| !is_seen(extent))
        .filter(|part| !part.is_empty())
        .map(|part| {
            let cut = part.iter().map(|extent| Extent {
                high: extent.high.max(top),
                low: extent.low.min(bottom),
                ..*extent
            });
            cut.collect()
        })
        .collect()
}

/// The parts of a line that lie between two heights; between two parts stands a point that is not finite.
fn between(line: &[(f64, f64)], (top, bottom): (f64, f64)) -> Vec<(f64, f64)> {
    const GAP: (f64, f64) = (f64::NAN, f64::NAN);
    let mut parts: Vec<(f64, f64)> = Vec::new();
    let mut before = GAP;
    for &point in line {
        let rises = point.1 < before.1;
        let edges = if rises { [bottom, top] } else { [top, bottom] };
        for edge in edges {
            if (before.1 - edge) * (point.1 - edge) < 0.0 {
                let share = (edge - before.1) / (point.1 - before.1);
                parts.push((before.0 + share * (point.0 - before.0), edge));
                // It leaves at the edge that it comes to last.
                if edge == edges[1] {
                    parts.push(GAP);
                }
            }
        }
        if (top..=bottom).contains(&point.1) {
            parts.push(point);
        } else if parts.last().is_some_and(|last| last.1.is_finite()) {
            parts.push(GAP);
        }
        before = point;
    }
    parts
}
