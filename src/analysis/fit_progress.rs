//! Status lines for kernel fits, while they run and afterwards.

use super::Fits;

/// Differences in R² below this are not mentioned.
const NOTHING: f64 = 1e-4;

/// Progress of the fits of a layer or model with `heads` heads.
#[must_use]
pub fn group_progress(fits: &Fits, heads: usize, is_running: bool) -> String {
    let (fitted, refusals) = (fits.fits.len(), fits.refusals.len());
    if is_running {
        return format!("{} of {heads} heads fitted.", fitted + refusals);
    }
    let progress = match fitted {
        1 => "1 head fitted.".to_owned(),
        _ => format!("{fitted} heads fitted."),
    };
    match fits.refusals.first() {
        None => progress,
        Some(sentence) => format!("{progress} {refusals} not: {sentence}"),
    }
}

/// Quality of the open head's fit with `kernels` kernels, or the reason why there is none.
#[must_use]
pub fn head_progress(fits: &Fits, kernels: usize, is_running: bool) -> String {
    match (fits.with_kernels(kernels), fits.refusals.first()) {
        (Some(fit), _) => {
            let given_up = match fit.given_up {
                less if less < NOTHING => String::new(),
                given_up => {
                    format!(" Least squares alone would explain {given_up:.4} more of the profile.")
                }
            };
            format!(
                "Layer {}, head {}: R² {:.4} of the profile, {:.4} of the matrix.{given_up}",
                fit.layer + 1,
                fit.head + 1,
                fit.r2,
                fit.matrix_r2
            )
        }
        (None, Some(sentence)) => sentence.clone(),
        (None, None) if is_running => String::new(),
        (None, None) => format!("It has too few offsets for {kernels} kernels; choose fewer."),
    }
}
