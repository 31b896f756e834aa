//! A position table beside the sinusoidal table of its shape.

use super::prelude::*;
use crate::{
    analysis::{FINEST_TILE, reading::no_table},
    encoding::Sinusoidal,
    math::{Tile, Window},
};
use ndarray::{Array2, ArrayView2, s};

/// The position table and the sinusoidal table with as many rows and columns, as block means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TablePair {
    /// The model.
    pub of: ModelVersion,
    /// Maximum number of blocks per side; rows and columns are divided independently.
    pub limit: usize,
}

/// A table, and how alike neighbouring values are in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SmoothTable {
    /// The values.
    pub tile: Tile,
    /// Correlation of all pairs of values of a dimension at neighbouring positions; NaN if nothing varies.
    pub down: f64,
    /// Correlation of all pairs of values of a position in neighbouring dimensions; NaN if nothing varies.
    pub across: f64,
}

impl SingleAnswer for TablePair {
    /// The position table, then the sinusoidal table.
    type Answer = [SmoothTable; 2];
    const URGENCY: Urgency = Urgency::Later;

    fn model(&self) -> Option<ModelVersion> {
        Some(self.of)
    }

    async fn answer<H: Host>(
        self,
        context: &AnswerContext<'_, Self, H>,
    ) -> Result<[SmoothTable; 2], Failure> {
        let model = context.session.model(self.of).await?;
        let table = model.positions().rows().ok_or_else(no_table)?;
        let limit = self.limit.min(FINEST_TILE);
        let job = MeasurePair(table.into_owned(), limit);
        Ok(context.compute(job).await)
    }
}

/// Measures both tables.
struct MeasurePair(Array2<f32>, usize);

impl Job for MeasurePair {
    type Output = [SmoothTable; 2];

    async fn run(self, watch: &impl Progress) -> [SmoothTable; 2] {
        let Self(table, limit) = self;
        let (rows, width) = table.dim();
        let of_model = SmoothTable::measure(table.view(), limit);
        watch.pause().await;
        let sinusoidal = Sinusoidal {
            rows,
            width,
            ..Sinusoidal::default()
        };
        [
            of_model,
            SmoothTable::measure(sinusoidal.table().view(), limit),
        ]
    }
}

impl SmoothTable {
    fn measure(table: ArrayView2<'_, f32>, limit: usize) -> Self {
        let (rows, width) = table.dim();
        let (last_row, last_column) = (rows.saturating_sub(1), width.saturating_sub(1));
        let down = (
            table.slice(s![..last_row, ..]),
            table.slice(s![rows - last_row.., ..]),
        );
        let across = (
            table.slice(s![.., ..last_column]),
            table.slice(s![.., width - last_column..]),
        );
        Self {
            tile: Tile::from_matrix(table, Window::whole(rows, width), limit),
            down: correlation(down.0, down.1),
            across: correlation(across.0, across.1),
        }
    }
}

/// Correlation of the values of two matrices of the same shape; NaN if those of one do not vary.
fn correlation(a: ArrayView2<'_, f32>, b: ArrayView2<'_, f32>) -> f64 {
    let mean =
        |m: ArrayView2<'_, f32>| m.iter().map(|&v| f64::from(v)).sum::<f64>() / m.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut both, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for (&a, &b) in a.iter().zip(b) {
        let (a, b) = (f64::from(a) - mean_a, f64::from(b) - mean_b);
        both += a * b;
        of_a += a * a;
        of_b += b * b;
    }
    both / (of_a * of_b).sqrt()
}
