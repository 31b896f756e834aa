//! Norms of states.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};
use row_kernels::{layer_norm, rms_norm};

use crate::model::{LayerNorm, NormKind};

/// A norm over the columns of every row, with its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct NormWeights {
    /// Kind of the norm.
    pub kind: NormKind,
    /// Factor of each column.
    pub scales: Vec<f32>,
    /// Shift of each column.
    pub shifts: Option<Vec<f32>>,
    /// Epsilon, added to the variance or the mean square.
    pub epsilon: f64,
}

impl From<&LayerNorm> for NormWeights {
    fn from(norm: &LayerNorm) -> Self {
        Self {
            kind: NormKind::Layer,
            scales: norm.weight.clone(),
            shifts: Some(norm.bias.clone()),
            epsilon: norm.epsilon,
        }
    }
}

impl NormWeights {
    /// Applies the norm to every row.
    ///
    /// # Panics
    /// If the rows do not have the norm's width.
    pub fn apply(&self, mut rows: ArrayViewMut2<'_, f32>) {
        assert_eq!(rows.ncols(), self.scales.len(), "one scale per column");
        for mut row in rows.rows_mut() {
            if let Some(row) = row.as_slice_mut() {
                self.apply_to_row(row);
                continue;
            }
            let mut copy = row.to_vec();
            self.apply_to_row(&mut copy);
            row.iter_mut().zip(copy).for_each(|(cell, x)| *cell = x);
        }
    }

    /// The rows after the norm; the rows themselves if there is none.
    #[must_use]
    pub fn apply_optional(norm: Option<&Self>, rows: ArrayView2<'_, f32>) -> Array2<f32> {
        let mut rows = rows.to_owned();
        if let Some(norm) = norm {
            norm.apply(rows.view_mut());
        }
        rows
    }

    fn apply_to_row(&self, row: &mut [f32]) {
        match self.kind {
            NormKind::Layer => layer_norm(row, &self.scales, self.epsilon),
            NormKind::Rms => rms_norm(row, &self.scales, self.epsilon),
        }
        if let Some(shifts) = &self.shifts {
            row.iter_mut()
                .zip(shifts)
                .for_each(|(x, shift)| *x += shift);
        }
    }
}
