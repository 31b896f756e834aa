//! Lines over an axis such as the offset, with a band around one of them and handles on peaks.
//!
//! The margins are those of a [`super::Heatmap`], so that a profile below a matrix of the same width has the same
//! scale: one offset is as wide as one key.

use super::{
    Anchor, Axis, Cursor, Figure, Ink, LinearScale, Mark, Rect, Scene, Table,
    frame::{
        ABOVE, BELOW, bottom_axis, left_margin, legend_rows, plot_height, value_axis, value_ticks,
    },
    heatmap::{LEFT, RIGHT},
    number,
    plot::Plot,
    scale::extent,
    scene::TEXT,
    series::{Band, Series},
    signed,
    text::{fitted, width as text_width},
};
use std::ops::RangeInclusive;

const TOP: f64 = 12.0;
/// Length of a line sample in the legend, and the start of its name.
const SAMPLE: f64 = 16.0;
const NAME: f64 = 21.0;
/// Space between two entries of the legend.
const ENTRIES_APART: f64 = 14.0;
/// Distance in pixels within which a handle is hit.
const REACH: f64 = 14.0;

/// A point that can be dragged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Handle {
    /// Offset.
    pub k: f64,
    /// Value.
    pub value: f64,
    /// Colour.
    pub ink: Ink,
    /// Whether it is drawn hollow, for a muted kernel.
    pub hollow: bool,
}

/// Lines over an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// Quantity on the horizontal axis.
    pub axis: Axis,
    /// Name of the vertical axis. Empty if the lines have no common quantity.
    pub vertical: &'static str,
    /// The lines. The first is on top and is the one that the cursor reads.
    pub series: Vec<Series>,
    /// A band behind the lines.
    pub band: Option<Band>,
    /// Handles on top of the lines.
    pub handles: Vec<Handle>,
    /// Offsets shown, in cells: an offset k covers k − ½ … k + ½.
    pub offsets: (f64, f64),
    /// Range of the value axis. `None` derives it from the data.
    pub values: Option<(f64, f64)>,
    /// Height of the plot over its width.
    pub aspect: f64,
    /// Numbers behind the figure, for download.
    pub table: Table,
    /// A text summary.
    pub summary: String,
}

impl Lines {
    /// Creates an empty plot over an axis.
    #[must_use]
    pub fn over(axis: Axis) -> Self {
        Self {
            axis,
            vertical: "",
            series: Vec::new(),
            band: None,
            handles: Vec::new(),
            offsets: (-0.5, 0.5),
            values: None,
            aspect: 0.3,
            table: Table::new(),
            summary: String::new(),
        }
    }

    /// Sets the name of the vertical axis.
    #[must_use]
    pub fn vertical(mut self, name: &'static str) -> Self {
        self.vertical = name;
        self
    }

    /// Sets the lines and shows all of their offsets. The first line is on top.
    #[must_use]
    pub fn series(mut self, series: impl IntoIterator<Item = Series>) -> Self {
        self.series = series.into_iter().collect();
        let first = self.series.iter().map(|series| series.first).min();
        let last = self.series.iter().filter_map(Series::last).max();
        if let (Some(first), Some(last)) = (first, last) {
            self.offsets = (first as f64 - 0.5, last as f64 + 0.5);
        }
        self
    }

    /// Sets the band behind the lines.
    #[must_use]
    pub fn band(mut self, band: impl Into<Option<Band>>) -> Self {
        self.band = band.into();
        self
    }

    /// Sets the points that can be dragged.
    #[must_use]
    pub fn handles(mut self, handles: impl IntoIterator<Item = Handle>) -> Self {
        self.handles = handles.into_iter().collect();
        self
    }

    /// Restricts the axis to a part of the offsets that [`Self::series`] shows.
    #[must_use]
    pub fn shown(mut self, (first, last): (f64, f64)) -> Self {
        self.offsets = (first, last);
        self
    }

    /// Fixes the range of the value axis.
    #[must_use]
    pub fn values(mut self, values: (f64, f64)) -> Self {
        self.values = Some(values);
        self
    }

    /// Sets height over width of the plot.
    #[must_use]
    pub fn aspect(mut self, aspect: f64) -> Self {
        self.aspect = aspect;
        self
    }

    /// Sets the numbers behind the figure.
    #[must_use]
    pub fn with_table(mut self, table: Table) -> Self {
        self.table = table;
        self
    }

