//! Queries and keys that represent all words of a text, where weights alone determine them.

use super::{EmbeddingContent, ModelDescription};

/// Source of the mean query and key of a layer's heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CenterSource {
    /// Mean over the vocabulary, for the first layer: its states are words.
    Words,
    /// The biases of queries and keys, for any layer: the part that is the same for every word.
    Biases,
}

impl ModelDescription {
    /// Source of the centres of a layer, counted from 0; `None` if they depend on a text, or there is no such layer.
    #[must_use]
    pub fn center_source(&self, layer: usize) -> Option<CenterSource> {
        let attention = &self.blocks.get(*self.passes.get(layer)?)?.attention;
        let has_words = matches!(self.embedding.content, Some(EmbeddingContent::Words { .. }));
        let has_biases = attention.query.bias.is_some() && attention.key.bias.is_some();
        match layer {
            0 if has_words => Some(CenterSource::Words),
            // A norm of queries makes the effect of a bias depend on the word.
            _ if has_biases && attention.query_key_norms.is_none() => Some(CenterSource::Biases),
            _ => None,
        }
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
