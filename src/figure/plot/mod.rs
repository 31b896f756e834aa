//! Plots on two axes: marks over two scales, with a legend, the cursor and drag handles.
//!
//! A [`Plot`] is a figure. It takes its ranges, its legend and its description from its marks, so a figure on two axes
//! is a function that returns a plot. The margins are those of a [`super::Heatmap`], so that a profile below a matrix of
//! the same width has the same scale: one offset is as wide as one key.

mod area;
mod arrow;
mod axes;
mod axis;
mod draw;
pub(in crate::figure) mod frame;
mod legend;
mod marks;
mod names;
mod pointer;
mod raster;
mod series;
mod stacked_plot;

pub use axes::{AxisScale, PlotAxis};
pub use axis::Axis;
pub use marks::{Dots, Handle, PlotMark, ScatterPoint};
pub use raster::ValueRaster;
pub use series::{Band, Series};
pub use stacked_plot::{StackedPlot, Strip};

pub(in crate::figure) use area::PlotArea;
pub(in crate::figure) use axes::Scale;
pub(in crate::figure) use legend::{LineLegend, legend_rows};

use super::{RowMark, Table, margins, scale::extent};
use legend::LegendLayout;
use std::ops::RangeInclusive;

/// Marks over two axes.
///
/// ```
/// use diagonal::figure::{Axis, Figure, Plot, Series};
///
/// let plot = Plot::over(Axis::Offset)
///     .vertical("score")
///     .series([Series::new("f", -1, vec![0.5, 2.0, 1.5])])
///     .with_summary("Three scores.");
/// assert_eq!(plot.summary(), "Three scores. Offsets −1 to 1. Values from 0.500 to 2.00.");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// The horizontal axis.
    pub x: PlotAxis,
    /// The vertical axis.
    pub y: PlotAxis,
    /// The marks, from back to front.
    pub marks: Vec<PlotMark>,
    /// Points that can be dragged, on top of the marks.
    pub handles: Vec<Handle>,
    /// Number and name of the model of each line, if each is of a model. They are listed below the plot.
    pub models: Vec<(usize, String)>,
    /// A selected place on the horizontal axis.
    pub marked_place: Option<f64>,
    /// Height of the plot over its width.
    pub aspect: f64,
    /// Height of the frame in pixels, in place of what [`Self::aspect`] gives.
    frame_height: Option<f64>,
    /// Numbers behind the figure, for download.
    pub table: Table,
    /// A text summary. [`Self::ranges`] are added to it.
    pub summary: String,
    /// The ranges that the description states.
    pub ranges: StatedRanges,
    layout: PlotLayout,
}

/// The ranges that a plot states after its summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatedRanges {
    /// None.
    None,
    /// That of the values at the shown offsets.
    Values,
    /// That of the shown offsets, and that of the values there.
    Offsets,
    /// Those of the points on both axes.
    Points,
}

/// Margins in pixels, and the ranges of axes that follow their marks.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PlotLayout {
    /// Space above the legend without and with a name of the vertical axis.
    above: [f64; 2],
    right: f64,
    legend: LegendLayout,
    /// Space at either end of an axis, as a share of its range.
    margins: (f64, f64),
    /// Ends of an axis without data.
    empty: (f64, f64),
}

/// Layout of lines over offsets.
const LINES: PlotLayout = PlotLayout {
    above: [12.0, frame::ABOVE],
    right: margins::RIGHT,
    legend: LegendLayout {
        left: margins::LEFT,
        row: 18.0,
        sample: 16.0,
        name: 21.0,
        apart: 14.0,
    },
    margins: (0.0, 0.06),
    empty: (-1.0, 1.0),
};

/// Layout of points.
const POINTS: PlotLayout = PlotLayout {
    above: [32.0, 32.0],
    right: 14.0,
    legend: LegendLayout {
        left: 0.0,
        row: 20.0,
        sample: 18.0,
        name: 23.0,
        apart: 17.0,
    },
    margins: (0.05, 0.12),
    empty: (0.0, 1.0),
};

