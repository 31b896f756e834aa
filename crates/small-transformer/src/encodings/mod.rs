//! Ways to encode position, one file each.
//!
//! An encoding may add to the inputs (a table), turn queries and keys (rotary), add a function of the offset k = j − i
//! to the scores (ALiBi, T5, TISA), or add a product with the queries (Shaw). A model has a list of encodings: none, one,
//! or a learned table and TISA together (TISA paper, eq. 4a).

mod alibi;
mod learned_table;
mod name;
mod rotary;
mod shaw;
mod sinusoidal;
mod t5;
mod tisa;

pub use name::{EncodingName, MOST_KERNELS};
pub use tisa::TisaKernel;

use crate::{
    ModelTensor, Real, TransformerShape,
    operations::product::HeadView,
    parameters::{LearningGroup, ParameterLayout, ParameterRange, StartValues},
};
use std::fmt::Debug;

/// Greatest text length at which a model is evaluated, in lengths that it was trained at.
pub const MOST_LENGTHS: usize = 4;

/// Queries of one head, and their gradient.
#[derive(Debug)]
pub struct HeadQueries<'a, T> {
    /// Index of the layer.
    pub layer: usize,
    /// Shape of the head's part of `queries`.
    pub view: HeadView,
    /// The queries; the first number is the head's first.
    pub queries: &'a [T],
    /// Factor of all scores, 1/√`d_k`.
    pub scale: T,
}

/// A way to encode position: a contribution to inputs, to queries and keys, or to scores, with its parameters.
///
/// Every method has a default that contributes nothing. Methods add to what they are given; those whose names end in
/// `_gradient` add to gradients.
pub trait PositionalEncoding<T: Real>: Debug + Send {
    /// Adds to the inputs of one sequence \[n, d\].
    fn add_to_inputs(&self, _weights: &[T], _inputs: &mut [T]) {}

    /// Adds to the parameters' gradients, given the gradient of one sequence's inputs \[n, d\].
    fn add_input_gradient(&self, _inputs: &[T], _gradients: &mut [T]) {}

    /// Turns the queries or the keys of one sequence \[n, d\]; back if `is_inverse`, which turns gradients too.
    fn turn(&self, _layer: usize, _rows: &mut [T], _is_inverse: bool) {}

    /// Wavelengths 2π/θ of the pairs that [`Self::turn`] turns in each head of a layer, in tokens. Pair p of w is the
    /// numbers p and p + w of a head.
    fn wavelengths(&self, _layer: usize) -> Vec<f64> {
        Vec::new()
    }

    /// Adds f(k) for k = −(n−1) … n−1 to `profile`, and returns whether there is one.
    fn add_to_profile(
        &self,
        _weights: &[T],
        _layer: usize,
        _head: usize,
        _profile: &mut [T],
    ) -> bool {
        false
    }

    /// Adds to the parameters' gradients, given the gradient of f.
    fn add_profile_gradient(
        &self,
        _weights: &[T],
        _layer: usize,
        _head: usize,
        _profile: &[T],
        _gradients: &mut [T],
    ) {
    }

    /// Adds to the scores \[n, n\] of one head and sequence. `scratch` is memory for what is between.
    fn add_to_scores(
        &self,
        _weights: &[T],
        _head: &HeadQueries<'_, T>,
        _scores: &mut [T],
        _scratch: &mut Vec<T>,
    ) {
    }

    /// Adds to the gradients of the queries (laid out as they are) and of the parameters, given those of the scores.
    fn add_score_gradient(
        &self,
        _weights: &[T],
        _head: &HeadQueries<'_, T>,
        _scores: &[T],
        _queries: &mut [T],
        _gradients: &mut [T],
        _scratch: &mut Vec<T>,
    ) {
    }

    /// The longest sequence that the encoding can place, of at most [`MOST_LENGTHS`] times the trained length.
    fn longest(&self) -> usize;

    /// Tensors to store that are no parameters, or that parameters are stored as, under the field's names.
    fn tensors(&self, _weights: &[T]) -> Vec<ModelTensor> {
        Vec::new()
    }

    /// Names of parameters that [`Self::tensors`] stores in another form.
    fn names_of_converted(&self) -> Vec<String> {
        Vec::new()
    }

    /// The kernels, for encodings that have them.
    fn kernels(&self, _weights: &[T]) -> Vec<TisaKernel> {
        Vec::new()
    }
}

/// The encodings that a name stands for. Their parameters are appended to the layout.
#[must_use]
pub(crate) fn encodings<T: Real>(
    name: EncodingName,
    shape: &TransformerShape,
    layout: &mut ParameterLayout,
) -> Vec<Box<dyn PositionalEncoding<T>>> {
    use rotary::{RotaryTables, RotatedPart};
    match name {
        EncodingName::None => Vec::new(),
        EncodingName::Learned => vec![Box::new(learned_table::LearnedTable::new(shape, layout))],
        EncodingName::Sinusoidal => vec![Box::new(sinusoidal::SinusoidalTable::new(shape))],
        EncodingName::Rotary => vec![Box::new(RotaryTables::new(shape, RotatedPart::Whole))],
        EncodingName::PartialRotary => vec![Box::new(RotaryTables::new(shape, RotatedPart::Half))],
        EncodingName::AlternateRotary => {
            vec![Box::new(RotaryTables::new(shape, RotatedPart::EvenLayers))]
        }
        EncodingName::Alibi => vec![Box::new(alibi::LinearBiases::new(shape))],
        EncodingName::T5 => vec![Box::new(t5::BucketScores::new(shape, layout))],
        EncodingName::Shaw => vec![Box::new(shaw::RelativeKeyTable::new(shape, layout))],
        EncodingName::Tisa(kernels) => {
            vec![Box::new(tisa::KernelScores::new(shape, kernels, layout))]
        }
        EncodingName::LearnedAndTisa(kernels) => vec![
            Box::new(learned_table::LearnedTable::new(shape, layout)),
            Box::new(tisa::KernelScores::new(shape, kernels, layout)),
        ],
    }
}

/// Standard deviation of the numbers that tables start from. Small tables learn to mirror true positions (Ito et al.,
/// ICML 2025).
pub(crate) const TABLE_DEVIATION: f64 = 0.02;

/// Appends a table that starts small.
fn add_table(
    layout: &mut ParameterLayout,
    name: &str,
    shape: &[usize],
    group: LearningGroup,
) -> ParameterRange {
    layout.add(name, shape, StartValues::Normal(TABLE_DEVIATION), group)
}
