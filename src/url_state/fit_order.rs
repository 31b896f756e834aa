//! Order of kernel fits of a layer or a model.

use super::Sort;
use crate::analysis::KernelFit;

/// Sorts fits. The sort is stable.
#[must_use]
pub fn fits_in_order(fits: &[KernelFit], sort: Sort) -> Vec<&KernelFit> {
    let first_centre = |fit: &KernelFit| fit.kernels.0.first().map_or(0.0, |kernel| kernel.c);
    let mut sorted: Vec<&KernelFit> = fits.iter().collect();
    match sort {
        // The input is in this order.
        Sort::Layer => {}
        Sort::R2 => sorted.sort_by(|a, b| b.r2.total_cmp(&a.r2)),
        Sort::Peak => sorted.sort_by(|a, b| first_centre(a).total_cmp(&first_centre(b))),
    }
    sorted
}