impl Plot {
    /// Creates an empty plot on two axes, without a legend.
    #[must_use]
    pub fn new(x: PlotAxis, y: PlotAxis) -> Self {
        Self {
            x,
            y,
            marks: Vec::new(),
            handles: Vec::new(),
            models: Vec::new(),
            marked_place: None,
            aspect: 0.5,
            frame_height: None,
            table: Table::new(),
            summary: String::new(),
            ranges: StatedRanges::None,
            layout: LINES,
        }
    }

    /// Creates an empty plot of values over a quantity with integer values, such as the offset.
    #[must_use]
    pub fn over(x: Axis) -> Self {
        Self {
            aspect: 0.3,
            frame_height: None,
            ranges: StatedRanges::Offsets,
            ..Self::new(
                PlotAxis {
                    range: Some((-0.5, 0.5)),
                    ..PlotAxis::new(x, AxisScale::Whole)
                },
                PlotAxis::with_name("", AxisScale::Linear),
            )
        }
    }

    /// Creates an empty plot of points on two axes. `y` is `None` if the kinds of points have different quantities.
    #[must_use]
    pub fn scatter(x: Axis, y: Option<Axis>) -> Self {
        Self {
            ranges: StatedRanges::Points,
            layout: POINTS,
            ..Self::new(
                PlotAxis::new(x, AxisScale::Linear),
                PlotAxis::with_name(y.map_or("", Axis::title), AxisScale::Linear),
            )
        }
    }

    /// Creates a plot of values as colours, over axes with given ranges.
    #[must_use]
    pub fn from_values(values: ValueRaster, x: PlotAxis, y: PlotAxis) -> Self {
        Self {
            marks: vec![PlotMark::Raster(values)],
            aspect: 0.6,
            frame_height: None,
            ranges: StatedRanges::Values,
            ..Self::new(x, y)
        }
    }

    /// Sets the name of the vertical axis.
    #[must_use]
    pub fn vertical(mut self, name: &'static str) -> Self {
        self.y.name = name;
        self
    }

    /// Adds lines and shows all of their offsets. The first line is on top and is the one that the cursor reads.
    #[must_use]
    pub fn series(mut self, series: impl IntoIterator<Item = Series>) -> Self {
        let lines = series.into_iter().map(PlotMark::Line);
        let from = self.marks.len();
        self.marks.extend(lines);
        self.marks[from..].reverse();
        let first = self.lines().map(|series| series.first).min();
        let last = self.lines().filter_map(Series::last).max();
        if let (Some(first), Some(last)) = (first, last) {
            self.x.range = Some((first as f64 - 0.5, last as f64 + 0.5));
        }
        self
    }

    /// Adds a band behind the lines.
    #[must_use]
    pub fn band(mut self, band: impl Into<Option<Band>>) -> Self {
        let band = band.into().map(PlotMark::Area);
        self.marks.splice(0..0, band);
        self
    }

    /// Adds points.
    #[must_use]
    pub fn dots(mut self, dots: impl IntoIterator<Item = Dots>) -> Self {
        self.marks.extend(dots.into_iter().map(PlotMark::Dots));
        self
    }

    /// Adds a straight line with this slope and intercept, behind the points.
    #[must_use]
    pub fn trend(mut self, trend: Option<(f64, f64)>) -> Self {
        let trend = trend.map(|(slope, intercept)| PlotMark::Trend { slope, intercept });
        self.marks.splice(0..0, trend);
        self
    }

    /// Adds a named line across the plot at a value, behind the marks.
    #[must_use]
    pub fn rule(mut self, y: f64, name: &'static str) -> Self {
        self.marks.insert(0, PlotMark::Rule { y, name });
        self
    }

    /// Adds the breaks of a position table, behind the other marks, over an axis of rows.
    #[must_use]
    pub fn row_marks(mut self, marks: impl IntoIterator<Item = RowMark>) -> Self {
        let marks = marks.into_iter().map(PlotMark::Break);
        self.marks.splice(0..0, marks);
        self
    }

