//! Translation-invariant self-attention: scores by offset as a sum of Gaussian kernels (Wennberg & Henter 2021, eq. 5),
//! f(k) = Σ_s a_s·exp(−|b_s|(k − c_s)²).

use super::description::Encoding;
use crate::math::Toeplitz;
use serde::{Deserialize, Serialize};

pub(super) const ENCODING: Encoding = Encoding {
    id: "tisa",
    about: "A few Gaussian kernels of the offset, added to the scores of a head.",
};

/// Maximum number of kernels that the page edits; the paper uses up to five.
pub const MAX_KERNELS: usize = 8;

/// One kernel a·exp(−|b|(k − c)²).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// Amplitude, in the unit of the scores.
    pub a: f64,
    /// Sharpness; its sign does not matter. The kernel falls to 1/e at 1/√|b| from its centre.
    pub b: f64,
    /// Centre, an offset; negative values look back.
    pub c: f64,
    /// Whether the kernel is left out of the sum.
    pub is_muted: bool,
}

impl Kernel {
    /// A kernel that is not muted.
    #[must_use]
    pub const fn new(a: f64, b: f64, c: f64) -> Self {
        Self {
            a,
            b,
            c,
            is_muted: false,
        }
    }

    /// Value at offset k, muted or not.
    #[must_use]
    pub fn at(&self, k: f64) -> f64 {
        self.a * (-self.b.abs() * (k - self.c).powi(2)).exp()
    }
}

/// Sum of kernels, a function of the offset.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Kernels(pub Vec<Kernel>);

impl Kernels {
    /// f(k), the sum of the kernels that are not muted.
    #[must_use]
    pub fn at(&self, k: f64) -> f64 {
        self.0
            .iter()
            .filter(|kernel| !kernel.is_muted)
            .map(|kernel| kernel.at(k))
            .sum()
    }

    /// `F_P` for n positions (eq. 5): the Toeplitz matrix of f.
    #[must_use]
    pub fn scores(&self, n: usize) -> Toeplitz {
        Toeplitz::from_fn(n, |k| self.at(k as f64))
    }
}

/// Named set of kernels to start from.
#[derive(Debug, Clone, Copy)]
pub struct KernelPreset {
    /// Identifier, stable in links.
    pub id: &'static str,
    /// Name shown on the page.
    pub title: &'static str,
    pub kernels: &'static [Kernel],
}

/// Presets of the kernels view, in reading order.
pub const KERNEL_PRESETS: &[KernelPreset] = &[
    KernelPreset {
        id: "previous-token",
        title: "Previous token",
        kernels: &[Kernel::new(8.0, 1.0, -1.0)],
    },
    KernelPreset {
        id: "next-token",
        title: "Next token",
        kernels: &[Kernel::new(8.0, 1.0, 1.0)],
    },
    KernelPreset {
        id: "both-neighbours",
        title: "Both neighbours",
        kernels: &[Kernel::new(7.0, 1.5, -1.0), Kernel::new(7.0, 1.5, 1.0)],
    },
    KernelPreset {
        id: "wide-window",
        title: "Wide window",
        kernels: &[Kernel::new(5.0, 0.004, 0.0)],
    },
    KernelPreset {
        id: "alibi-like",
        title: "ALiBi-like slope",
        // Least-squares fit to −|k|/8 plus a constant over |k| ≤ 96, within 0.015 there; softmax ignores the constant.
        // Farther away the kernels level off, while ALiBi (Press et al. 2022) keeps falling.
        kernels: &[
            Kernel::new(17.511, 6.848e-5, 0.0),
            Kernel::new(2.205, 7.94e-4, 0.0),
            Kernel::new(0.934, 4.311e-3, 0.0),
            Kernel::new(0.454, 0.030_22, 0.0),
            Kernel::new(0.197, 0.547_3, 0.0),
        ],
    },
];
