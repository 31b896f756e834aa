//! Resampling of a position table from one grid to another, as in fine-tuning at another resolution.
//!
//! The conventions are those of torch's `interpolate` with `align_corners=False`, which vision transformer code calls:
//! place t of the new side is at (t + ½)·old/new − ½ of the old one, and places beyond the edge repeat the edge. Image
//! resampling libraries differ: most use another cubic kernel (a = −½, torch −¾) and widen kernels when the grid
//! shrinks, which torch does not.

use super::Grid;
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// Interpolation between grid places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum Resampling {
    /// Keys' cubic convolution with a = −¾, from four places per side.
    #[default]
    Bicubic,
    /// Linear interpolation, from two places per side.
    Bilinear,
}

/// Slope of the cubic kernel at 1.
const A: f64 = -0.75;

impl Resampling {
    /// Old places and weights from which a new place is computed.
    fn taps(self, from: usize, to: usize, at: usize) -> Vec<(usize, f64)> {
        let place = (at as f64 + 0.5) * from as f64 / to as f64 - 0.5;
        let (first, t) = (place.floor(), place - place.floor());
        let tap = |step: i64, weight: f64| {
            let place = first as i64 + step;
            (place.clamp(0, from as i64 - 1) as usize, weight)
        };
        let near = |t: f64| ((A + 2.0) * t - (A + 3.0)) * t * t + 1.0;
        let far = |t: f64| ((A * t - 5.0 * A) * t + 8.0 * A) * t - 4.0 * A;
        match self {
            Self::Bilinear => vec![tap(0, 1.0 - t), tap(1, t)],
            Self::Bicubic => vec![
                tap(-1, far(1.0 + t)),
                tap(0, near(t)),
                tap(1, near(1.0 - t)),
                tap(2, far(2.0 - t)),
            ],
        }
    }
}

/// Resamples a table whose rows are places of the grid `from`, row by row, to the grid `to`.
///
/// # Panics
/// If the table has another number of rows than `from` has places, or if a grid is empty.
#[must_use]
pub fn resample(table: ArrayView2<'_, f32>, from: Grid, to: Grid, how: Resampling) -> Array2<f32> {
    assert_eq!(table.nrows(), from.cells(), "a row for every place");
    assert!(from.cells() > 0 && to.cells() > 0, "grids have places");
    let width = table.ncols();
    let sum = |taps: &[(usize, f64)], row: &dyn Fn(usize) -> usize, of: &Array2<f64>| {
        let mut mixed = vec![0.0; width];
        for (at, weight) in taps {
            for (sum, value) in mixed.iter_mut().zip(of.row(row(*at))) {
                *sum += weight * value;
            }
        }
        mixed
    };
    let table = table.mapv(f64::from);
    let mut across = Array2::zeros((from.height * to.width, width));
    for x in 0..to.width {
        let taps = how.taps(from.width, to.width, x);
        for y in 0..from.height {
            let mixed = sum(&taps, &|at| y * from.width + at, &table);
            let mut row = across.row_mut(y * to.width + x);
            row.assign(&ndarray::ArrayView1::from(&mixed));
        }
    }
    let mut both = Array2::zeros((to.cells(), width));
    for y in 0..to.height {
        let taps = how.taps(from.height, to.height, y);
        for x in 0..to.width {
            let mixed = sum(&taps, &|at| at * to.width + x, &across);
            for (cell, value) in both.row_mut(y * to.width + x).iter_mut().zip(mixed) {
                *cell = value as f32;
            }
        }
    }
    both
}
