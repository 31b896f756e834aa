//! Export of a full matrix as a file, written one block of rows at a time while it is computed.

use super::prelude::*;
use crate::{
    analysis::{
        MatrixFormat, MatrixId,
        export::{matrix_csv_header, matrix_csv_row, npy},
    },
    math::Window,
};

/// A window of a matrix in full precision, as a file. Masked cells of a causal model are NaN, as they are blank in the
/// figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WholeMatrix {
    /// The matrix.
    pub of: MatrixId,
    /// File format.
    pub format: MatrixFormat,
    /// Rows and columns; `None` for all.
    pub window: Option<Window>,
}

impl SingleAnswer for WholeMatrix {
    type Answer = ();
    const URGENCY: Urgency = Urgency::Soon;

    fn model(&self) -> Option<ModelVersion> {
        self.of.model()
    }

    async fn answer<H: Host>(self, context: &AnswerContext<'_, Self, H>) -> Result<(), Failure> {
        let matrix = context.session.matrix_rows(self.of, context).await?;
        let window = matrix.part(self.window.as_ref());
        context.send_bytes(match self.format {
            MatrixFormat::Csv => matrix_csv_header(window.cols.clone()).into_bytes(),
            MatrixFormat::Npy => npy("<f4", &[window.rows.len(), window.cols.len()]),
        });
        for block in matrix.blocks(&window) {
            let mut bytes = Vec::new();
            for row in block.rows() {
                match self.format {
                    MatrixFormat::Csv => bytes.extend(matrix_csv_row(row).into_bytes()),
                    MatrixFormat::Npy => bytes.extend(row.iter().flat_map(|v| v.to_le_bytes())),
                }
            }
            context.send_bytes(bytes);
            context.pause().await;
        }
        Ok(())
    }
}
