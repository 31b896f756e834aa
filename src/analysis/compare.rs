//! A model in short, so that many can stand side by side.

use super::{Scope, TILE_LIMIT, positions::scopes_of};
use crate::math::{Scores, Tile, ToeplitzFit, Window, mean_absolute_autocorrelation};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Blocks a side of a picture among many.
const BRIEF_LIMIT: usize = TILE_LIMIT / 4;

/// What a comparison shows of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    /// Diagonal means, overall mean and R².
    pub fit: ToeplitzFit,
    /// R² in two dimensions, for the patches of an image.
    pub r2_2d: Option<f64>,
    /// R² of the whole, of leading blocks, of windows.
    pub scopes: Vec<Scope>,
    /// The matrix in small.
    pub tile: Tile,
    /// Mean over the table's columns of |autocorrelation| at lags 0 … n−1, or a sentence that says why there is
    /// none.
    pub autocorrelation: Result<Vec<f64>, String>,
}

impl Brief {
    /// Mean of |autocorrelation| over lags 1 … n−1: one number that grows as a table becomes smooth.
    #[must_use]
    pub fn mean_autocorrelation(&self) -> Option<f64> {
        let lags = self
            .autocorrelation
            .as_ref()
            .ok()?
            .get(1..)
            .filter(|lags| !lags.is_empty())?;
        Some(lags.iter().sum::<f64>() / lags.len() as f64)
    }
}

/// What a comparison shows of a model with these positions.
pub(super) fn brief(scores: &Scores, table: Option<&Array2<f32>>) -> Brief {
    let fits = scores.fits(&scores.plans());
    let n = scores.n();
    Brief {
        scopes: scopes_of(scores, &fits),
        r2_2d: fits.grid_fit.as_ref().map(|fit| fit.r2),
        fit: fits.fit,
        tile: scores.tile(Window::whole(n, n), BRIEF_LIMIT),
        autocorrelation: autocorrelation(table),
    }
}

fn autocorrelation(table: Option<&Array2<f32>>) -> Result<Vec<f64>, String> {
    let Some(table) = table else {
        return Err("These positions are no table, so there are no columns to compare.".into());
    };
    mean_absolute_autocorrelation(table.view()).ok_or_else(|| {
        "No column of this table varies from row to row, so there is nothing that could resemble itself.".into()
    })
}
