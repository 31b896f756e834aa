//! What an axis counts: its name on the plot, and what the cursor means over it.

use super::Cursor;

/// What an axis counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// The offset k = j − i.
    Offset,
    /// How many rows (Δy) of a grid the key lies below the query.
    Down,
    /// How many columns (Δx) of a grid the key lies to the right of the query.
    Across,
    /// How many rows of a table lie between two that are correlated.
    Lag,
    /// Periods over all positions.
    Frequency,
    /// A position.
    Position,
    /// A dimension of a table.
    Dimension,
    /// The query i.
    Query,
    /// The key j.
    Key,
    /// Position i of a matrix that compares positions with one another.
    PositionI,
    /// Position j of a matrix that compares positions with one another.
    PositionJ,
    /// The first position i of a pair.
    Start,
    /// The step of a training run.
    Step,
    /// The number S of kernels.
    Kernels,
    /// The Toeplitz R² of a matrix.
    ToeplitzR2,
    /// The R² of a fit to a profile.
    ProfileR2,
    /// How well a model does elsewhere, in a unit of its own.
    Performance,
    /// A principal component.
    Component,
    /// The component that stands against another.
    OtherComponent,
    /// A value of a table.
    Value,
    /// How densely values lie.
    Density,
}

impl Axis {
    /// Its name, as it stands on a plot.
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
            Self::Step => "step",
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

    /// What it counts, as a word in the names of columns.
    #[must_use]
    pub(super) fn word(self) -> &'static str {
        match self {
            // Files of matrices name their columns alike, whether queries meet keys or positions one another.
            Self::Query | Self::PositionI => "query",
            Self::Key | Self::PositionJ => "key",
            Self::Position => "position",
            Self::Dimension => "dimension",
            Self::Down => "dy",
            Self::Across => "dx",
            other => other.title(),
        }
    }

    /// What a whole number on the axis is called in summaries: "Offsets −8 to 8".
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
            Self::Step => "Steps",
            Self::Kernels => "Kernels",
            Self::ToeplitzR2 | Self::ProfileR2 => "R²",
            Self::Performance => "Performances",
            Self::Component | Self::OtherComponent => "Components",
            Self::Value => "Values",
            Self::Density => "Densities",
        }
    }

    /// What a point of the axis points at, where other figures have something to say about it.
    #[must_use]
    pub fn cursor(self, at: i64) -> Option<Cursor> {
        match self {
            Self::Offset => Some(Cursor::Offset(at)),
            Self::Lag => Some(Cursor::Lag(usize::try_from(at).ok()?)),
            Self::Frequency => Some(Cursor::Frequency(usize::try_from(at).ok()?)),
            _ => None,
        }
    }

    /// Where a cursor stands on the axis, if it says anything about it.
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
