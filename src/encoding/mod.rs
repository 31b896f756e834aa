//! Ways to encode position, one file each. Each gives a table, or a score by offset.

mod random;
mod sinusoidal;
mod tisa;

pub use random::Random;
pub use sinusoidal::Sinusoidal;
pub use tisa::{KERNEL_PRESETS, Kernel, KernelPreset, Kernels, MAX_KERNELS};

/// A way to encode position that this crate knows.
#[derive(Debug, Clone, Copy)]
pub struct Encoding {
    /// Short name, stable in links.
    pub id: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
}

/// Every encoding, in reading order: what menus, tests and docs go through.
pub const ENCODINGS: &[Encoding] = &[sinusoidal::ENCODING, tisa::ENCODING, random::ENCODING];
