//! BERT with relative keys: a learned vector per offset, multiplied with queries, and with keys too if the
//! configuration says so. All heads of a layer share the vectors.
//!
//! ```text
//! score(i, j) = (q_i·k_j + q_i·a_{i−j} + k_j·a_{i−j}) / √d_k      the last term for "relative_key_query"
//! ```
//!
//! Shaw et al., Self-Attention with Relative Position Representations, NAACL 2018 (the first form); Huang et al.,
//! Improve Transformer Models with Better Relative Position Embeddings, 2020 (the second).

use super::{
    AttentionPositions, Detection, DetectionInput, Family, Leading, Model, OffsetVectors,
    PositionTensors, SourceDescription, bert, position_type,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct RelativeKeys;

/// Name of a layer's vectors, one row per offset: [2n − 1, `d_k`].
const VECTORS: &str = "encoder.layer.{}.attention.self.distance_embedding.weight";

impl Family for RelativeKeys {
    fn name(&self) -> &'static str {
        "BERT, relative keys"
    }

    fn about(&self) -> &'static str {
        "A learned vector for every offset, multiplied by queries and keys."
    }

    /// Called only if the configuration names relative keys, or has no such entry and the file holds the vectors.
    fn find(&self, clues: &DetectionInput<'_>) -> Option<Detection> {
        if position_type::is_absolute(clues) {
            return None;
        }
        let models = clues.models(&VECTORS.replace("{}", "0"));
        // Words of another width than the layers would have to be projected first, which is not supported.
        let fitting = models
            .iter()
            .filter(|model| !model.has("embeddings_project.weight"));
        let sources: Vec<_> = fitting
            .map(|model| bert::name_by_prefix(source(model, clues), model, &models))
            .collect();
        let reason = match position_type::meets_keys(clues) {
            Some(_) => "The configuration says that offsets have vectors, not positions.",
            None => "The file holds a vector for every offset.",
        };
        (!sources.is_empty()).then(|| Detection {
            reason: reason.to_owned(),
            sources,
        })
    }
}

/// Whether a file holds vectors of offsets.
pub(super) fn has_vectors(clues: &DetectionInput<'_>) -> bool {
    clues.model(&VECTORS.replace("{}", "0")).is_some()
}

fn source(model: &Model<'_>, clues: &DetectionInput<'_>) -> SourceDescription {
    let meets_keys = position_type::meets_keys(clues);
    let mut source =
        bert::source(model, Leading::None).with_name("positions", "relative positions");
    let vectors = OffsetVectors {
        tensors: model.in_layers(VECTORS),
        meets_keys: meets_keys.unwrap_or(false),
    };
    source = source.describe(|description| {
        description.embedding.positions = None;
        for (block, tensor) in description.blocks.iter_mut().zip(&vectors.tensors) {
            block.attention.positions = AttentionPositions::Vectors {
                tensor: tensor.clone(),
                meets_keys: vectors.meets_keys,
            };
        }
    });
    source.positions = PositionTensors::Vectors(vectors);
    if meets_keys.is_none() {
        source = source.remark(
            "Keys",
            "No configuration says whether keys are multiplied by these vectors, too. Here only queries are.",
        );
    }
    source.remark(
        "Positions and content",
        "Scores depend on token content, too: the figures show the score of the mean word at every offset. Products of content with content are left out.",
    )
}
