//! What has to be said of a fit beside its R²: where kernels say little of their head, or nothing one by one.

use super::KernelFit;

/// A fit that explains a smaller share of the matrix than this says little of the head.
const LITTLE: f64 = 0.2;
/// Attention that deviates less than this from uniform prefers no offset.
const UNIFORM: f64 = 0.05;

/// Sentences on why a fit says little; none for most.
#[must_use]
pub fn fit_caveats(fit: &KernelFit) -> String {
    let mut said = Vec::new();
    if fit.matrix_r2 < LITTLE {
        said.push(format!(
            "These kernels explain little of this head: R² of its matrix is {:.2}.",
            fit.matrix_r2
        ));
    }
    if fit.from_uniform < UNIFORM {
        said.push(format!(
            "The attention that they make is within {:.1} % of uniform: they hardly prefer one offset to another.",
            100.0 * fit.from_uniform
        ));
    }
    if !fit.reading.is_readable() {
        let why = if fit.reading.cancels {
            "two of them nearly cancel, and "
        } else {
            ""
        };
        said.push(format!(
            "They cannot be read one by one: {why}the tallest is {:.1} times as high as the range of the profile.",
            fit.reading.tallest
        ));
    }
    said.join(" ")
}
