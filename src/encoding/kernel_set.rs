//! Gaussian kernels of some or all heads of a model, as they are fitted, exported and imported.
//!
//! Kernels here always use this crate's convention, f(k) with k = key − query. The module of TISA's authors
//! (`ulmewennberg/tisa`, `model/tisa.py`) evaluates F[i, j] = g(i − j − 1) with its own offsets. The Gaussians of g are
//! even, so [`turned`] centres give the same scores; amplitudes and sharpnesses are equal on both sides.

use super::{Kernel, Kernels};

/// Maximum number of layers in a set.
pub const MOST_LAYERS: usize = 1024;
/// Maximum number of heads in a layer.
pub const MOST_HEADS: usize = 1024;
/// Maximum number of heads over all layers, about as many as the largest models have.
pub const MOST_HEADS_IN_ALL: usize = 1 << 14;
/// Maximum number of kernels of a head. The page edits up to [`super::MAX_KERNELS`].
pub const MOST_KERNELS: usize = 64;

/// Converts a centre between this crate's convention and that of the authors' module: c ↦ −(c + 1), which is its own
/// inverse.
///
/// Centres below 4096 in magnitude, where `f64` is finer than 10⁻¹², are rounded to 10⁻¹². Without this a field would
/// show 0.10000000000000009 in place of 0.1.
#[must_use]
pub fn convert_centre(centre: f64) -> f64 {
    const DIGITS: f64 = 1e12;
    let turned = -(centre + 1.0);
    if turned.abs() < 4096.0 {
        (turned * DIGITS).round() / DIGITS
    } else {
        turned
    }
}

/// The kernels of a head.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeadKernels {
    /// Kernels in this crate's convention.
    pub kernels: Kernels,
    /// A fitted constant added to every score. Softmax is invariant to it.
    pub intercept: Option<f64>,
}

/// The kernels of a layer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LayerKernels {
    /// Index of the layer, from 0.
    pub layer: usize,
    /// Heads by index, from 0; `None` where a head is not fitted.
    pub heads: Vec<Option<HeadKernels>>,
}

impl LayerKernels {
    /// S, the largest number of kernels in any head.
    #[must_use]
    pub fn most_kernels(&self) -> usize {
        let counts = self.heads.iter().flatten().map(|head| head.kernels.0.len());
        counts.max().unwrap_or(0)
    }
}

/// The kernels of a model, or of a part of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KernelSet {
    /// Layers in ascending order of index, each at most once.
    pub layers: Vec<LayerKernels>,
}

impl KernelSet {
    /// A set with one head: head 0 of layer 0.
    #[must_use]
    pub fn single(kernels: Kernels) -> Self {
        let mut set = Self::default();
        let intercept = None;
        set.put(0, 0, HeadKernels { kernels, intercept });
        set
    }

    /// Sets the kernels of a head, layer and head from 0, and replaces earlier ones.
    pub fn put(&mut self, layer: usize, head: usize, kernels: HeadKernels) {
        let heads = self.layer(layer, head + 1);
        heads[head] = Some(kernels);
    }

    /// Slots of a layer's heads, extended to at least `heads`. Inserts the layer if it is absent.
    pub fn layer(&mut self, layer: usize, heads: usize) -> &mut [Option<HeadKernels>] {
        let at = self.layers.partition_point(|other| other.layer < layer);
        if self.layers.get(at).is_none_or(|other| other.layer != layer) {
            let heads = Vec::new();
            self.layers.insert(at, LayerKernels { layer, heads });
        }
        let slots = &mut self.layers[at].heads;
        if slots.len() < heads {
            slots.resize(heads, None);
        }
        slots
    }

    /// The kernels of a head, layer and head from 0; `None` if the head is not fitted.
    #[must_use]
    pub fn get(&self, layer: usize, head: usize) -> Option<&HeadKernels> {
        let layer = self.layers.iter().find(|other| other.layer == layer)?;
        layer.heads.get(head)?.as_ref()
    }

    /// Number of heads that have kernels.
    #[must_use]
    pub fn heads_with_kernels(&self) -> usize {
        let heads = self.layers.iter().flat_map(|layer| &layer.heads);
        heads.flatten().count()
    }

    /// The largest number of heads in any layer.
    #[must_use]
    pub fn most_heads(&self) -> usize {
        let heads = self.layers.iter().map(|layer| layer.heads.len());
        heads.max().unwrap_or(0)
    }

