//! A plot as a figure: its layout at a width, and its scene.

use super::{
    Dots, Plot, PlotArea, PlotMark, StatedRanges,
    arrow::arrow,
    axes,
    frame::{BELOW, left_margin, plot_height},
};
use crate::figure::{
    Anchor, Cursor, Figure, Ink, Mark, Rect, RowMark, Scene, Table, format_signed, margins::LEFT,
    number, row_marks, scale::extent,
};
use std::sync::Arc;

/// Least height of a frame in pixels.
const LOWEST: f64 = 60.0;

impl Plot {
    /// Returns the frame: left of it is the space that a [`crate::figure::Heatmap`] leaves, or more if the labels of
    /// values are wider.
    pub(in crate::figure) fn frame(&self, width: f64) -> Rect {
        let layout = &self.layout;
        let height_at = |inner| {
            let height = self.frame_height;
            height.unwrap_or_else(|| plot_height(inner, self.aspect))
        };
        let height = height_at((width - LEFT - layout.right).max(1.0));
        let y = self.y.scale(self.y_range(), (height, 0.0));
        let ticks = self.y.ticks_down(&y, height);
        let left = left_margin(ticks.iter().map(|(_, label)| label.as_str()), LEFT, width);
        let inner = (width - left - layout.right).max(1.0);
        Rect {
            x: left,
            y: layout.above[usize::from(!self.y.name.is_empty())] + self.legend_height(width),
            width: inner,
            height: height_at(inner),
        }
    }

    /// Returns the frame and the scales at a width.
    pub(in crate::figure) fn area(&self, width: f64) -> PlotArea {
        let (frame, across) = (self.frame(width), self.x_range());
        PlotArea {
            x: self.x.scale(across, (frame.x, frame.right())),
            y: (self.y).scale(self.y_range(), (frame.bottom(), frame.y)),
            offsets: self.offset_range(),
            dense: (across.1 - across.0) > 2.0 * frame.width,
            frame,
        }
    }

    fn draw(&self, scene: &mut Scene, area: &PlotArea, mark: &PlotMark) {
        match mark {
            PlotMark::Raster(raster) => {
                (scene.marks).push(Mark::Raster(area.frame, raster.pixels()));
            }
            PlotMark::Line(series) => area.draw_series(scene, series),
            PlotMark::Area(band) => area.draw_band(scene, band),
            PlotMark::Dots(dots) => self.draw_dots(scene, area, dots),
            PlotMark::Trend { slope, intercept } => {
                let frame = &area.frame;
                // Cut at the edges of the frame.
                let ends = (0..=64).map(|at| frame.x + frame.width * f64::from(at) / 64.0);
                let points =
                    ends.map(|px| (px, area.y.pixel(slope * area.x.value(px) + intercept)));
                let is_inside = |(_, py): &(f64, f64)| (frame.y..=frame.bottom()).contains(py);
                scene.marks.push(Mark::Line {
                    points: points.filter(is_inside).collect(),
                    stroke: Ink::Muted,
                    width: 1.0,
                    dash: Some(3.0),
                });
            }
            PlotMark::Rule { y, name } => {
                let at = area.y.pixel(*y);
                scene.marks.push(Mark::Line {
                    points: area.horizontal(at),
                    stroke: Ink::Muted,
                    width: 1.0,
                    dash: Some(4.0),
                });
                let place = (area.frame.x + 4.0, at + 9.0);
                scene.text(*name, place, Anchor::Start, Ink::Muted);
            }
            // Row r is drawn at r, so its edge is half a row before.
            PlotMark::Break(RowMark { at, label }) => {
                let (at, frame) = (area.x.pixel(at - 0.5), &area.frame);
                if (frame.x..=frame.right()).contains(&at) {
                    row_marks::draw_down(scene, frame, at, label);
                }
            }
        }
    }

    fn draw_dots(&self, scene: &mut Scene, area: &PlotArea, dots: &Dots) {
        if dots.is_arrow {
            let ends = dots.points.first().zip(dots.points.last());
            let pixels = ends.map(|(from, to)| (area.pixel(from.at), area.pixel(to.at)));
            let lines = pixels.and_then(|(from, to)| arrow(from, to));
            for line in lines.into_iter().flatten() {
                scene.line(line, dots.ink, dots.width);
            }
        } else if dots.is_joined {
            scene.marks.push(Mark::Line {
                points: dots
                    .points
                    .iter()
                    .map(|point| area.pixel(point.at))
                    .collect(),
                stroke: dots.ink,
                width: dots.width,
                dash: dots.is_dashed.then_some(3.0),
            });
        }
        for point in &dots.points {
            let at = area.pixel(point.at);
            if dots.is_line || !(at.0.is_finite() && at.1.is_finite()) {
                continue;
            }
            if let Some((number, _)) = &point.model {
                scene.badge(at, *number);
                continue;
            }
            let is_marked = self.marked_place == Some(point.at.0);
            scene.marks.push(Mark::Dot {
                at,
                radius: dots.radius + if is_marked { 2.0 } else { 0.0 },
                fill: dots.ink,
                stroke: Ink::Paper,
            });
        }
    }

