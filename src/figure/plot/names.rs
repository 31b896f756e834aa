//! Numbers and names of models at the points and lines of a plot.

use super::{Plot, PlotArea, Series};
use crate::figure::{
    Anchor, Ink, Rect, Scene,
    scene::BADGE,
    text::TEXT,
    text::{fit_name, overlap, width as text_width},
};

/// Names next to points are cut to this width.
const LABEL: f64 = 150.0;

impl Plot {
    /// Writes names next to their points, each on the first of four sides where it covers nothing. A name without such
    /// a side is omitted; its number is in the point.
    pub(super) fn draw_names(&self, scene: &mut Scene, area: &PlotArea) {
        let frame = &area.frame;
        let around = |(x, y): (f64, f64)| Rect {
            x: x - BADGE,
            y: y - BADGE,
            width: 2.0 * BADGE,
            height: 2.0 * BADGE,
        };
        let points = self.points().map(|point| around(area.pixel(point.at)));
        let mut obstacles: Vec<Rect> = points.collect();
        for point in self.points() {
            let Some((_, name)) = &point.model else {
                continue;
            };
            let (px, py) = area.pixel(point.at);
            let name = fit_name(name, LABEL.min(frame.width / 2.0));
            let width = text_width(&name, TEXT);
            let beside = BADGE + 5.0;
            let sides = [
                (px + beside, py, Anchor::Start, px + beside),
                (px - beside, py, Anchor::End, px - beside - width),
                (px, py - beside - 4.0, Anchor::Middle, px - width / 2.0),
                (px, py + beside + 4.0, Anchor::Middle, px - width / 2.0),
            ];
            for (at, height, anchor, left) in sides {
                let rect = Rect {
                    x: left,
                    y: height - 7.0,
                    width,
                    height: 14.0,
                };
                let right = frame.right() + self.layout.right;
                let inside = rect.x >= 0.0 && rect.right() <= right;
                if inside && !obstacles.iter().any(|other| overlap(other, &rect)) {
                    scene.text(name, (at, height), anchor, Ink::Ink);
                    obstacles.push(rect);
                    break;
                }
            }
        }
    }

    /// Draws the number of each model on its line.
    pub(super) fn number_lines(&self, scene: &mut Scene, area: &PlotArea) {
        let inside = (area.frame.y + BADGE, area.frame.bottom() - BADGE);
        for (at, (series, (number, _))) in self.lines().zip(&self.models).enumerate() {
            let value = |k: i64| Some((k as f64, series.at(k)?));
            let place = self.numbered_offset(at, series, area).and_then(value);
            if let Some(place) = place.filter(|(_, value)| value.is_finite()) {
                let (x, y) = area.pixel(place);
                scene.badge((x, y.clamp(inside.0, inside.1)), *number);
            }
        }
    }

    /// Returns the offset at which a line's number is drawn. Lines over the same offsets have their numbers side by
    /// side, at equal distances in pixels, so that none covers another.
    fn numbered_offset(&self, at: usize, series: &Series, area: &PlotArea) -> Option<i64> {
        let (low, high) = self.x_range();
        let is_drawn = |value: &f64| value.is_finite();
        let start = series.values.iter().position(is_drawn)?;
        let end = series.values.iter().rposition(is_drawn)?;
        let first = ((series.first + start as i64) as f64).max(low);
        let last = ((series.first + end as i64) as f64).min(high);
        let share = (at as f64 + 0.75) / (self.models.len() as f64 + 0.5);
        let (left, right) = (area.x.pixel(first), area.x.pixel(last));
        (first <= last).then(|| area.x.value(left + share * (right - left)).round() as i64)
    }
}
