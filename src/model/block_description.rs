//! Description of a whole layer of a transformer: names of tensors, and how they are applied, without numbers.
//!
//! ```text
//! x ← sum_norm(x + scale ⊙ output_norm(f(input_norm(x))))      f: attention, attention to an encoder, feed-forward
//! ```
//!
//! Every norm and scale is optional. BERT has sum norms alone (“post-norm”), GPT-2 input norms alone (“pre-norm”).

use super::{
    AttentionDescription, ConvolutionDescription, Cut, FeedForwardDescription, NormDescription,
};

/// A layer of a transformer.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockDescription {
    /// Attention of the states to each other.
    pub attention: AttentionDescription,
    /// Attention of a decoder to the states of an encoder, from which keys and values are made.
    pub cross_attention: Option<AttentionDescription>,
    /// Feed-forward part.
    pub feed_forward: FeedForwardDescription,
    /// Whether attention and feed-forward part are applied to the same states and added together (GPT-NeoX), instead
    /// of one after the other.
    pub is_parallel: bool,
    /// Convolution of the block's input, which is added to its output.
    pub convolution: Option<ConvolutionDescription>,
}

/// Norms and scale around a part of a block, whose output is added to the states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResidualDescription {
    /// Norm of the states that the part reads. The sum has them without it.
    pub input_norm: Option<NormDescription>,
    /// Norm of the part's output, before the sum.
    pub output_norm: Option<NormDescription>,
    /// Name of a tensor by whose numbers the columns of the part's output are multiplied before the sum.
    pub output_scale: Option<String>,
    /// Norm of the sum.
    pub sum_norm: Option<NormDescription>,
}

impl ResidualDescription {
    /// A norm before the part: x + f(norm(x)).
    #[must_use]
    pub fn pre_norm(norm: NormDescription) -> Self {
        Self {
            input_norm: Some(norm),
            ..Self::default()
        }
    }

    /// A norm after the sum: norm(x + f(x)).
    #[must_use]
    pub fn post_norm(norm: NormDescription) -> Self {
        Self {
            sum_norm: Some(norm),
            ..Self::default()
        }
    }

    /// The norms, in the order in which they are applied.
    pub fn norms(&self) -> impl Iterator<Item = &NormDescription> {
        let norms = [&self.input_norm, &self.output_norm, &self.sum_norm];
        norms.into_iter().flatten()
    }

    fn tensors(&self) -> impl Iterator<Item = &str> {
        let norms = self.norms().flat_map(NormDescription::tensors);
        norms.chain(self.output_scale.as_deref())
    }
}

impl BlockDescription {
    /// A block whose feed-forward part follows the attention.
    #[must_use]
    pub fn new(attention: AttentionDescription, feed_forward: FeedForwardDescription) -> Self {
        Self {
            attention,
            cross_attention: None,
            feed_forward,
            is_parallel: false,
            convolution: None,
        }
    }

    /// Every tensor with the part of it that is used. Weights that hold several maps come once for each of them.
    #[must_use]
    pub fn tensors(&self) -> Vec<(&str, Cut)> {
        let mut maps = Vec::new();
        let mut whole = Vec::new();
        for attention in [Some(&self.attention), self.cross_attention.as_ref()]
            .into_iter()
            .flatten()
        {
            maps.extend([&attention.query, &attention.key]);
            maps.extend([&attention.value, &attention.output]);
            maps.extend(attention.positions.maps());
            whole.extend(attention.positions.tables());
            whole.extend(attention.residual.tensors());
            if let Some(norms) = &attention.query_key_norms {
                whole.extend(norms.query.tensors().chain(norms.key.tensors()));
            }
        }
        let part = &self.feed_forward;
        maps.extend([&part.inner, &part.output].into_iter().chain(&part.gate));
        whole.extend(part.residual.tensors());
        let convolution = self.convolution.iter();
        whole.extend(convolution.flat_map(ConvolutionDescription::tensors));
        let maps = maps.into_iter().flat_map(|map| {
            let names = [Some(&map.weight), map.bias.as_ref()];
            let names = names.into_iter().flatten();
            names.map(|name| (name.as_str(), map.cut))
        });
        maps.chain(whole.into_iter().map(|name| (name, Cut::ROWS)))
            .collect()
    }
}
