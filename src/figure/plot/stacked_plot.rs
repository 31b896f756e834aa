//! Strips of lines above one another on one horizontal axis, for lines that are compared by their shape: each strip has
//! a scale of its own.

use super::{
    LINES, PlotArea, PlotAxis, Scale, Series,
    frame::{BELOW, left_margin, value_label},
    legend::{LegendEntry, LegendLayout},
};
use crate::figure::{
    Anchor, Cursor, Figure, Ink, Mark, Rect, Scene, Table,
    text::TEXT,
    text::{break_lines, fit_name, width as text_width},
};
use std::sync::Arc;

/// From this width on, names are beside the strips instead of above.
const WIDE: f64 = 520.0;
/// Width of the names beside them.
const NAMES: f64 = 144.0;
/// Least width of the labels of values.
const VALUES: f64 = 46.0;
/// Limits of the height of a strip where the height of the figure is given.
const STRIPS: (f64, f64) = (30.0, 420.0);
/// Gap between strips, and height of a name above a strip.
const GAP: f64 = 12.0;
const NAME: f64 = 19.0;
/// Space above the first strip.
const TOP: f64 = 4.0;
/// Length of a line sample, and the start of the name behind it.
const SAMPLE: (f64, f64) = (10.0, 15.0);
/// Distance of the lines of name and note, the most lines of a note, and the space between them and the labels of values.
const LEADING: f64 = 16.0;
const NOTE_LINES: usize = 2;
const APART: f64 = 5.0;
/// Least distance of the label of a value from the edges of its strip.
const INSET: f64 = 5.0;

/// Strips over one horizontal axis.
#[derive(Debug, Clone, PartialEq)]
pub struct StackedPlot {
    /// The horizontal axis, with its range.
    pub x: PlotAxis,
    /// The strips, from top to bottom. The labelled lines of the first are the legend of all.
    pub strips: Vec<Strip>,
    /// Height of a strip in pixels; [`Self::STRIP_HEIGHT`] unless the height of the figure is given.
    pub strip_height: f64,
    /// Numbers behind the figure, for download.
    pub table: Table,
    /// A text summary.
    pub summary: String,
}

/// A strip of lines with its own scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Strip {
    /// Its name. A sample of its first line is before the name, unless that line is in the legend.
    pub name: String,
    /// A second, muted text. May be empty.
    pub note: String,
    /// The lines, the one on top first.
    pub lines: Vec<Series>,
    /// Values at its lower and upper edge.
    pub range: (f64, f64),
    /// Values with a hairline, and their labels, which may be empty.
    pub ticks: Vec<(f64, String)>,
}

impl StackedPlot {
    /// Usual height of a strip in pixels.
    pub const STRIP_HEIGHT: f64 = 46.0;

    /// Returns the height of a strip in a figure of this size, within limits.
    pub(in crate::figure) fn strip_height_at(&self, width: f64, height: f64) -> f64 {
        let count = self.strips.len().max(1) as f64;
        let rest = self.height(width) - count * self.strip_height;
        ((height - rest) / count).clamp(STRIPS.0, STRIPS.1)
    }

    fn is_wide(width: f64) -> bool {
        width >= WIDE
    }

    fn x_range(&self) -> (f64, f64) {
        self.x.range.unwrap_or((0.0, 1.0))
    }

    /// Returns the entries of the legend, and its layout with the left edge of the strips.
    fn legend(&self, left: f64) -> (Vec<LegendEntry<'_>>, LegendLayout) {
        let lines = self.strips.first().map_or(&[][..], |strip| &strip.lines);
        let labelled = lines.iter().filter(|line| line.is_in_legend);
        let layout = LegendLayout {
            left,
            ..LINES.legend
        };
        (labelled.map(LegendEntry::from_line).collect(), layout)
    }

    /// Returns the frames of the strips at a width.
    fn frames(&self, width: f64) -> Vec<Rect> {
        let labels = self.strips.iter().flat_map(|strip| &strip.ticks);
        let labels = labels.map(|(_, label)| label.as_str());
        let mut labels = labels.filter(|label| !label.is_empty()).peekable();
        let values = match labels.peek() {
            Some(_) => left_margin(labels, VALUES, width),
            None => 0.0,
        };
        let (left, above) = match Self::is_wide(width) {
            true => (NAMES + values, 0.0),
            false => (values, NAME),
        };
        let (entries, legend) = self.legend(left);
        let top = TOP + legend.height(&entries, width) + above;
        let frame = |at: usize| Rect {
            x: left,
            y: top + at as f64 * (self.strip_height + GAP + above),
            width: (width - left - LINES.right).max(1.0),
            height: self.strip_height,
        };
        (0..self.strips.len()).map(frame).collect()
    }

    fn area(&self, strip: &Strip, frame: &Rect) -> PlotArea {
        let (from, to) = self.x_range();
        PlotArea {
            frame: *frame,
            x: self.x.scale((from, to), (frame.x, frame.right())),
            y: Scale::new(strip.range, (frame.bottom(), frame.y)),
            offsets: from.ceil() as i64..=to.floor() as i64,
            dense: to - from > 2.0 * frame.width,
        }
    }

