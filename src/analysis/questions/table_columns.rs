//! Single columns of a position table.

use super::prelude::*;
use crate::analysis::{ColumnChoice, ColumnWave, reading::no_wave_table, waves::table_columns};

/// Some columns of the position table along position, with their spectra.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableColumns {
    /// The model.
    pub of: ModelVersion,
    /// Selection of columns.
    pub choice: ColumnChoice,
}

impl SingleAnswer for TableColumns {
    type Answer = Result<Vec<ColumnWave>, String>;
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Result<Vec<ColumnWave>, String>, Failure> {
        let model = context.session.model(self.of).await?;
        let rows = model.positions().rows().ok_or_else(no_wave_table)?;
        let columns = table_columns(rows.view(), &self.choice).await?;
        Ok(columns.map_err(|why| why.to_string()))
    }
}
