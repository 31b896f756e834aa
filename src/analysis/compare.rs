//! Summary of a model for the comparison of several.

use super::{Scope, TILE_LIMIT, leading_scope};
use crate::math::{Autocorrelation, NoR2, OffsetR2, Tile, ToeplitzFit};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Maximum number of blocks per side of a tile in a comparison.
pub(super) const BRIEF_LIMIT: usize = TILE_LIMIT / 4;

/// Numbers and picture of one model in a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    /// Diagonal means, overall mean and R².
    pub fit: ToeplitzFit,
    /// R² over all positions, leading blocks and windows; see [`leading_scope`].
    pub scopes: Vec<Scope>,
    /// The matrix as block means.
    pub tile: Tile,
    /// |autocorrelation| of the table's columns, or a sentence that explains why there is none.
    pub autocorrelation: Result<Autocorrelation, String>,
}

impl Brief {
    /// R² over all positions; in two dimensions if they are patches of an image.
    #[must_use]
    pub fn r2(&self) -> OffsetR2 {
        let none = || OffsetR2::new(Err(NoR2::NothingVaries), Err(NoR2::NothingVaries));
        leading_scope(&self.scopes).map_or_else(none, |scope| scope.r2)
    }

    /// Mean of |autocorrelation| over lags 1 … n−1, which grows with the smoothness of the table.
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

/// Autocorrelation of a table's columns, or a sentence that explains why there is none.
pub(super) fn autocorrelation(table: Option<&Array2<f32>>) -> Result<Autocorrelation, String> {
    let Some(table) = table else {
        return Err("This model has no position table, so there are no columns to compare.".into());
    };
    Autocorrelation::compute(table.view()).ok_or_else(|| {
        "No column of this table varies from row to row, so there is no autocorrelation.".into()
    })
}
