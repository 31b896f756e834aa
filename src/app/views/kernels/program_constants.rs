//! Constants of the view's NumPy programs: the kernels that fits have found.

use super::fits::KernelFits;
use crate::{
    app::{figure::program_constants::ProgramConstants, state::UrlState},
    numpy_program::Literal,
    url_state::fits_in_order,
};
use leptos::prelude::*;

/// Provides the constants.
pub(super) fn provide(url: UrlState, fits: KernelFits) {
    ProgramConstants::provide(move |name| {
        Some(match name {
            "FITS" => {
                let displayed = fits.displayed_fits();
                let sort = url.link.with(|link| link.heads.sort);
                fits_in_order(&displayed, sort).literal()
            }
            "FIT" => fits.chosen_fit()?.kernels.literal(),
            "INTERCEPT" => fits.chosen_fit()?.intercept.literal(),
            "FITS_BY_COUNT" => {
                let fits = fits.head_fits()?;
                let numbers = fits.fits.iter().map(|fit| (fit.intercept, &fit.kernels));
                numbers.collect::<Vec<_>>().literal()
            }
            _ => return None,
        })
    });
}
