//! Waves in a position table.

use crate::{
    analysis::{
        AnswerContext, Compute, Failure, FindWaves, ModelVersion, Progress, ResponseSink,
        SingleAnswer, TableWaveSummary, Urgency, compute::Job, reading::no_wave_table,
    },
    checkpoint::ByteSource,
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

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

    async fn answer<L: ByteSource, C: Compute, R: ResponseSink>(
        self,
        context: &AnswerContext<'_, Self, L, C, R>,
    ) -> Result<TableWaveSummary, Failure> {
        let model = context.session.model(self.of).await?;
        let rows = model.positions().rows().ok_or_else(no_wave_table)?;
        let waves = (context.session.lazy_parts.waves)().await?;
        Ok(context.compute(Summarise(rows.into_owned(), waves)).await)
    }
}

/// Transforms and decomposes the table.
struct Summarise(Array2<f32>, &'static dyn FindWaves);

impl Job for Summarise {
    type Output = TableWaveSummary;

    async fn run(self, _watch: &impl Progress) -> TableWaveSummary {
        self.1.table(self.0.view())
    }
}
