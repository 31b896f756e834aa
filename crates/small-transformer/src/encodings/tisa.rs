//! Translation-invariant self-attention: a head adds f(k) = Σ_s a_s·exp(−|b_s|·(k − c_s)²) to its scores, with k = j − i
//! (Wennberg & Henter 2021, eq. 5).
//!
//! ln b is learned instead of b, so that b stays positive and steps change its size by a share of it. Centres start
//! spread over offsets −8 … 8, with widths of about four tokens, so that some kernel feels every near offset.

use super::{MOST_LENGTHS, PositionalEncoding};
use crate::{
    ModelTensor, Real, TransformerShape,
    parameters::{LearningGroup, ParameterLayout, ParameterRange, StartValues},
};
use serde::{Deserialize, Serialize};

/// Farthest offset at which centres start.
const REACH: f64 = 8.0;

/// Width at which kernels start, in tokens: their value falls to 1/e at this distance from the centre.
const WIDTH: f64 = 4.0;

/// Amplitude at which kernels start.
const AMPLITUDE: f64 = 0.1;

/// One Gaussian of one head, a·exp(−b(k − c)²).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TisaKernel {
    /// Index of the layer.
    pub layer: usize,
    /// Index of the head.
    pub head: usize,
    /// Index of the kernel within its head.
    pub kernel: usize,
    /// Amplitude, in units of scores.
    pub a: f64,
    /// Sharpness, positive, in 1/tokens².
    pub b: f64,
    /// Centre, in tokens.
    pub c: f64,
}

/// The kernels of every layer and head, each of a, c and ln b \[S, H\].
#[derive(Clone, Debug)]
pub(super) struct KernelScores {
    layers: Vec<[ParameterRange; 3]>,
    kernels: usize,
    heads: usize,
    n: usize,
}

/// Prefix of the names of a layer's tensors.
fn prefix(layer: usize) -> String {
    format!("bert.encoder.layer.{layer}.attention.self.")
}

impl KernelScores {
    pub(super) fn new(
        shape: &TransformerShape,
        kernels: usize,
        layout: &mut ParameterLayout,
    ) -> Self {
        let centre = |s: usize| REACH * ((2 * s + 1) as f64 / kernels as f64 - 1.0);
        let centres = (0..kernels)
            .flat_map(|s| vec![centre(s); shape.heads])
            .collect::<Vec<_>>();
        let around = |means: Vec<f64>, deviation| StartValues::Around { means, deviation };
        let size = [kernels, shape.heads];
        let mut layer = |layer: usize| {
            let mut add = |part: &str, start, group| {
                layout.add(&format!("{}{part}", prefix(layer)), &size, start, group)
            };
            // Heads of one layer differ from the start by about a token.
            [
                add(
                    "kernel_amplitudes",
                    around(vec![AMPLITUDE], 0.02),
                    LearningGroup::Score,
                ),
                add(
                    "kernel_centres",
                    around(centres.clone(), 1.0),
                    LearningGroup::KernelShape,
                ),
                add(
                    "kernel_log_sharpness",
                    around(vec![-2.0 * WIDTH.ln()], 0.1),
                    LearningGroup::KernelShape,
                ),
            ]
        };
        Self {
            layers: (0..shape.layers).map(&mut layer).collect(),
            kernels,
            heads: shape.heads,
            n: shape.n,
        }
    }

    /// Place of a kernel in its tensors.
    fn place(&self, kernel: usize, head: usize) -> usize {
        kernel * self.heads + head
    }

    /// The kernel with its numbers.
    fn kernel<T: Real>(
        &self,
        weights: &[T],
        layer: usize,
        head: usize,
        kernel: usize,
    ) -> TisaKernel {
        let place = self.place(kernel, head);
        let [a, c, log_b] = self.layers[layer].map(|range| range.of(weights)[place].to_f64());
        TisaKernel {
            layer,
            head,
            kernel,
            a,
            b: log_b.exp(),
            c,
        }
    }
}

impl<T: Real> PositionalEncoding<T> for KernelScores {
    fn add_to_profile(&self, weights: &[T], layer: usize, head: usize, profile: &mut [T]) -> bool {
        let centre = (profile.len() / 2) as f64;
        for kernel in 0..self.kernels {
            let TisaKernel { a, b, c, .. } = self.kernel(weights, layer, head, kernel);
            for (at, f) in profile.iter_mut().enumerate() {
                let distance = at as f64 - centre - c;
                *f += T::from_f64(a * (-b * distance * distance).exp());
            }
        }
        true
    }

    /// With e = exp(−b(k − c)²): ∂f/∂a = e, ∂f/∂c = 2ab(k − c)·e, ∂f/∂(ln b) = −ab(k − c)²·e.
    fn add_profile_gradient(
        &self,
        weights: &[T],
        layer: usize,
        head: usize,
        profile: &[T],
        gradients: &mut [T],
    ) {
        let centre = (profile.len() / 2) as f64;
        for kernel in 0..self.kernels {
            let TisaKernel { a, b, c, .. } = self.kernel(weights, layer, head, kernel);
            let mut sums = [0.0; 3];
            for (at, f) in profile.iter().enumerate() {
                let distance = at as f64 - centre - c;
                let e = (-b * distance * distance).exp() * f.to_f64();
                sums[0] += e;
                sums[1] += 2.0 * a * b * distance * e;
                sums[2] -= a * b * distance * distance * e;
            }
            for (range, sum) in self.layers[layer].iter().zip(sums) {
                range.of_mut(gradients)[self.place(kernel, head)] += T::from_f64(sum);
            }
        }
    }

    fn longest(&self) -> usize {
        MOST_LENGTHS * self.n
    }

    /// The kernels as the authors' module stores them: it evaluates g(i − j − 1), so that offsets are −(c + 1).
    fn tensors(&self, weights: &[T]) -> Vec<ModelTensor> {
        let layers = self.layers.iter().enumerate();
        let tensors = layers.flat_map(|(layer, [a, c, log_b])| {
            let shape = [self.kernels, self.heads];
            let tensor = |part: &str, range: &ParameterRange, convert: fn(f64) -> f64| {
                let values = range.of(weights).iter().map(|v| convert(v.to_f64()));
                let values: Vec<f64> = values.collect();
                ModelTensor::new(&format!("{}{part}", prefix(layer)), &shape, &values)
            };
            [
                tensor("kernel_amplitudes", a, |a| a),
                tensor("kernel_offsets", c, |c| -(c + 1.0)),
                tensor("kernel_sharpness", log_b, f64::exp),
            ]
        });
        tensors.collect()
    }

    fn names_of_converted(&self) -> Vec<String> {
        let parts = [
            "kernel_amplitudes",
            "kernel_centres",
            "kernel_log_sharpness",
        ];
        let names = |layer| parts.map(|part| format!("{}{part}", prefix(layer)));
        (0..self.layers.len()).flat_map(names).collect()
    }

    fn kernels(&self, weights: &[T]) -> Vec<TisaKernel> {
        let mut kernels = Vec::new();
        for layer in 0..self.layers.len() {
            for head in 0..self.heads {
                kernels.extend(
                    (0..self.kernels).map(|kernel| self.kernel(weights, layer, head, kernel)),
                );
            }
        }
        kernels
    }
}
