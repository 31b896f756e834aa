//! Linear maps of states.

use ndarray::{Array2, ArrayView2, s};
use std::ops::Range;

use crate::math::matrix_product::product_into;

/// Multiplications between two pauses, which take about 30 ms.
const PAUSE: usize = 1 << 29;

/// The linear map x·W + b.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearMap {
    /// W, [in, out].
    pub weight: Array2<f32>,
    /// b, one number per output.
    pub bias: Option<Vec<f32>>,
}

impl LinearMap {
    /// Applies the map to rows, [n, in] to [n, out]. `pause` is called often enough for other tasks to run.
    ///
    /// # Panics
    /// If the rows do not have the width of the map's inputs.
    pub async fn apply(&self, rows: ArrayView2<'_, f32>, pause: &impl AsyncFn()) -> Array2<f32> {
        let step = (PAUSE / self.weight.len().max(1)).max(1);
        let mut cells = Vec::with_capacity(rows.nrows() * self.weight.ncols());
        for first in (0..rows.nrows()).step_by(step) {
            let some = rows.slice(s![first..rows.nrows().min(first + step), ..]);
            self.append(&mut cells, some);
            pause().await;
        }
        Array2::from_shape_vec((rows.nrows(), self.weight.ncols()), cells).expect("all rows")
    }

    /// The map to some of the outputs alone.
    ///
    /// # Panics
    /// If there are no such outputs.
    #[must_use]
    pub fn select_outputs(&self, outputs: Range<usize>) -> Self {
        let bias = self.bias.as_ref();
        Self {
            weight: self.weight.slice(s![.., outputs.clone()]).to_owned(),
            bias: bias.map(|bias| bias[outputs].to_vec()),
        }
    }

    /// Applies the map to a few rows at once.
    ///
    /// # Panics
    /// As [`Self::apply`].
    #[must_use]
    pub fn apply_to_few(&self, rows: ArrayView2<'_, f32>) -> Array2<f32> {
        let mut cells = Vec::with_capacity(rows.nrows() * self.weight.ncols());
        self.append(&mut cells, rows);
        Array2::from_shape_vec((rows.nrows(), self.weight.ncols()), cells).expect("all rows")
    }

    /// Appends the outputs of some rows.
    fn append(&self, cells: &mut Vec<f32>, rows: ArrayView2<'_, f32>) {
        let (first, width) = (cells.len(), self.weight.ncols());
        match &self.bias {
            Some(bias) => (0..rows.nrows()).for_each(|_| cells.extend_from_slice(bias)),
            None => cells.resize(first + rows.nrows() * width, 0.0),
        }
        let factor = if self.bias.is_some() { 1.0 } else { 0.0 };
        product_into(
            &mut cells[first..],
            width,
            rows,
            self.weight.view(),
            1.0,
            factor,
        );
    }
}
