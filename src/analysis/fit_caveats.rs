//! Caveats of a fit beside its R²: kernels that explain little of their head, or that cannot be read one by one.

use super::KernelFit;

/// R² of the matrix below which a fit explains little of the head.
const LITTLE: f64 = 0.2;
/// Relative deviation from uniform attention below which no offset is preferred.
const UNIFORM: f64 = 0.05;

/// Sentences that qualify a fit; empty for most fits.
#[must_use]
pub fn fit_caveats(fit: &KernelFit) -> String {
    let mut sentences = Vec::new();
    if fit.matrix_r2 < LITTLE {
        sentences.push(format!(
            "These kernels explain little of this head: the R² of its matrix is {:.2}.",
            fit.matrix_r2
        ));
    }
    if fit.from_uniform < UNIFORM {
        sentences.push(format!(
            "The resulting attention is within {:.1} % of uniform: this fit barely prefers any offset.",
            100.0 * fit.from_uniform
        ));
    }
    if !fit.reading.is_readable() {
        let why = if fit.reading.cancels {
            "two of them nearly cancel, and "
        } else {
            ""
        };
        sentences.push(format!(
            "These kernels cannot be interpreted one by one: {why}the tallest is {:.1} times as high as the range of the profile.",
            fit.reading.tallest
        ));
    }
    sentences.join(" ")
}
