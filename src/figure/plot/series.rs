//! Data of a plot over offsets: the values of a line, the bounds of a band.

use crate::{
    figure::{Ink, Table},
    math::Profile,
};

/// Values at consecutive offsets.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name, also of its table column.
    pub name: String,
    /// The first offset.
    pub first: i64,
    /// Values from the first offset on.
    pub values: Vec<f64>,
    /// Colour.
    pub ink: Ink,
    /// Line width in pixels.
    pub width: f64,
    /// Whether the line is dashed, for comparisons.
    pub is_dashed: bool,
    /// Whether it is in the legend.
    pub is_in_legend: bool,
}

impl Series {
    /// Creates a thin line in ink from `first` on, without a legend entry.
    #[must_use]
    pub fn new(name: impl Into<String>, first: i64, values: Vec<f64>) -> Self {
        Self {
            name: name.into(),
            first,
            values,
            ink: Ink::Ink,
            width: 1.3,
            is_dashed: false,
            is_in_legend: false,
        }
    }

    /// Creates a line from a profile; see [`Self::new`].
    #[must_use]
    pub fn from_profile(name: impl Into<String>, f: &Profile) -> Self {
        Self::new(name, f.first(), f.to_vec())
    }

    /// Sets the colour.
    #[must_use]
    pub fn ink(mut self, ink: Ink) -> Self {
        self.ink = ink;
        self
    }

    /// Sets the line width in pixels.
    #[must_use]
    pub fn width(mut self, width: f64) -> Self {
        self.width = width;
        self
    }

    /// Sets whether the line is dashed.
    #[must_use]
    pub fn with_dashes(mut self, is_dashed: bool) -> Self {
        self.is_dashed = is_dashed;
        self
    }

    /// Adds the line to the legend.
    #[must_use]
    pub fn in_legend(mut self) -> Self {
        self.is_in_legend = true;
        self
    }

    /// The last offset with a value.
    pub(super) fn last(&self) -> Option<i64> {
        Some(self.first + self.values.len().checked_sub(1)? as i64)
    }

    /// Returns the value at an offset.
    #[must_use]
    pub fn at(&self, k: i64) -> Option<f64> {
        usize::try_from(k - self.first)
            .ok()
            .and_then(|at| self.values.get(at).copied())
    }

    /// Returns a table with a column of offsets and one for each series. It has a row for every offset between the
    /// first and the last of any series, with NaN where a series has no value.
    #[must_use]
    pub fn table_of(series: &[Self]) -> Table {
        let first = series.iter().map(|s| s.first).min().unwrap_or(0);
        let last = series
            .iter()
            .map(|s| s.first + s.values.len() as i64)
            .max()
            .unwrap_or(0);
        let mut table = Table::new().with("offset", (first..last).collect());
        for one in series {
            let values = (first..last).map(|k| one.at(k).unwrap_or(f64::NAN));
            table = table.with(one.name.replace(' ', "_"), values.collect());
        }
        table
    }
}

/// Lower and upper bound at consecutive offsets.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// The first offset.
    pub first: i64,
    /// Lower bounds.
    pub low: Vec<f64>,
    /// Upper bounds.
    pub high: Vec<f64>,
}