    /// Names the breaks of the table, with a space before the sentence; empty without any.
    pub(in crate::figure) fn breaks_in_words(&self) -> String {
        let marks = self.marks.iter().filter_map(|mark| match mark {
            PlotMark::Break(mark) => Some(mark.clone()),
            _ => None,
        });
        row_marks::marks_in_words(&marks.collect::<Vec<RowMark>>())
    }

    /// States the least and the greatest value: of the matrix, or at the shown offsets.
    fn values_sentence(&self) -> String {
        let values = match self.raster() {
            Some(raster) => raster.range().map(|range| range.values.0..=range.values.1),
            None => extent(self.extremes(), 0.0),
        };
        match values {
            Some(range) => format!("Values {}.", from_to(&range)),
            None => "No value is a number.".to_owned(),
        }
    }
}

fn from_to(range: &std::ops::RangeInclusive<f64>) -> String {
    format!(
        "from {} to {}",
        number(*range.start()),
        number(*range.end())
    )
}

impl Plot {
    /// Returns the plot in another height at this width.
    pub(in crate::figure) fn in_height(&self, width: f64, height: f64) -> Self {
        let rest = self.height(width) - self.frame(width).height;
        Self {
            frame_height: Some((height - rest).max(LOWEST)),
            ..self.clone()
        }
    }
}

impl Figure for Plot {
    fn height(&self, width: f64) -> f64 {
        let frame = self.frame(width);
        frame.bottom() + BELOW + self.models_height(width) + self.bar_height(frame.width)
    }

    fn with_height(&self, width: f64, height: f64) -> Option<Arc<dyn Figure + Send + Sync>> {
        Some(Arc::new(self.in_height(width, height)))
    }

    fn scene(&self, width: f64) -> Scene {
        let area = self.area(width);
        let bottom = area.frame.bottom() + BELOW;
        let below = self.models_height(width) + self.bar_height(area.frame.width);
        let mut scene = Scene::new(width, bottom + below);
        // Around a matrix, ticks are outside and on top.
        let has_raster = self.raster().is_some();
        let is_behind = |mark: &&PlotMark| has_raster || matches!(mark, PlotMark::Area(_));
        for mark in self.marks.iter().filter(is_behind) {
            self.draw(&mut scene, &area, mark);
        }
        match has_raster {
            true => axes::draw_axes_outside(&mut scene, &area, &self.x, &self.y),
            false => axes::draw_axes(&mut scene, &area, &self.x, &self.y),
        }
        if let Some(marked) = self.marked_place {
            let at = area.x.pixel(marked);
            scene.line(area.vertical(at), Ink::Chosen, 1.0);
        }
        for mark in self.marks.iter().filter(|mark| !is_behind(mark)) {
            self.draw(&mut scene, &area, mark);
        }
        self.draw_names(&mut scene, &area);
        self.draw_handles(&mut scene, &area);
        self.draw_legend(&mut scene);
        if !self.models.is_empty() {
            self.number_lines(&mut scene, &area);
            self.draw_models(&mut scene, bottom);
        }
        self.draw_bar(&mut scene, &area.frame, bottom);
        scene
    }

    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        self.draw_cursor(width, cursor)
    }

    fn cursor_at(&self, width: f64, x: f64, y: f64) -> Option<Cursor> {
        self.cursor_in(&self.area(width), (x, y))
    }

    fn handle_at(&self, width: f64, x: f64, y: f64) -> Option<usize> {
        self.nearest_handle(&self.area(width), (x, y))
    }

    fn point_at(&self, width: f64, x: f64, y: f64) -> Option<(f64, f64)> {
        let area = self.area(width);
        Some((area.x.value(x), area.y.value(y)))
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        Some(self.frame(width))
    }

    fn vertical_name(&self) -> &'static str {
        self.y.name
    }

    fn summary(&self) -> String {
        let summary = &format!("{}{}", self.summary, self.breaks_in_words());
        match self.ranges {
            StatedRanges::None => summary.clone(),
            StatedRanges::Values => format!("{summary} {}", self.values_sentence()),
            StatedRanges::Offsets => {
                // The half cell at either end has no value.
                let (first, last) = self.x_range();
                format!(
                    "{summary} {} {} to {}. {}",
                    self.x.quantity.map_or("", super::Axis::plural),
                    format_signed(first.ceil() as i64),
                    format_signed(last.floor() as i64),
                    self.values_sentence()
                )
            }
            StatedRanges::Points => {
                let over = |range: Option<_>| range.as_ref().map_or_else(String::new, from_to);
                format!(
                    "{summary} {} {}, {} {}.",
                    self.x.name,
                    over(extent(self.points().map(|point| point.at.0), 0.0)),
                    self.y.name,
                    over(extent(self.points().map(|point| point.at.1), 0.0))
                )
            }
        }
    }

    fn table(&self) -> Table {
        self.table.clone()
    }
}
