//! Quantities on the axes of plots: their names, and the cursor positions they correspond to.

use crate::figure::Cursor;

/// The quantity on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// The offset k = j − i.
    Offset,
    /// Rows (Δy) of a grid from the query down to the key.
    Down,
    /// Columns (Δx) of a grid from the query to the key on its right.
    Across,
    /// Distance in rows between two correlated rows of a table.
    Lag,
    /// Frequency, in periods over all positions.
    Frequency,
    /// A position.
    Position,
    /// A dimension of a table.
    Dimension,
    /// The query i.
    Query,
    /// The key j.
    Key,
    /// Position i of a matrix that compares positions.
    PositionI,
    /// Position j of a matrix that compares positions.
    PositionJ,
    /// The first position i of a pair.
    Start,
    /// A layer, from 1.
    Layer,
    /// The shift Δ of a head, in tokens.
    Shift,
    /// The step of a training run.
    Step,
    /// A loss in nats.
    Loss,
    /// The length of sequences, in tokens.
    Length,
    /// The wavelength of a pair of rotary positions, in tokens.
    Wavelength,
    /// The centre c of a kernel, an offset.
    Centre,
    /// The number S of kernels.
    Kernels,
    /// The Toeplitz R² of a matrix.
    ToeplitzR2,
    /// The R² of a fit to a profile.
    ProfileR2,
    /// Score of a model on a benchmark, in a unit of its own.
    Performance,
    /// A principal component.
    Component,
    /// The component that is plotted against another.
    OtherComponent,
    /// A value of a table.
    Value,
    /// Density of values.
    Density,
}

impl Axis {
    /// The name on a plot.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Offset => "offset k",
            Self::Down => "Δy",
            Self::Across => "Δx",
            Self::Lag => "lag",
            Self::Frequency => "frequency",
            Self::Position => "position",
            Self::Dimension => "dimension",
            Self::Query => "query i",
            Self::Key => "key j",
            Self::PositionI => "position i",
            Self::PositionJ => "position j",
            Self::Start => "start i",
            Self::Layer => "layer",
            Self::Shift => "shift Δ in tokens",
            Self::Step => "step",
            Self::Loss => "loss in nats",
            Self::Length => "length in tokens",
            Self::Wavelength => "wavelength in tokens",
            Self::Centre => "centre c",
            Self::Kernels => "kernels S",
            Self::ToeplitzR2 => "Toeplitz R²",
            Self::ProfileR2 => "R² of the profile",
            Self::Performance => "performance",
            Self::Component => "component",
            Self::OtherComponent => "other component",
            Self::Value => "value",
            Self::Density => "density",
        }
    }

    /// The word in the names of table columns.
    #[must_use]
    pub(in crate::figure) fn word(self) -> &'static str {
        match self {
            // Files of matrices name their columns alike, for queries and keys as for pairs of positions.
            Self::Query | Self::PositionI => "query",
            Self::Key | Self::PositionJ => "key",
            Self::Position => "position",
            Self::Dimension => "dimension",
            Self::Down => "dy",
            Self::Across => "dx",
            other => other.title(),
        }
    }

    /// The plural in summaries: "Offsets −8 to 8".
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Offset | Self::Down | Self::Across => "Offsets",
            Self::Lag => "Lags",
            Self::Frequency => "Frequencies",
            Self::Position | Self::PositionI | Self::PositionJ | Self::Start => "Positions",
            Self::Dimension => "Dimensions",
            Self::Query => "Queries",
            Self::Key => "Keys",
            Self::Layer => "Layers",
            Self::Shift => "Shifts",
            Self::Step => "Steps",
            Self::Loss => "Losses",
            Self::Length => "Lengths",
            Self::Wavelength => "Wavelengths",
            Self::Centre => "Centres",
            Self::Kernels => "Kernels",
            Self::ToeplitzR2 | Self::ProfileR2 => "R²",
            Self::Performance => "Performances",
            Self::Component | Self::OtherComponent => "Components",
            Self::Value => "Values",
            Self::Density => "Densities",
        }
    }

    /// Returns the cursor of a value on the axis, if other figures can show it.
    #[must_use]
    pub fn cursor(self, at: i64) -> Option<Cursor> {
        match self {
            Self::Offset => Some(Cursor::Offset(at)),
            Self::Lag => Some(Cursor::Lag(usize::try_from(at).ok()?)),
            Self::Frequency => Some(Cursor::Frequency(usize::try_from(at).ok()?)),
            _ => None,
        }
    }

    /// Returns the value of a cursor on the axis, if it has one.
    #[must_use]
    pub fn place(self, cursor: Cursor) -> Option<i64> {
        match (self, cursor) {
            (Self::Offset, cursor) => cursor.offset(),
            (Self::Lag, Cursor::Lag(lag)) => i64::try_from(lag).ok(),
            (Self::Frequency, Cursor::Frequency(f)) => i64::try_from(f).ok(),
            _ => None,
        }
    }
}