    /// Sets the text summary.
    #[must_use]
    pub fn with_summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = summary.into();
        self
    }

    pub(super) fn frame(&self, width: f64) -> Rect {
        let left = self.left(width);
        let inner = (width - left - RIGHT).max(1.0);
        let above = if self.vertical.is_empty() { TOP } else { ABOVE };
        Rect {
            x: left,
            y: above + self.legend_height(width),
            width: inner,
            height: plot_height(inner, self.aspect),
        }
    }

    /// Space left of the plot: that of a [`super::Heatmap`], or more if the labels of values are wider.
    fn left(&self, width: f64) -> f64 {
        let height = plot_height((width - LEFT - RIGHT).max(1.0), self.aspect);
        let y = LinearScale::new(self.values_shown(), (height, 0.0));
        let ticks = value_ticks(&y, height);
        left_margin(ticks.iter().map(|(_, label)| label.as_str()), LEFT, width)
    }

    pub(super) fn x(&self, frame: &Rect) -> LinearScale {
        LinearScale::new(self.offsets, (frame.x, frame.right()))
    }

    pub(super) fn y(&self, frame: &Rect) -> LinearScale {
        LinearScale::new(self.values_shown(), (frame.bottom(), frame.y))
    }

    /// Returns the range of the value axis.
    #[must_use]
    pub fn values_shown(&self) -> (f64, f64) {
        self.values.unwrap_or_else(|| self.natural_values())
    }

    /// Returns the range of the data at the shown offsets, with a margin of 6 %.
    #[must_use]
    pub fn natural_values(&self) -> (f64, f64) {
        extent(self.shown_ends(), 0.06).map_or((-1.0, 1.0), |r| (*r.start(), *r.end()))
    }

    /// States the least and the greatest value at the shown offsets.
    pub(super) fn values_said(&self) -> String {
        match extent(self.shown_ends(), 0.0) {
            Some(range) => format!(
                "Values from {} to {}.",
                number(*range.start()),
                number(*range.end())
            ),
            None => "No value is a number.".to_owned(),
        }
    }

    /// The extremes of each line and of the band at the shown offsets.
    fn shown_ends(&self) -> impl Iterator<Item = f64> {
        let shown = self.places_shown();
        let lines = self.series.iter().map(|s| (s.first, &s.values));
        let band = self
            .band
            .iter()
            .flat_map(|band| [(band.first, &band.low), (band.first, &band.high)]);
        lines.chain(band).flat_map(move |(first, values)| {
            let from = (shown.start() - first).clamp(0, values.len() as i64) as usize;
            let to = (shown.end() + 1 - first).clamp(0, values.len() as i64) as usize;
            let range = extent(values[from..to.max(from)].iter().copied(), 0.0);
            range.into_iter().flat_map(|r| [*r.start(), *r.end()])
        })
    }

    /// Returns the shown offset with a value that is nearest to a point of the axis. Without clamping, the half cell at
    /// either end could round to an offset without a value.
    pub(super) fn nearest(&self, at: f64) -> Option<i64> {
        let first = self.series.iter().map(|series| series.first).min()?;
        let last = self.series.iter().filter_map(Series::last).max()?;
        let first = first.max(self.offsets.0.ceil() as i64);
        let last = last.min(self.offsets.1.floor() as i64);
        (first <= last).then(|| (at.round() as i64).clamp(first, last))
    }

    fn places_shown(&self) -> RangeInclusive<i64> {
        self.offsets.0.floor() as i64..=self.offsets.1.ceil() as i64
    }

    fn labelled(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(|series| series.labelled)
    }

    /// Left edge of the legend: that of the plot, or of the figure if a name is too long otherwise.
    fn legend_left(&self, width: f64) -> f64 {
        let widest = self.labelled().map(|series| text_width(&series.name, TEXT));
        let widest = widest.fold(0.0, f64::max);
        if LEFT + NAME + widest <= width {
            LEFT
        } else {
            0.0
        }
    }

    /// Returns the places of the legend's entries in rows above the plot, and the number of rows.
    fn legend(&self, width: f64) -> (Vec<(f64, usize)>, usize) {
        let entry = |series: &Series| NAME + text_width(&series.name, TEXT) + ENTRIES_APART;
        let left = self.legend_left(width);
        // The space after the last entry of a row may be outside.
        legend_rows(self.labelled().map(entry), left, width + ENTRIES_APART)
    }

    fn legend_height(&self, width: f64) -> f64 {
        18.0 * self.legend(width).1 as f64
    }

    fn draw_legend(&self, scene: &mut Scene, width: f64) {
        let (places, _) = self.legend(width);
        for (series, (x, row)) in self.labelled().zip(places) {
            let y = 9.0 + 18.0 * row as f64;
            scene.marks.push(Mark::Line {
                points: vec![(x, y), (x + SAMPLE, y)],
                stroke: series.ink,
                width: series.width.max(1.5),
                dash: series.dashed.then_some(3.0),
            });
            let name = fitted(&series.name, width - x - NAME);
            scene.text(name, (x + NAME, y), Anchor::Start, Ink::Muted);
        }
    }

    fn axes(&self, scene: &mut Scene, frame: &Rect) {
        value_axis(scene, &self.y(frame), frame, self.vertical);
        bottom_axis(scene, &self.x(frame), frame, self.axis.title());
    }

    fn draw_band(&self, scene: &mut Scene, frame: &Rect, band: &Band) {
        let plot = self.plot(frame);
        let low = plot.trace(band.first, &band.low, f64::max);
        let mut corners = plot.upper(band.first, &band.high);
        corners.extend(low.into_iter().rev());
        scene.marks.push(Mark::Area {
            points: corners,
            fill: Ink::Band,
        });
    }

    pub(super) fn plot<'a>(&self, frame: &'a Rect) -> Plot<'a> {
        Plot {
            frame,
            x: self.x(frame),
            y: self.y(frame),
            shown: self.places_shown(),
            dense: (self.offsets.1 - self.offsets.0) > 2.0 * frame.width,
        }
    }

    fn draw_series(&self, scene: &mut Scene, frame: &Rect, series: &Series) {
        self.plot(frame).draw(
            scene,
            (series.first, &series.values),
            series.ink,
            series.width,
            series.dashed.then_some(3.0),
        );
    }
}

