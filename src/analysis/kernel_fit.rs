//! TISA kernels fitted to a head's profile of diagonal means.
//!
//! A fit consists of S kernels and a free intercept, which softmax ignores. It minimises squared errors to f(k) over
//! offsets, by default among kernels that can be read one by one (see `gaussian_fit::Objective`). Weighted by the cells
//! of each diagonal, it is the fit to the whole matrix: no kernel can explain the part of the matrix that the profile
//! leaves, so R² of the matrix is R² of the profile times Toeplitz R².
//!
//! Kernels are rounded to single precision both in this page's convention and in that of the authors' module, whose
//! centres are −(c + 1), so an exported fit equals the one shown.

use crate::{
    encoding::{HeadKernels, Kernel, KernelSet, Kernels, MAX_KERNELS},
    lazy::lazy,
    math::{AttentionMask, Profile, ScoreFits, deviation_from_uniform},
};
use gaussian_fit::{FitError, Gaussian, GaussianFit, Objective, Points, Reading, Search};
use serde::{Deserialize, Serialize};

/// Weight of each offset in a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum Weighting {
    /// The number of cells of its diagonal.
    #[default]
    Cells,
    /// One for |k| ≤ K, zero beyond.
    Window(u32),
}

/// Options of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitOptions {
    /// Number of kernels, 1 … [`MAX_KERNELS`].
    pub kernels: usize,
    /// Weights of the offsets.
    pub weighting: Weighting,
    /// Offsets used: all, or those with k ≤ 0.
    pub cells: AttentionMask,
    /// Criterion by which kernels are chosen.
    pub objective: Objective,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            kernels: 5,
            weighting: Weighting::Cells,
            cells: AttentionMask::Whole,
            objective: Objective::default(),
        }
    }
}

/// Kernels fitted to a head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelFit {
    /// Layer from 0.
    pub layer: usize,
    /// Head from 0.
    pub head: usize,
    /// Kernels, the one nearest to zero first.
    pub kernels: Kernels,
    /// Constant added at every offset.
    pub intercept: f64,
    /// Share of the profile's variance that is explained, over the offsets used and with their weights.
    pub r2: f64,
    /// Share of the matrix's variance that is explained, over the unmasked cells.
    pub matrix_r2: f64,
    /// Increase of `r2` by least squares alone; zero if that found nothing better.
    pub given_up: f64,
    /// Share of the profile's variance that a kernel as high as the profile's range costs: with the kernels' b and c,
    /// the heights a are those of least squares under this penalty.
    pub penalty: f64,
    /// Whether the kernels can be read one by one.
    pub reading: Reading,
    /// Largest relative deviation from uniform of the kernels' own attention, over the unmasked cells.
    pub from_uniform: f64,
    /// Profile and fit, sampled at the same evenly spaced offsets.
    pub sketch: [Vec<f32>; 2],
}

impl KernelFit {
    /// The value of the fit at offset k.
    #[must_use]
    pub fn at(&self, k: i64) -> f64 {
        self.kernels.at(k as f64) + self.intercept
    }
}

/// Fits of a model with `heads` heads per layer, as a set of kernels.
#[must_use]
pub fn set_of_fits(fits: &[KernelFit], heads: usize) -> KernelSet {
    let mut set = KernelSet::default();
    for fit in fits {
        let kernels = HeadKernels {
            kernels: fit.kernels.clone(),
            intercept: Some(fit.intercept),
        };
        // A layer with any fit gets a place for every head, filled or not.
        set.layer(fit.layer, heads.max(fit.head + 1))[fit.head] = Some(kernels);
    }
    set
}

/// Approximate number of offsets of a sketch.
const SKETCH_OFFSETS: usize = 64;
/// Largest |offset| of a sketch: little happens farther away.
const SKETCHED_REACH: usize = 64;

lazy! { in fits;
    /// Starts a fit to the diagonal means of a head's scores.
    pub(super) async fn start_fit(
        fits: &ScoreFits,
        options: &FitOptions,
        place: (usize, usize),
    ) -> Result<IncrementalFit, FitError> {
        IncrementalFit::new(fits, options, place)
    }

    /// Adds a kernel where it explains most.
    pub(super) async fn add_kernel(fitting: &mut IncrementalFit) {
        fitting.search.add();
    }

    /// Computes the best fit with the current kernels.
    pub(super) async fn current_fit(fitting: &mut IncrementalFit) -> KernelFit {
        fitting.fit()
    }
}

/// A fit in progress. The lazy functions above call its methods.
pub(super) struct IncrementalFit {
    search: Search,
    f: Profile,
    /// Toeplitz R² over the unmasked cells, and their sum of squares that the profile explains.
    toeplitz_r2: f64,
    explained_share: f64,
    cells: AttentionMask,
    place: (usize, usize),
}

