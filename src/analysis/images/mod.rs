//! Multi-head attention that computes a convolution of an image, as constructed in the slides on attention and
//! convolution.
//!
//! A [`FilterSetting`] holds an image, a kernel, and a head for each of the kernel's taps. Head h attends to one place
//! relative to each pixel and multiplies the value there by W⁽ʰ⁾ = `W_val`·`W_out`, the kernel's matrix at tap h. Heads
//! beyond the taps have no weight, and taps beyond the heads are left out.

mod common_profile;
mod filtered_image;
mod head_concatenation;
mod kernels;
mod pixels;
mod samples;

pub use filtered_image::{ErrorAtAlpha, FilterSetting, FilteredImage, alphas, in_their_places};
pub use head_concatenation::{ConcatenatedHead, HeadConcatenation};
pub use kernels::{IMAGE_KERNELS, LARGEST_KERNEL, NamedKernel, kernel_of, kernel_text};
pub use pixels::{ImageSource, OwnImage, Pixels};
pub use samples::{SAMPLES, Sample};

/// Numbers of pixels per side to which an image can be scaled.
pub const SIDES: [usize; 5] = [16, 32, 64, 128, 224];

/// Maximum number of heads of the layer.
pub const MOST_HEADS: usize = 81;