    fn draw_strip(&self, scene: &mut Scene, frame: &Rect, strip: &Strip) {
        let area = self.area(strip, frame);
        for (value, label) in &strip.ticks {
            let at = area.y.pixel(*value);
            scene.line(area.horizontal(at), Ink::Hairline, 1.0);
            let at = at.clamp(frame.y + INSET, frame.bottom() - INSET);
            value_label(scene, frame, at, label.clone());
        }
        let (from, to) = self.x_range();
        if from < 0.0 && to > 0.0 {
            scene.line(area.vertical(area.x.pixel(0.0)), Ink::Hairline, 1.0);
        }
        for line in strip.lines.iter().rev() {
            area.draw_series(scene, line);
        }
        Self::draw_name(scene, frame, strip);
    }

    /// Writes the name and the lines of the note beside a strip, or both on one line above it.
    fn draw_name(scene: &mut Scene, frame: &Rect, strip: &Strip) {
        let sample = strip.lines.first().filter(|line| !line.is_in_legend);
        let left = if sample.is_some() { SAMPLE.1 } else { 0.0 };
        let wide = Self::is_wide(scene.width);
        let right = if wide { NAMES - APART } else { frame.right() };
        let name = fit_name(&strip.name, right - left);
        let note = match wide {
            true => note_lines(&strip.note, right - left),
            false => Vec::new(),
        };
        let y = match wide {
            true => frame.y + (frame.height - LEADING * note.len() as f64) / 2.0,
            false => frame.y - 10.0,
        };
        if let Some(line) = sample {
            scene.line(vec![(0.0, y), (SAMPLE.0, y)], line.ink, 2.5);
        }
        let after = left + text_width(&name, TEXT) + GAP;
        scene.text(name, (left, y), Anchor::Start, Ink::Ink);
        for (line, at) in note.into_iter().zip(1..) {
            let at = (left, y + LEADING * f64::from(at));
            scene.text(line, at, Anchor::Start, Ink::Muted);
        }
        if !wide {
            let note = fit_name(&strip.note, right - after);
            scene.text(note, (right, y), Anchor::End, Ink::Muted);
        }
    }

    /// Returns the offset at a pixel that is nearest to it among those with values.
    fn nearest(&self, at: f64) -> Option<i64> {
        let lines = || self.strips.iter().flat_map(|strip| &strip.lines);
        let first = lines().map(|line| line.first).min()?;
        let last = lines().filter_map(Series::last).max()?;
        (first <= last).then(|| (at.round() as i64).clamp(first, last))
    }
}

/// Breaks a note into lines of this width. The last one is cut if there would be more than [`NOTE_LINES`].
fn note_lines(note: &str, width: f64) -> Vec<String> {
    let mut lines = break_lines(note, width);
    if lines.len() > NOTE_LINES {
        let rest = lines.split_off(NOTE_LINES - 1).join(" ");
        lines.push(fit_name(&rest, width));
    }
    lines
}

impl Figure for StackedPlot {
    fn height(&self, width: f64) -> f64 {
        self.frames(width).last().map_or(TOP, Rect::bottom) + BELOW
    }

    fn with_height(&self, width: f64, height: f64) -> Option<Arc<dyn Figure + Send + Sync>> {
        Some(Arc::new(Self {
            strip_height: self.strip_height_at(width, height),
            ..self.clone()
        }))
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let frames = self.frames(width);
        for (frame, strip) in frames.iter().zip(&self.strips) {
            self.draw_strip(&mut scene, frame, strip);
        }
        if let (Some(first), Some(last)) = (frames.first(), frames.last()) {
            let x = self.x.scale(self.x_range(), (last.x, last.right()));
            self.x.draw_below(&mut scene, last, &x);
            let (entries, legend) = self.legend(first.x);
            legend.draw(&mut scene, &entries);
        }
        scene
    }

    /// A line through all strips, with a dot on the first line of each.
    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let k = cursor.and_then(|cursor| self.x.quantity?.place(cursor));
        let frames = self.frames(width);
        let (Some(k), Some(first), Some(last)) = (k, frames.first(), frames.last()) else {
            return scene;
        };
        let at = self.x.scale(self.x_range(), (first.x, first.right()));
        let at = at.pixel(k as f64);
        if !(first.x..=first.right()).contains(&at) {
            return scene;
        }
        scene.line(vec![(at, first.y), (at, last.bottom())], Ink::Accent, 1.0);
        for (frame, strip) in frames.iter().zip(&self.strips) {
            let area = self.area(strip, frame);
            let value = strip.lines.first().and_then(|line| line.at(k));
            let y = value.map(|value| area.y.pixel(value));
            if let Some(y) = y.filter(|y| area.is_drawn(*y)) {
                scene.marks.push(Mark::Dot {
                    at: (at, y),
                    radius: 4.0,
                    fill: Ink::Accent,
                    stroke: Ink::Paper,
                });
            }
        }
        scene
    }

    fn cursor_at(&self, width: f64, x: f64, y: f64) -> Option<Cursor> {
        let frame = self
            .plot_frame(width)
            .filter(|frame| frame.contains(x, y))?;
        let scale = self.x.scale(self.x_range(), (frame.x, frame.right()));
        self.x.quantity?.cursor(self.nearest(scale.value(x))?)
    }

    /// All strips.
    fn plot_frame(&self, width: f64) -> Option<Rect> {
        let frames = self.frames(width);
        let (first, last) = (frames.first()?, frames.last()?);
        Some(Rect {
            height: last.bottom() - first.y,
            ..*first
        })
    }

    fn summary(&self) -> String {
        self.summary.clone()
    }

    fn table(&self) -> Table {
        self.table.clone()
    }
}
