//! Checks kernels from elsewhere for the sliders: only those that sliders and link can hold.

use super::{AMPLITUDES, CENTRES, SHARPNESSES};
use crate::encoding::{Kernel, Kernels, MAX_KERNELS};

/// Returns the same kernels with nonnegative sharpnesses.
///
/// # Errors
/// A sentence: there are more than [`MAX_KERNELS`], or a number is outside the page's limits.
pub fn for_sliders(kernels: &Kernels) -> Result<Kernels, String> {
    if kernels.0.len() > MAX_KERNELS {
        return Err(format!(
            "This head has {} kernels and the page edits up to {MAX_KERNELS}, so its figures are shown and the \
             sliders stay.",
            kernels.0.len()
        ));
    }
    let mut sliders = Vec::new();
    for (at, kernel) in kernels.0.iter().enumerate() {
        let kernel = Kernel {
            b: kernel.b.abs(),
            ..*kernel
        };
        for (name, value, limits) in [
            ("amplitude", kernel.a, AMPLITUDES),
            ("sharpness", kernel.b, SHARPNESSES),
            ("centre", kernel.c, CENTRES),
        ] {
            if !limits.contains(&value) {
                return Err(format!(
                    "The {name} of kernel {} is {value}, and the page takes {} to {}, so its figures are shown \
                     and the sliders stay.",
                    at + 1,
                    limits.start(),
                    limits.end()
                ));
            }
        }
        sliders.push(kernel);
    }
    Ok(Kernels(sliders))
}