impl Figure for Lines {
    fn height(&self, width: f64) -> f64 {
        self.frame(width).bottom() + BELOW
    }

    fn scene(&self, width: f64) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let frame = self.frame(width);
        if let Some(band) = &self.band {
            self.draw_band(&mut scene, &frame, band);
        }
        self.axes(&mut scene, &frame);
        // The cursor reads the first line, so it is on top.
        for series in self.series.iter().rev() {
            self.draw_series(&mut scene, &frame, series);
        }
        let (x, y) = (self.x(&frame), self.y(&frame));
        for handle in &self.handles {
            let at = (x.pixel(handle.k), y.pixel(handle.value));
            if frame.contains(at.0, at.1.clamp(frame.y, frame.bottom() - 1.0)) {
                scene.marks.push(Mark::Dot {
                    at,
                    radius: 6.0,
                    fill: if handle.hollow {
                        Ink::Paper
                    } else {
                        handle.ink
                    },
                    stroke: if handle.hollow {
                        handle.ink
                    } else {
                        Ink::Paper
                    },
                });
            }
        }
        self.draw_legend(&mut scene, width);
        scene
    }

    fn overlay(&self, width: f64, cursor: Option<Cursor>) -> Scene {
        let mut scene = Scene::new(width, self.height(width));
        let Some(k) = cursor.and_then(|cursor| self.axis.place(cursor)) else {
            return scene;
        };
        let frame = self.frame(width);
        let at = self.x(&frame).pixel(k as f64);
        if !(frame.x..=frame.right()).contains(&at) {
            return scene;
        }
        scene.line(vec![(at, frame.y), (at, frame.bottom())], Ink::Accent, 1.0);
        if let Some(value) = self.series.first().and_then(|series| series.at(k)) {
            let value = self.y(&frame).pixel(value);
            if (frame.y - 1.0..=frame.bottom() + 1.0).contains(&value) {
                scene.marks.push(Mark::Dot {
                    at: (at, value),
                    radius: 4.5,
                    fill: Ink::Accent,
                    stroke: Ink::Paper,
                });
            }
        }
        scene
    }

    fn cursor_at(&self, width: f64, px: f64, py: f64) -> Option<Cursor> {
        let frame = self.frame(width);
        if !frame.contains(px, py) {
            return None;
        }
        self.axis.cursor(self.nearest(self.x(&frame).value(px))?)
    }

    fn handle_at(&self, width: f64, px: f64, py: f64) -> Option<usize> {
        let frame = self.frame(width);
        let (x, y) = (self.x(&frame), self.y(&frame));
        let distance = |handle: &Handle| (x.pixel(handle.k) - px).hypot(y.pixel(handle.value) - py);
        (0..self.handles.len())
            .map(|at| (at, distance(&self.handles[at])))
            .filter(|(_, d)| *d <= REACH)
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(at, _)| at)
    }

    fn point_at(&self, width: f64, px: f64, py: f64) -> Option<(f64, f64)> {
        let frame = self.frame(width);
        Some((self.x(&frame).value(px), self.y(&frame).value(py)))
    }

    fn plot_frame(&self, width: f64) -> Option<Rect> {
        Some(self.frame(width))
    }

    fn vertical_name(&self) -> &'static str {
        self.vertical
    }

    fn summary(&self) -> String {
        // The half cell at either end has no value.
        let (first, last) = (self.offsets.0.ceil() as i64, self.offsets.1.floor() as i64);
        format!(
            "{} {} {} to {}. {}",
            self.summary,
            self.axis.plural(),
            signed(first),
            signed(last),
            self.values_said()
        )
    }

    fn table(&self) -> Table {
        self.table.clone()
    }
}
