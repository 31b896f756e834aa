//! Waves in a position table.

use super::prelude::*;
use crate::analysis::{
    TableWaveSummary,
    reading::no_wave_table,
    waves::{load_waves, table_waves},
};
use ndarray::Array2;

/// Spectra, components and densities of the position table, or of its equivalent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableWaves {
    /// The model.
    pub of: ModelVersion,
}

impl SingleAnswer for TableWaves {
    type Answer = TableWaveSummary;
    const URGENCY: Urgency = Urgency::Now;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<TableWaveSummary, Failure> {
        let model = context.session.model(self.of).await?;
        let rows = model.positions().rows().ok_or_else(no_wave_table)?;
        load_waves().await?;
        Ok(context.compute(Summarise(rows.into_owned())).await?)
    }
}

/// Transforms and decomposes the table.
struct Summarise(Array2<f32>);

impl Job for Summarise {
    type Output = Result<TableWaveSummary, LoadError>;

    async fn run(self, _watch: &impl Progress) -> Self::Output {
        table_waves(self.0.view()).await
    }
}
