//! Multi-head attention that makes a convolution of an image, as the slides on attention and convolution construct it.
//!
//! A [`FilterSetting`] says everything: an image, a kernel, and a head for each of its taps. Head h looks at one place
//! beside each pixel and hands on what it sees by W⁽ʰ⁾ = `W_val`·`W_out`, which is the kernel's matrix at tap h. Heads
//! beyond the taps have no weight, and taps beyond the heads are left out.

mod filtered;
mod kernels;
mod pixels;
mod samples;

pub use filtered::{ErrorAtAlpha, FilterSetting, FilteredImage, alphas, in_their_places};
pub use kernels::{IMAGE_KERNELS, LARGEST_KERNEL, NamedKernel, kernel_of, kernel_text};
pub use pixels::{ImageSource, OwnImage, Pixels};
pub use samples::{SAMPLES, Sample};

/// Pixels a side that an image may be scaled to.
pub const SIDES: [usize; 5] = [16, 32, 64, 128, 224];

/// The most heads of a layer.
pub const MOST_HEADS: usize = 81;
