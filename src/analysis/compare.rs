//! Summary of a model for the comparison of several.

use super::{
    AnswerContext, Device, Failure, Host, Question, Scope, Similarity, TILE_LIMIT, leading_scope,
    loaded_model::LoadedModel,
};
use crate::{
    checkpoint::Weights,
    math::{Autocorrelation, NoR2, OffsetR2, TableBreaks, Tile, ToeplitzFit, Window},
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Maximum number of blocks per side of a tile in a comparison.
const BRIEF_LIMIT: usize = TILE_LIMIT / 4;

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

impl<Q: Question, H: Host> AnswerContext<'_, Q, H> {
    /// Summarises a model's positions under a similarity.
    pub(super) async fn brief<W: Weights>(
        &self,
        model: &LoadedModel<W>,
        similarity: Similarity,
    ) -> Result<Brief, Failure> {
        let compared = model.compare_positions(similarity, self).await?;
        let (p, table) = (&compared.p, model.positions().rows());
        let start = self.now();
        self.expect_parts(p);
        // Computed before the fits, which hold as many numbers as the table, so that both are never in memory at once.
        let autocorrelation = autocorrelation(table.as_deref());
        let fits = p.fits(&p.plans());
        let chance = model.chance(similarity);
        let brief = Brief {
            scopes: (self.scopes(p, &fits, chance, &TableBreaks::default())).await?,
            fit: fits.fit,
            tile: p.tile(Window::whole(p.n(), p.n()), BRIEF_LIMIT),
            autocorrelation,
        };
        self.report(Device::Cpu, start, None);
        Ok(brief)
    }
}

/// Autocorrelation of a table's columns, or a sentence that explains why there is none.
fn autocorrelation(table: Option<&Array2<f32>>) -> Result<Autocorrelation, String> {
    let Some(table) = table else {
        return Err("This model has no position table, so there are no columns to compare.".into());
    };
    Autocorrelation::compute(table.view()).ok_or_else(|| {
        "No column of this table varies from row to row, so there is no autocorrelation.".into()
    })
}
