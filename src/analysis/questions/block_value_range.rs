//! Minimum and maximum over the cells of a downsampled matrix.

use super::prelude::*;
use crate::{
    analysis::MatrixId,
    math::{Window, range_of_cells, wider},
};

/// Minimum and maximum over the unmasked cells of a window; `None` if no cell is a number.
///
/// Every cell is formed for it, so it has the lowest urgency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockValueRange {
    /// The matrix.
    pub of: MatrixId,
    /// Rows and columns of the window.
    pub window: Window,
}

impl SingleAnswer for BlockValueRange {
    type Answer = Option<(f32, f32)>;
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        self.of.model()
    }

    /// The range of another matrix or window would be wrong.
    fn replaces(&self, earlier: &Self) -> bool {
        self == earlier
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<Option<(f32, f32)>, Failure> {
        let matrix = context.session.matrix_rows(self.of, context).await?;
        let window = matrix.part(Some(&self.window));
        let mut range: Option<(f32, f32)> = None;
        for block in matrix.blocks(&window) {
            let block_range = range_of_cells(block.view());
            range = range.into_iter().chain(block_range).reduce(wider);
            context.pause().await;
        }
        Ok(range)
    }
}