impl IncrementalFit {
    fn new(
        fits: &ScoreFits,
        options: &FitOptions,
        place: (usize, usize),
    ) -> Result<Self, FitError> {
        let f = &fits.fit.f;
        let counts = |k: i64| options.cells == AttentionMask::Whole || k <= 0;
        let offsets = || f.by_offset().filter(move |(k, _)| counts(*k));
        let weight = |k: i64| match options.weighting {
            Weighting::Cells => f.cells(k) as f64,
            Weighting::Window(reach) => f64::from(u8::from(k.unsigned_abs() <= u64::from(reach))),
        };
        let points = Points::new(offsets().map(|(k, f)| (k as f64, f, weight(k))))?;
        let cells = |k: i64| f.cells(k) as f64;
        let total: f64 = offsets().map(|(k, _)| cells(k)).sum();
        let mean = offsets().map(|(k, f)| cells(k) * f).sum::<f64>() / total;
        Ok(Self {
            search: Search::new(
                points,
                options.kernels.clamp(1, MAX_KERNELS),
                options.objective,
            )?,
            f: f.clone(),
            toeplitz_r2: match options.cells {
                AttentionMask::Whole => fits.fit.r2,
                AttentionMask::Causal => fits.causal_r2(),
            },
            explained_share: offsets().map(|(k, f)| cells(k) * (f - mean).powi(2)).sum(),
            cells: options.cells,
            place,
        })
    }

    fn fit(&mut self) -> KernelFit {
        let fit = self.search.settle();
        let GaussianFit {
            gaussians,
            intercept,
            given_up,
            penalty,
            reading,
            ..
        } = &fit;
        let kernels = Kernels(gaussians.iter().map(round_kernel).collect());
        let mut fit = KernelFit {
            layer: self.place.0,
            head: self.place.1,
            intercept: f64::from(*intercept as f32),
            kernels,
            r2: fit.r2,
            matrix_r2: 0.0,
            given_up: *given_up,
            penalty: *penalty,
            reading: *reading,
            from_uniform: 0.0,
            sketch: [Vec::new(), Vec::new()],
        };
        let left: f64 = (self.f.by_offset())
            .filter(|(k, _)| self.cells == AttentionMask::Whole || *k <= 0)
            .map(|(k, f)| self.f.cells(k) as f64 * (f - fit.at(k)).powi(2))
            .sum();
        fit.matrix_r2 = self.toeplitz_r2 * (1.0 - left / self.explained_share);
        fit.r2 = self.search.r2(|k| fit.at(k as i64));
        let fitted = self.f.map(|k, _| fit.at(k));
        fit.from_uniform = deviation_from_uniform(&fitted, self.cells);
        fit.sketch = self.sketch(&fit);
        fit
    }

    fn sketch(&self, fit: &KernelFit) -> [Vec<f32>; 2] {
        let reach = (self.f.n() as i64 - 1).min(SKETCHED_REACH as i64);
        let last = if self.cells == AttentionMask::Whole {
            reach
        } else {
            0
        };
        let step = ((last + reach) as usize / SKETCH_OFFSETS).max(1);
        let offsets = || (-reach..=last).step_by(step);
        [
            offsets()
                .map(|k| self.f.at(k).unwrap_or(f64::NAN) as f32)
                .collect(),
            offsets().map(|k| fit.at(k) as f32).collect(),
        ]
    }
}

/// Rounds a kernel to single precision in both conventions: −(c + 1) must be as exact as c.
fn round_kernel(gaussian: &Gaussian) -> Kernel {
    let single = |value: f64| f64::from(value as f32);
    let c = gaussian.c;
    // The last bit in single precision of the larger of c and −(c + 1).
    let exponent = (c.abs() + 1.0).log2().floor() + 1.0 - f64::from(f32::MANTISSA_DIGITS);
    let bit = exponent.exp2();
    Kernel::new(
        single(gaussian.a),
        single(gaussian.b),
        (c / bit).round() * bit,
    )
}

/// Sentence that explains why a head cannot be fitted.
pub(super) fn refusal((layer, head): (usize, usize), why: FitError) -> String {
    let why = match why {
        FitError::NotFinite => {
            "its scores are not all finite numbers, so no kernel can follow them".to_owned()
        }
        FitError::Flat => {
            "its score is the same at every offset, so there is nothing for kernels to explain"
                .to_owned()
        }
        FitError::TooFewPoints { points, parameters } => format!(
            "{points} offsets are too few for {parameters} parameters; choose fewer kernels or more offsets"
        ),
    };
    let (layer, head) = (layer + 1, head + 1);
    format!("Layer {layer}, head {head} cannot be fitted: {why}.")
}

/// Maximum number of kernels that the offsets used can determine: three numbers each, and the intercept.
pub(super) fn most_kernels(fits: &ScoreFits, options: &FitOptions) -> usize {
    let n = fits.fit.f.n();
    let reach = match options.weighting {
        Weighting::Cells => n - 1,
        Weighting::Window(reach) => (reach as usize).min(n - 1),
    };
    let offsets = match options.cells {
        AttentionMask::Whole => 2 * reach + 1,
        AttentionMask::Causal => reach + 1,
    };
    ((offsets.saturating_sub(1)) / 3).clamp(1, MAX_KERNELS)
}
