//! A model in short, so that many can stand side by side.

use super::{Scope, TILE_LIMIT, leading_scope};
use crate::math::{Autocorrelation, NoR2, OffsetR2, Tile, ToeplitzFit};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Blocks a side of a picture among many.
pub(super) const BRIEF_LIMIT: usize = TILE_LIMIT / 4;

/// What a comparison shows of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    /// Diagonal means, overall mean and R².
    pub fit: ToeplitzFit,
    /// R² of the whole, of leading blocks, of windows; see [`leading_scope`].
    pub scopes: Vec<Scope>,
    /// The matrix in small.
    pub tile: Tile,
    /// |autocorrelation| of the table's columns, or a sentence that says why there is none.
    pub autocorrelation: Result<Autocorrelation, String>,
}

impl Brief {
    /// R² of all positions, in two dimensions where they stand in an image.
    #[must_use]
    pub fn r2(&self) -> OffsetR2 {
        let none = || OffsetR2::new(Err(NoR2::NothingVaries), Err(NoR2::NothingVaries));
        leading_scope(&self.scopes).map_or_else(none, |scope| scope.r2)
    }

    /// Mean of |autocorrelation| over lags 1 … n−1: one number that grows as a table becomes smooth.
    #[must_use]
    pub fn mean_autocorrelation(&self) -> Option<f64> {
        let lags = self
            .autocorrelation
            .as_ref()
            .ok()?
            .mean
            .get(1..)
            .filter(|lags| !lags.is_empty())?;
        Some(lags.iter().sum::<f64>() / lags.len() as f64)
    }
}

/// How a table's columns resemble themselves, or why that is not known.
pub(super) fn autocorrelation(table: Option<&Array2<f32>>) -> Result<Autocorrelation, String> {
    let Some(table) = table else {
        return Err("These positions are no table, so there are no columns to compare.".into());
    };
    Autocorrelation::of(table.view()).ok_or_else(|| {
        "No column of this table varies from row to row, so there is nothing that could resemble itself.".into()
    })
}