    /// Returns the set without muted kernels, as it is exported.
    #[must_use]
    pub fn audible(mut self) -> Self {
        let layers = self.layers.iter_mut();
        for head in layers.flat_map(|layer| &mut layer.heads).flatten() {
            head.kernels.0.retain(|kernel| !kernel.is_muted);
        }
        self
    }

    /// Validates the set: it must hold kernels, every number must be finite, and no limit of this module may be
    /// exceeded.
    ///
    /// # Errors
    /// The first fault and its place as a clause; layers and heads are counted from 1.
    pub fn check(&self) -> Result<(), String> {
        if self.heads_with_kernels() == 0 {
            return Err("it holds no kernels".to_owned());
        }
        if self.layers.len() * self.most_heads() > MOST_HEADS_IN_ALL {
            return Err(format!("it has more than {MOST_HEADS_IN_ALL} heads in all"));
        }
        for layer in &self.layers {
            let number = layer.layer + 1;
            if layer.layer >= MOST_LAYERS {
                return Err(format!("layer {number} is more than {MOST_LAYERS}"));
            }
            if layer.heads.len() > MOST_HEADS {
                return Err(format!("layer {number} has more than {MOST_HEADS} heads"));
            }
            let heads = layer.heads.iter().enumerate();
            for (at, head) in heads.filter_map(|(at, head)| Some((at, head.as_ref()?))) {
                let place = || format!("layer {number}, head {}", at + 1);
                if head.kernels.0.len() > MOST_KERNELS {
                    let place = place();
                    return Err(format!("{place} has more than {MOST_KERNELS} kernels"));
                }
                let finite = |kernel: &Kernel| {
                    kernel.a.is_finite() && kernel.b.is_finite() && kernel.c.is_finite()
                };
                if let Some(at) = head.kernels.0.iter().position(|kernel| !finite(kernel)) {
                    return Err(format!(
                        "{}, kernel {} has a value that is not a number",
                        place(),
                        at + 1
                    ));
                }
                if head.intercept.is_some_and(|value| !value.is_finite()) {
                    return Err(format!("the intercept of {} is not a number", place()));
                }
            }
        }
        Ok(())
    }
}

/// A layer in the authors' format: three arrays of shape [S, H], one row per kernel, one column per head.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuthorsLayer {
    /// Number of heads H.
    pub heads: usize,
    /// `kernel_offsets`, in the authors' convention.
    pub offsets: Vec<f64>,
    /// `kernel_amplitudes`.
    pub amplitudes: Vec<f64>,
    /// `kernel_sharpness`.
    pub sharpness: Vec<f64>,
}

impl AuthorsLayer {
    /// Converts a layer of a set whose layers have `heads` heads. Heads with fewer than S kernels are padded with
    /// kernels of amplitude 0. There is at least one row.
    #[must_use]
    pub fn new(layer: &LayerKernels, heads: usize) -> Self {
        let heads = heads.max(layer.heads.len());
        let cells = layer.most_kernels().max(1) * heads;
        let mut of = Self {
            heads,
            offsets: vec![0.0; cells],
            amplitudes: vec![0.0; cells],
            sharpness: vec![0.0; cells],
        };
        for (head, slot) in layer.heads.iter().enumerate() {
            let kernels = slot.iter().flat_map(|head| &head.kernels.0);
            for (row, kernel) in kernels.enumerate() {
                let at = row * heads + head;
                of.offsets[at] = convert_centre(kernel.c);
                of.amplitudes[at] = if kernel.is_muted { 0.0 } else { kernel.a };
                of.sharpness[at] = kernel.b;
            }
        }
        of
    }

    /// S, the number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.offsets.len() / self.heads.max(1)
    }

    /// The kernels of a head in this crate's convention, without the padding of amplitude 0.
    #[must_use]
    pub fn head(&self, head: usize) -> Kernels {
        let rows = 0..self.rows();
        let kernels = rows.filter_map(|row| {
            let at = row * self.heads + head;
            let a = *self.amplitudes.get(at)?;
            let b = self.sharpness.get(at)?.abs();
            (a != 0.0).then_some(Kernel::new(a, b, convert_centre(*self.offsets.get(at)?)))
        });
        Kernels(kernels.collect())
    }
}
