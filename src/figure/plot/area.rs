//! The area of a plot with its scales, and lines over offsets in it, also where offsets are denser than pixels.

use super::{Band, Scale, Series};
use crate::figure::{Extent, Ink, Mark, Rect, Scene};
use std::ops::RangeInclusive;

/// The frame of a plot, with the scales that map offsets and values to its pixels.
pub(in crate::figure) struct PlotArea {
    pub(in crate::figure) frame: Rect,
    pub(in crate::figure) x: Scale,
    pub(in crate::figure) y: Scale,
    /// Offsets that are drawn.
    pub(in crate::figure) offsets: RangeInclusive<i64>,
    /// Whether offsets are denser than pixels.
    pub(in crate::figure) dense: bool,
}

impl PlotArea {
    /// Returns the pixel of a point.
    pub(in crate::figure) fn pixel(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x.pixel(x), self.y.pixel(y))
    }

    /// Returns the two ends of a vertical line through the frame at a pixel.
    pub(in crate::figure) fn vertical(&self, at: f64) -> Vec<(f64, f64)> {
        vec![(at, self.frame.y), (at, self.frame.bottom())]
    }

    /// Returns the two ends of a horizontal line through the frame at a pixel.
    pub(in crate::figure) fn horizontal(&self, at: f64) -> Vec<(f64, f64)> {
        vec![(self.frame.x, at), (self.frame.right(), at)]
    }

    /// Returns the pixel of a value on the horizontal axis, if it is inside the frame.
    pub(in crate::figure) fn column(&self, x: f64) -> Option<f64> {
        let at = self.x.pixel(x);
        (self.frame.x..=self.frame.right())
            .contains(&at)
            .then_some(at)
    }

    /// Returns the border of an area, clamped to the frame. If offsets are denser than pixels, one point per pixel: the
    /// extreme of its y coordinates by `pick`. Otherwise one point per offset.
    fn border(&self, first: i64, values: &[f64], pick: fn(f64, f64) -> f64) -> Vec<(f64, f64)> {
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
        // y points down, so the greatest value has the least y.
        for (px, y) in self.points(first, values) {
            match points.last_mut() {
                Some(last) if self.dense && px - last.0 < 0.5 => last.1 = pick(last.1, y),
                _ => points.push((px, y)),
            }
        }
        points
    }

    /// The range of y in which lines are drawn.
    fn edges(&self) -> (f64, f64) {
        (self.frame.y - 1.0, self.frame.bottom() + 1.0)
    }

    /// Returns whether a line is drawn at this y coordinate.
    pub(in crate::figure) fn is_drawn(&self, y: f64) -> bool {
        let (top, bottom) = self.edges();
        (top..=bottom).contains(&y)
    }

    /// Every shown value as a point. With a fixed range it may be above or below the frame.
    fn points<'a>(
        &'a self,
        first: i64,
        values: &'a [f64],
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let frame = &self.frame;
        let skipped = (self.offsets.start() - first).max(0);
        let offsets = first + skipped..=*self.offsets.end();
        offsets
            .zip(values.iter().skip(skipped as usize))
            .map(move |(k, &value)| {
                let px = self.x.pixel(k as f64).clamp(frame.x, frame.right());
                (px, self.y.pixel(value))
            })
    }

    /// The line through the greatest value of each pixel. Parts outside the frame are cut off, since a line along the
    /// edge would show wrong values.
    pub(in crate::figure) fn line(&self, first: i64, values: &[f64]) -> Vec<(f64, f64)> {
        between(&self.points_by_pixel(first, values, f64::min), self.edges())
    }

    /// Draws the area between two bounds.
    pub(super) fn draw_band(&self, scene: &mut Scene, band: &Band) {
        let low = self.border(band.first, &band.low, f64::max);
        let mut points = self.border(band.first, &band.high, f64::min);
        points.extend(low.into_iter().rev());
        scene.marks.push(Mark::Area {
            points,
            fill: Ink::Band,
        });
    }

    /// Draws a series as a line.
    pub(super) fn draw_series(&self, scene: &mut Scene, series: &Series) {
        let values = (series.first, series.values.as_slice());
        let dash = series.is_dashed.then_some(3.0);
        self.draw(scene, values, series.ink, series.width, dash);
    }

    /// Draws values from an offset on as a line. If it is denser than pixels, draws the area from the least to the
    /// greatest value of each pixel, enlarged by the line width and never dashed. Browsers take several frames to
    /// stroke a line that goes up and down in every pixel.
    pub(in crate::figure) fn draw(
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

    /// Returns the range of each pixel's values, in runs without gaps. A pixel starts where the previous one ended, so
    /// that jumps are as thick as the rest. Parts outside the frame are cut off.
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

/// The parts of a run between two y coordinates.
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

/// The parts of a line between two y coordinates, separated by points that are not finite.
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
                // The line leaves at the second edge that it crosses.
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
