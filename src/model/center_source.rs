//! Queries and keys that represent all words of a text, where weights alone determine them.

use super::{EmbeddingContent, ModelDescription, NormDescription};

/// Source of the mean query and key of a layer's heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CenterSource {
    /// Mean over the vocabulary, for the first layer: its states are words.
    Words,
    /// β·W + b, for any layer: the part that is the same for every word, from the biases b of queries and keys and the
    /// bias β of the norm before them. A norm's bias can be moved into those of the maps after it without changing the
    /// model.
    Biases,
}

impl ModelDescription {
    /// Source of the centres of a layer, counted from 0; `None` if they depend on a text, or there is no such layer.
    #[must_use]
    pub fn center_source(&self, layer: usize) -> Option<CenterSource> {
        let attention = &self.blocks.get(*self.passes.get(layer)?)?.attention;
        let has_words = matches!(self.embedding.content, Some(EmbeddingContent::Words { .. }));
        let has_biases = attention.query.bias.is_some() && attention.key.bias.is_some();
        let has_shared_parts = has_biases || self.input_shift(layer).is_some();
        match layer {
            0 if has_words => Some(CenterSource::Words),
            // A norm of queries makes the effect of a bias depend on the word.
            _ if has_shared_parts && attention.query_key_norms.is_none() => {
                Some(CenterSource::Biases)
            }
            _ => None,
        }
    }

    /// Name of the bias β that all inputs of a layer's queries and keys have in common: that of the layer's own norm,
    /// or else of the norm that ends the layer before it or the embedding.
    #[must_use]
    pub fn input_shift(&self, layer: usize) -> Option<&str> {
        let block = |layer: usize| self.blocks.get(*self.passes.get(layer)?);
        let own = block(layer)?.attention.residual.input_norm.as_ref();
        let norm: Option<&NormDescription> = own.or_else(|| match layer.checked_sub(1) {
            Some(before) => block(before)?.feed_forward.residual.sum_norm.as_ref(),
            None => self
                .embedding
                .norm
                .as_ref()
                .filter(|_| self.embedding.map.is_none()),
        });
        norm?.bias.as_deref()
    }

    /// Number of layers, from the first on, whose heads have scores by offset from weights alone.
    #[must_use]
    pub fn layers_with_centers(&self) -> usize {
        let layers = 0..self.passes.len();
        layers
            .take_while(|layer| self.center_source(*layer).is_some())
            .count()
    }
}
