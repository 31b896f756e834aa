//! Weights of a whole layer.

use super::{
    ForwardError, LinearMap, NormWeights, activation::ActivationFunction,
    convolution::ConvolutionWeights, expert_weights::ExpertWeights, score_weights::ScoreWeights,
    tensor_numbers::TensorNumbers,
};
use crate::model::{
    AttentionDescription, BlockDescription, BlockSizes, FeedForwardDescription, ResidualDescription,
};

/// Weights of a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockWeights {
    /// Attention of the states to each other.
    pub attention: AttentionWeights,
    /// Attention to the states of an encoder.
    pub cross_attention: Option<AttentionWeights>,
    pub(super) feed_forward: FeedForwardWeights,
    /// Whether attention and feed-forward part read the same states.
    pub(super) is_parallel: bool,
    /// Convolution of the input that is added to the output.
    pub(super) convolution: Option<ConvolutionWeights>,
}

/// Weights of an attention.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionWeights {
    /// Weights of its scores.
    pub scores: ScoreWeights,
    /// Map to values, [hidden, key heads·width].
    pub value: LinearMap,
    /// Map from all heads to the states, [heads·width, hidden].
    pub output: LinearMap,
    pub(super) residual: ResidualWeights,
}

/// Weights of a feed-forward part.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FeedForwardWeights {
    pub(super) input_norm: Option<NormWeights>,
    pub(super) activation: ActivationFunction,
    pub(super) maps: FeedForwardMaps,
    pub(super) residual: ResidualWeights,
}

/// Maps of a feed-forward part.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FeedForwardMaps {
    /// The same for all tokens.
    Dense {
        inner: LinearMap,
        gate: Option<LinearMap>,
        output: LinearMap,
    },
    /// Those of a few experts for each token.
    Experts(ExpertWeights),
}

/// Norms and scale of a part's output, between the part and the states.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ResidualWeights {
    /// Norm of the part's output, before the sum.
    pub(super) output_norm: Option<NormWeights>,
    /// Factors of the columns of the part's output.
    pub(super) output_scale: Option<Vec<f32>>,
    /// Norm of the sum.
    pub(super) sum_norm: Option<NormWeights>,
}

impl BlockWeights {
    /// Takes the weights out of the numbers that were read.
    pub(super) fn take(
        numbers: &mut TensorNumbers,
        block: &BlockDescription,
        sizes: BlockSizes,
    ) -> Result<Self, ForwardError> {
        let cross = block.cross_attention.as_ref();
        let convolution = block.convolution.as_ref();
        Ok(Self {
            attention: AttentionWeights::take(numbers, &block.attention, sizes)?,
            cross_attention: cross
                .map(|cross| AttentionWeights::take(numbers, cross, sizes))
                .transpose()?,
            feed_forward: FeedForwardWeights::take(numbers, &block.feed_forward, sizes.heads)?,
            is_parallel: block.is_parallel,
            convolution: convolution
                .map(|convolution| {
                    ConvolutionWeights::take(numbers, convolution, sizes.hidden_width)
                })
                .transpose()?,
        })
    }
}

impl AttentionWeights {
    fn take(
        numbers: &mut TensorNumbers,
        attention: &AttentionDescription,
        sizes: BlockSizes,
    ) -> Result<Self, ForwardError> {
        Ok(Self {
            scores: ScoreWeights::take(numbers, attention, sizes)?,
            value: numbers.take_map(&attention.value, sizes.heads)?,
            output: numbers.take_map(&attention.output, sizes.heads)?,
            residual: ResidualWeights::take(numbers, &attention.residual)?,
        })
    }
}

impl FeedForwardWeights {
    fn take(
        numbers: &mut TensorNumbers,
        part: &FeedForwardDescription,
        heads: usize,
    ) -> Result<Self, ForwardError> {
        let gate = part.gate.as_ref();
        Ok(Self {
            input_norm: numbers.optional_norm(part.residual.input_norm.as_ref())?,
            activation: ActivationFunction::find(&part.activation)?,
            maps: match &part.experts {
                Some(experts) => {
                    FeedForwardMaps::Experts(ExpertWeights::take(numbers, part, experts, heads)?)
                }
                None => FeedForwardMaps::Dense {
                    inner: numbers.take_map(&part.inner, heads)?,
                    gate: gate.map(|gate| numbers.take_map(gate, heads)).transpose()?,
                    output: numbers.take_map(&part.output, heads)?,
                },
            },
            residual: ResidualWeights::take(numbers, &part.residual)?,
        })
    }
}

impl ResidualWeights {
    fn take(numbers: &TensorNumbers, residual: &ResidualDescription) -> Result<Self, ForwardError> {
        Ok(Self {
            output_norm: numbers.optional_norm(residual.output_norm.as_ref())?,
            output_scale: numbers.optional_vector(residual.output_scale.as_deref())?,
            sum_norm: numbers.optional_norm(residual.sum_norm.as_ref())?,
        })
    }
}
