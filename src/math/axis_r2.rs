//! How much of a function of (Δy, Δx) is a function of Δy plus a function of Δx.

use super::{
    GridFit,
    variance::{ROUNDINGS, share_above},
};

impl GridFit {
    /// Share of the variance of f over all cells that the best g(Δy) + h(Δx) explains; NaN if f does not vary.
    ///
    /// A cell count is a product of one of Δy and one of Δx, so the best g and h are the weighted means of rows and of
    /// columns, less the mean of all.
    #[must_use]
    pub fn axis_r2(&self) -> f64 {
        let (rows, columns) = self.grid.reach();
        let (mut of_rows, mut of_columns) = (vec![0.0; rows], vec![0.0; columns]);
        let counted = || {
            let offsets = self.grid.offsets().zip(&self.f).enumerate();
            offsets.map(|(at, ((dy, dx), f))| (at, self.grid.pairs(dy, dx) as f64, f))
        };
        let cells = (self.grid.cells() as f64).powi(2);
        let mean = counted().map(|(_, pairs, f)| pairs * f).sum::<f64>() / cells;
        let (mut total, mut largest) = (0.0, 0.0_f64);
        for (at, pairs, f) in counted() {
            of_rows[at / columns] += pairs * (f - mean);
            of_columns[at % columns] += pairs * (f - mean);
            total += pairs * (f - mean).powi(2);
            largest = largest.max(f.abs());
        }
        let triangle = |side: usize, at: usize| (side - at.abs_diff(side - 1)) as f64;
        let square = |sums: &[f64], side: usize| -> f64 {
            let sums = sums.iter().enumerate();
            sums.map(|(at, sum)| sum * sum / triangle(side, at)).sum()
        };
        let (height, width) = (self.grid.height, self.grid.width);
        let explained = square(&of_rows, height) / (width as f64).powi(2)
            + square(&of_columns, width) / (height as f64).powi(2);
        let rounding = cells * (ROUNDINGS * f64::EPSILON * largest).powi(2);
        share_above(rounding, explained, total).unwrap_or(f64::NAN)
    }
}
