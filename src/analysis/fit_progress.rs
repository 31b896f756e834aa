//! What is said of fits while they are made, and once they are there.

use super::Fits;

/// Less of R² than this is not worth a word.
const NOTHING: f64 = 1e-4;

/// How far the fits of a layer or a model are, which has so many heads.
#[must_use]
pub fn group_progress(fits: &Fits, heads: usize, is_running: bool) -> String {
    let (fitted, refused) = (fits.fits.len(), fits.refused.len());
    if is_running {
        return format!("{} of {heads} heads fitted.", fitted + refused);
    }
    let done = match fitted {
        1 => "1 head fitted.".to_owned(),
        _ => format!("{fitted} heads fitted."),
    };
    match fits.refused.first() {
        None => done,
        Some(sentence) => format!("{done} {refused} not: {sentence}"),
    }
}

/// How well the open head is fitted with so many kernels, or why it is not.
#[must_use]
pub fn head_progress(fits: &Fits, kernels: usize, is_running: bool) -> String {
    match (fits.of_kernels(kernels), fits.refused.first()) {
        (Some(fit), _) => {
            let given_up = match fit.given_up {
                less if less < NOTHING => String::new(),
                given_up => {
                    format!(" Least squares alone reaches {given_up:.4} more of the profile.")
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
        (None, None) => format!("Its offsets cannot decide {kernels} kernels; take fewer."),
    }
}
