//! The cursor and the drag handles of a plot: the data at a point, and the data under the shared cursor.

use super::{Axis, Plot, PlotArea};
use crate::figure::{Cursor, Figure, Ink, Mark, Scene};

/// Distance in pixels within which a handle is hit.
const REACH: f64 = 14.0;

impl Plot {
    /// Returns the shown offset with a value that is nearest to a point of the axis. Without clamping, the half cell at
    /// either end could round to an offset without a value.
    fn nearest(&self, at: f64) -> Option<i64> {
        if self.raster().is_some() {
            return Some(at.round() as i64);
        }
        let (low, high) = self.x_range();
        let first = self.lines().map(|series| series.first).min()?;
        let last = self.lines().filter_map(super::Series::last).max()?;
        let first = first.max(low.ceil() as i64);
        let last = last.min(high.floor() as i64);
        (first <= last).then(|| (at.round() as i64).clamp(first, last))
    }

    pub(super) fn cursor_in(&self, area: &PlotArea, (px, py): (f64, f64)) -> Option<Cursor> {
        if !area.frame.contains(px, py) {
            return None;
        }
        let across = |quantity: Axis| quantity.cursor(self.nearest(area.x.value(px))?);
        // Lines have values on the vertical axis, and only a matrix another quantity.
        let down = |quantity: Axis| {
            self.raster()?;
            let (low, high) = self.y_range();
            // At either edge the half cell could round to a place beyond.
            let (first, last) = (low.min(high).ceil(), low.max(high).floor());
            let at = area.y.value(py).round().max(first).min(last);
            quantity.cursor(at as i64)
        };
        let (x, y) = (self.x.quantity, self.y.quantity);
        x.and_then(across).or_else(|| y.and_then(down))
    }

    /// Returns the pixel of the cursor on the vertical axis of a matrix, if it has a place there.
    fn cursor_row(&self, area: &PlotArea, cursor: Option<Cursor>) -> Option<f64> {
        self.raster()?;
        let at = self.y.quantity?.place(cursor?)?;
        let at = area.y.pixel(at as f64);
        let frame = &area.frame;
        (frame.y..=frame.bottom()).contains(&at).then_some(at)
    }

    /// Draws a line at the cursor. Without a matrix, also a dot on the first line or, if the lines are numbered, on each.
    pub(super) fn draw_cursor(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let k = cursor.and_then(|cursor| self.x.quantity?.place(cursor));
        let area = self.area(width);
        if let Some(at) = self.cursor_row(&area, cursor) {
            scene.lit_line(area.horizontal(at));
            return scene;
        }
        let Some((k, at)) = k.and_then(|k| Some((k, area.column(k as f64)?))) else {
            return scene;
        };
        if self.raster().is_some() {
            scene.lit_line(area.vertical(at));
            return scene;
        }
        scene.line(area.vertical(at), Ink::Accent, 1.0);
        let (count, radius) = match self.models.len() {
            0 => (1, 4.5),
            models => (models, 3.5),
        };
        let values = self.lines().take(count).filter_map(|series| series.at(k));
        for y in values.map(|value| area.y.pixel(value)) {
            if area.is_drawn(y) {
                scene.marks.push(Mark::Dot {
                    at: (at, y),
                    radius,
                    fill: Ink::Accent,
                    stroke: Ink::Paper,
                });
            }
        }
        scene
    }

    pub(super) fn draw_handles(&self, scene: &mut Scene, area: &PlotArea) {
        let frame = &area.frame;
        for handle in &self.handles {
            let at = area.pixel((handle.k, handle.value));
            if !frame.contains(at.0, at.1.clamp(frame.y, frame.bottom() - 1.0)) {
                continue;
            }
            let (fill, stroke) = match handle.hollow {
                true => (Ink::Paper, handle.ink),
                false => (handle.ink, Ink::Paper),
            };
            scene.marks.push(Mark::Dot {
                at,
                radius: 6.0,
                fill,
                stroke,
            });
        }
    }

    pub(super) fn nearest_handle(&self, area: &PlotArea, (px, py): (f64, f64)) -> Option<usize> {
        let distances = self.handles.iter().map(|handle| {
            let (x, y) = area.pixel((handle.k, handle.value));
            (x - px).hypot(y - py)
        });
        let near = distances.enumerate().filter(|(_, d)| *d <= REACH);
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
    }
}
