//! What waves is a position table made of?

use crate::{
    analysis::{
        Compute, Desk, Failure, FindWaves, Opened, Reply, SingleAnswer, TableWaveSummary, Urgency,
        Watch, compute::Job, reading::no_wave_table,
    },
    checkpoint::ByteSource,
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Spectra, components and densities of the position table, or of what is in its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableWaves {
    /// The model.
    pub of: Opened,
}

impl SingleAnswer for TableWaves {
    type Answer = TableWaveSummary;
    const URGENCY: Urgency = Urgency::Now;

    fn about(&self) -> Option<Opened> {
        Some(self.of)
    }

    async fn answer<L: ByteSource, C: Compute, R: Reply>(
        self,
        desk: &Desk<'_, Self, L, C, R>,
    ) -> Result<TableWaveSummary, Failure> {
        let model = desk.session.model(self.of).await?;
        let rows = model.positions().rows().ok_or_else(no_wave_table)?;
        let waves = (desk.session.late.waves)().await?;
        Ok(desk.compute(Summarise(rows.into_owned(), waves)).await)
    }
}

/// Transforms and decomposes the table.
struct Summarise(Array2<f32>, &'static dyn FindWaves);

impl Job for Summarise {
    type Output = TableWaveSummary;

    async fn run(self, _watch: &impl Watch) -> TableWaveSummary {
        self.1.table(self.0.view())
    }
}
