//! What a plot over the offset shows: the values of a line, the bounds of a band.

use super::{Column, Ink, Table};
use crate::math::Profile;

/// Values at consecutive offsets.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What it is; also its column's name.
    pub name: String,
    /// The first offset.
    pub first: i64,
    /// Values from there on.
    pub values: Vec<f64>,
    /// Colour.
    pub ink: Ink,
    /// Line width in pixels.
    pub width: f64,
    /// Dashed: something to compare with.
    pub dashed: bool,
    /// Named beside the plot.
    pub labelled: bool,
}

impl Series {
    /// Values from `first` on: a thin line in ink, without a name beside it.
    #[must_use]
    pub fn new(name: impl Into<String>, first: i64, values: Vec<f64>) -> Self {
        Self {
            name: name.into(),
            first,
            values,
            ink: Ink::Ink,
            width: 1.3,
            dashed: false,
            labelled: false,
        }
    }

    /// A profile, see [`Self::new`].
    #[must_use]
    pub fn of(name: impl Into<String>, f: &Profile) -> Self {
        Self::new(name, f.first(), f.to_vec())
    }

    /// In a colour.
    #[must_use]
    pub fn ink(mut self, ink: Ink) -> Self {
        self.ink = ink;
        self
    }

    /// As wide as so many pixels.
    #[must_use]
    pub fn width(mut self, width: f64) -> Self {
        self.width = width;
        self
    }

    /// Dashed, or not.
    #[must_use]
    pub fn dashed(mut self, dashed: bool) -> Self {
        self.dashed = dashed;
        self
    }

    /// With its name beside the plot.
    #[must_use]
    pub fn labelled(mut self) -> Self {
        self.labelled = true;
        self
    }

    /// The last place that has a value.
    pub(super) fn last(&self) -> Option<i64> {
        Some(self.first + self.values.len().checked_sub(1)? as i64)
    }

    /// The value at an offset.
    #[must_use]
    pub fn at(&self, k: i64) -> Option<f64> {
        usize::try_from(k - self.first)
            .ok()
            .and_then(|at| self.values.get(at).copied())
    }

    /// A table with a column of offsets and one for each series; it has a row for every offset that any of
    /// them has, and NaN where a series has no value.
    #[must_use]
    pub fn table_of(series: &[Self]) -> Table {
        let first = series.iter().map(|s| s.first).min().unwrap_or(0);
        let last = series
            .iter()
            .map(|s| s.first + s.values.len() as i64)
            .max()
            .unwrap_or(0);
        let mut table = Table::new().with("offset", Column::Whole((first..last).collect()));
        for one in series {
            let values = (first..last).map(|k| one.at(k).unwrap_or(f64::NAN));
            table = table.with(one.name.replace(' ', "_"), Column::Number(values.collect()));
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