    /// Sets the points that can be dragged.
    #[must_use]
    pub fn handles(mut self, handles: impl IntoIterator<Item = Handle>) -> Self {
        self.handles = handles.into_iter().collect();
        self
    }

    /// Numbers the lines by their models and lists the models, by number and name, below the plot.
    #[must_use]
    pub fn models(mut self, models: impl IntoIterator<Item = (usize, String)>) -> Self {
        self.models = models.into_iter().collect();
        self.ranges = StatedRanges::Values;
        self
    }

    /// Marks a selected place on the horizontal axis.
    #[must_use]
    pub fn mark_place(mut self, marked_place: Option<f64>) -> Self {
        self.marked_place = marked_place;
        self
    }

    /// Sets the ends of the horizontal axis. An offset k covers k − ½ … k + ½.
    #[must_use]
    pub fn horizontal_range(mut self, ends: (f64, f64)) -> Self {
        self.x.range = Some(ends);
        self
    }

    /// Sets the range of the vertical axis. `None` for that of the marks.
    #[must_use]
    pub fn values(mut self, values: impl Into<Option<(f64, f64)>>) -> Self {
        self.y.range = values.into();
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

    /// Returns the lines over offsets, the one on top first.
    pub fn lines(&self) -> impl Iterator<Item = &Series> {
        self.marks.iter().rev().filter_map(|mark| match mark {
            PlotMark::Line(series) => Some(series),
            _ => None,
        })
    }

    /// Returns the points of all dots.
    pub fn points(&self) -> impl Iterator<Item = &ScatterPoint> {
        self.marks.iter().flat_map(|mark| match mark {
            PlotMark::Dots(dots) => dots.points.as_slice(),
            _ => &[],
        })
    }

    /// Returns the numbers at the ends of the horizontal axis.
    #[must_use]
    pub fn x_range(&self) -> (f64, f64) {
        let across = || self.points().map(|point| point.at.0);
        self.x
            .range
            .unwrap_or_else(|| self.widened_range(across(), self.layout.margins.0))
    }

    /// Returns the range of the value axis.
    #[must_use]
    pub fn y_range(&self) -> (f64, f64) {
        self.y.range.unwrap_or_else(|| self.natural_y_range())
    }

    /// Returns the range of the marks with a margin: of lines and bands at the shown offsets, and of all points.
    #[must_use]
    pub fn natural_y_range(&self) -> (f64, f64) {
        self.widened_range(self.extremes(), self.layout.margins.1)
    }

    fn widened_range(&self, values: impl Iterator<Item = f64>, margin: f64) -> (f64, f64) {
        extent(values, margin).map_or(self.layout.empty, RangeInclusive::into_inner)
    }

    /// The extremes of each mark at the shown offsets.
    fn extremes(&self) -> impl Iterator<Item = f64> {
        let offsets = self.offset_range();
        let at_offsets = move |first: i64, values: &[f64]| {
            let from = (offsets.start() - first).clamp(0, values.len() as i64) as usize;
            let to = (offsets.end() + 1 - first).clamp(0, values.len() as i64) as usize;
            extent(values[from..to.max(from)].iter().copied(), 0.0)
        };
        let ends = self.marks.iter().flat_map(move |mark| match mark {
            PlotMark::Line(series) => [at_offsets(series.first, &series.values), None],
            PlotMark::Area(band) => [&band.low, &band.high].map(|b| at_offsets(band.first, b)),
            PlotMark::Dots(dots) => [extent(dots.points.iter().map(|p| p.at.1), 0.0), None],
            PlotMark::Raster(_)
            | PlotMark::Trend { .. }
            | PlotMark::Rule { .. }
            | PlotMark::Break(_) => [None, None],
        });
        ends.flatten().flat_map(|ends| [*ends.start(), *ends.end()])
    }

    fn offset_range(&self) -> RangeInclusive<i64> {
        let (first, last) = self.x_range();
        first.floor() as i64..=last.ceil() as i64
    }
}
