//! Description of a whole layer of a transformer: names of tensors, and how they are applied, without numbers.
//!
//! ```text
//! x ← sum_norm(x + scale ⊙ output_norm(f(input_norm(x))))      f: attention, attention to an encoder, feed-forward
//! ```
//!
//! Every norm and scale is optional. BERT has sum norms alone (“post-norm”), GPT-2 input norms alone (“pre-norm”).

use super::{
    AttentionDescription, ConvolutionDescription, Cut, FeedForwardDescription, LayerTensors, Model,
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
            whole.extend(attention.sinks.as_deref());
            if let Some(norms) = &attention.query_key_norms {
                whole.extend(norms.query.tensors().chain(norms.key.tensors()));
            }
        }
        let part = &self.feed_forward;
        maps.extend([&part.inner, &part.output].into_iter().chain(&part.gate));
        maps.extend(part.experts.iter().map(|experts| &experts.router));
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

impl LayerTensors {
    /// The queries and keys of a block, and the norm before them if the file has it.
    #[must_use]
    pub fn from_block(model: &Model<'_>, block: &BlockDescription) -> Self {
        let attention = &block.attention;
        let norm = attention.residual.input_norm.as_ref();
        Self {
            query: attention.query.clone(),
            key: attention.key.clone(),
            norm: norm
                .filter(|norm| model.has_full_name(&norm.weight))
                .map(|norm| norm.stem().to_owned()),
        }
    }
}

impl Model<'_> {
    /// Blocks 0, 1, … as long as the file has their queries and keys.
    #[must_use]
    pub fn blocks(&self, block: impl Fn(usize) -> BlockDescription) -> Vec<BlockDescription> {
        self.layers(|at| {
            let block = block(at);
            let maps = [&block.attention.query, &block.attention.key];
            let exist = maps.iter().all(|map| self.has_full_name(&map.weight));
            exist.then_some(block)
        })
    }
}
