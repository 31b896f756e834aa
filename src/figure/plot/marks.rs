//! The marks of a plot: data on its two axes, with a colour and a width.

use super::{Band, Series, ValueRaster};
use crate::figure::{Ink, RowMark};

/// Data drawn in a plot. Coordinates are numbers on the axes.
#[derive(Debug, Clone, PartialEq)]
pub enum PlotMark {
    /// Values at consecutive offsets as a line.
    Line(Series),
    /// The area between two bounds, behind the axes.
    Area(Band),
    /// Values as colours over the whole area, behind the other marks and with a colour bar below. The ticks are outside.
    Raster(ValueRaster),
    /// Points: as dots, joined by a line, or only the line.
    Dots(Dots),
    /// The straight line y = slope·x + intercept, dashed, where it is inside the frame.
    Trend {
        /// Slope.
        slope: f64,
        /// Value at x = 0.
        intercept: f64,
    },
    /// A dashed line from left to right at a value, with its name below it at the left edge.
    Rule {
        /// The value.
        y: f64,
        /// Its name.
        name: &'static str,
    },
    /// A dashed line from top to bottom at a break of a position table, over an axis of rows.
    Break(RowMark),
}

/// A point.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterPoint {
    /// Its coordinates.
    pub at: (f64, f64),
    /// Number and name of its model, which are written at the point.
    pub model: Option<(usize, String)>,
}

impl ScatterPoint {
    /// Creates a point without a model.
    #[must_use]
    pub fn new(at: (f64, f64)) -> Self {
        Self { at, model: None }
    }

    /// Adds the number and the name of a model.
    #[must_use]
    pub fn of_model(mut self, number: usize, name: String) -> Self {
        self.model = Some((number, name));
        self
    }
}

/// Points of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Dots {
    /// Name in the legend. Empty for no entry.
    pub name: String,
    /// The points, in the order in which they are joined.
    pub points: Vec<ScatterPoint>,
    /// Colour of dots and line.
    pub ink: Ink,
    /// Whether they are joined by a line.
    pub is_joined: bool,
    /// Whether that line is dashed.
    pub is_dashed: bool,
    /// Whether the line is an arrow from the first point to the last, which begins and ends beside them.
    pub is_arrow: bool,
    /// Whether only the line is drawn, for many points.
    pub is_line: bool,
    /// Width of the line in pixels.
    pub width: f64,
    /// Radius of the dots in pixels.
    pub radius: f64,
}

impl Dots {
    /// Creates unjoined points, in ink.
    #[must_use]
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = ScatterPoint>) -> Self {
        Self {
            name: name.into(),
            points: points.into_iter().collect(),
            ink: Ink::Ink,
            is_joined: false,
            is_dashed: false,
            is_arrow: false,
            is_line: false,
            width: 1.5,
            radius: 3.5,
        }
    }

    /// Creates a line through points, in ink and without a legend entry.
    #[must_use]
    pub fn path(points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self::new("", points.into_iter().map(ScatterPoint::new)).line()
    }

    /// Creates an arrow from a point to another, in ink and without a legend entry.
    #[must_use]
    pub fn arrow(from: (f64, f64), to: (f64, f64)) -> Self {
        Self {
            is_arrow: true,
            ..Self::path([from, to])
        }
    }

    /// Sets the colour.
    #[must_use]
    pub fn ink(mut self, ink: Ink) -> Self {
        self.ink = ink;
        self
    }

    /// Sets the width of the line in pixels.
    #[must_use]
    pub fn width(mut self, width: f64) -> Self {
        self.width = width;
        self
    }

    /// Sets the radius of the dots in pixels.
    #[must_use]
    pub fn radius(mut self, radius: f64) -> Self {
        self.radius = radius;
        self
    }

    /// Joins the points by a line.
    #[must_use]
    pub fn with_line(mut self) -> Self {
        self.is_joined = true;
        self
    }

    /// Draws only a line through the points.
    #[must_use]
    pub fn line(mut self) -> Self {
        (self.is_joined, self.is_line) = (true, true);
        self
    }

    /// Joins the points by a dashed line.
    #[must_use]
    pub fn with_dashed_line(mut self) -> Self {
        (self.is_joined, self.is_dashed) = (true, true);
        self
    }
}

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
