//! Models that programs can run over a text, and the tensors that they read.

use crate::model::{
    AttentionPositions, BlockDescription, Cut, EmbeddingContent, EmbeddingDescription,
    LinearTensors, ModelDescription, NormDescription,
};

/// Refuses what programs have no functions for.
///
/// # Errors
/// A sentence on the first such part of the model.
pub(super) fn check(description: &ModelDescription) -> Result<(), String> {
    let no_program = |reason: &str| {
        Err(format!(
            "Programs cannot run this model over a text: {reason}."
        ))
    };
    match &description.embedding.content {
        Some(EmbeddingContent::Words { .. }) => {}
        Some(EmbeddingContent::Patches { .. }) => return no_program("it reads images"),
        None => return no_program("the file has no words"),
    }
    if description.passes.is_empty()
        || description
            .passes
            .iter()
            .any(|at| *at >= description.blocks.len())
    {
        return no_program("its layers are not described");
    }
    let attends_to_encoder = |block: &BlockDescription| block.cross_attention.is_some();
    if description.encoder.is_some() || description.blocks.iter().any(attends_to_encoder) {
        return no_program("its decoder attends to an encoder");
    }
    for block in &description.blocks {
        if block.convolution.is_some() {
            return no_program("a layer has a convolution");
        }
        match &block.attention.positions {
            AttentionPositions::Vectors { .. } => {
                return no_program("queries meet vectors of offsets");
            }
            AttentionPositions::Distances(_) => {
                return no_program("queries and keys meet embeddings of distances");
            }
            AttentionPositions::None
            | AttentionPositions::Rotation(_)
            | AttentionPositions::Buckets { .. } => {}
        }
        let norms = block.attention.query_key_norms.as_ref();
        if norms.is_some_and(|norms| !norms.is_per_head) {
            return no_program("it norms the queries of all heads as one row");
        }
    }
    Ok(())
}

/// Names of all tensors of a description that passes [`check`]. Some come several times.
pub(super) fn tensors(description: &ModelDescription) -> Vec<&str> {
    let blocks = description.blocks.iter();
    let mut names: Vec<&str> = blocks
        .flat_map(BlockDescription::tensors)
        .map(|(name, _)| name)
        .collect();
    names.extend(embedding_tensors(&description.embedding));
    for map in outer_maps(description) {
        names.push(&map.weight);
        names.extend(map.bias.as_deref());
    }
    names.extend(
        outer_norms(description)
            .into_iter()
            .flat_map(NormDescription::tensors),
    );
    if let Some(head) = &description.head {
        names.push(&head.words);
        names.extend(head.bias.as_deref());
    }
    names
}

/// Names of the tensors of an embedding.
pub(super) fn embedding_tensors(embedding: &EmbeddingDescription) -> Vec<&str> {
    let mut names: Vec<&str> = embedding.words().into_iter().collect();
    names.extend(embedding.positions.as_deref());
    names.extend(embedding.token_types.as_deref());
    let of_words = match &embedding.content {
        Some(EmbeddingContent::Words { map, .. }) => map.as_ref(),
        _ => None,
    };
    for map in of_words.into_iter().chain(&embedding.map) {
        names.push(&map.weight);
        names.extend(map.bias.as_deref());
    }
    names.extend(embedding.norm.iter().flat_map(NormDescription::tensors));
    names
}

/// Maps of the blocks, without those of embeddings and heads.
pub(super) fn block_maps(description: &ModelDescription) -> impl Iterator<Item = &LinearTensors> {
    description.blocks.iter().flat_map(|block| {
        let (attention, inner) = (&block.attention, &block.feed_forward);
        [
            Some(&attention.query),
            Some(&attention.key),
            Some(&attention.value),
            Some(&attention.output),
            Some(&inner.inner),
            inner.gate.as_ref(),
            inner.experts.as_ref().map(|experts| &experts.router),
            Some(&inner.output),
        ]
        .into_iter()
        .flatten()
    })
}

/// Maps outside of the blocks.
pub(super) fn outer_maps(description: &ModelDescription) -> Vec<&LinearTensors> {
    let mut maps = Vec::new();
    if let Some(EmbeddingContent::Words { map, .. }) = &description.embedding.content {
        maps.extend(map);
    }
    maps.extend(&description.embedding.map);
    maps.extend(&description.final_map);
    if let Some(transform) = description
        .head
        .as_ref()
        .and_then(|head| head.transform.as_ref())
    {
        maps.push(&transform.dense);
    }
    if let Some(detector) = &description.detector {
        maps.extend([&detector.dense, &detector.output]);
    }
    maps
}

/// Norms of the blocks.
pub(super) fn block_norms(
    description: &ModelDescription,
) -> impl Iterator<Item = &NormDescription> {
    description.blocks.iter().flat_map(|block| {
        let norms = block.attention.query_key_norms.iter();
        let norms = norms.flat_map(|norms| [&norms.query, &norms.key]);
        norms
            .chain(block.attention.residual.norms())
            .chain(block.feed_forward.residual.norms())
    })
}

/// Norms outside of the blocks.
pub(super) fn outer_norms(description: &ModelDescription) -> Vec<&NormDescription> {
    let head = description
        .head
        .as_ref()
        .and_then(|head| head.transform.as_ref());
    [
        description.embedding.norm.as_ref(),
        description.final_norm.as_ref(),
        head.map(|head| &head.norm),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Whether a cut takes the whole of a weight.
pub(super) fn is_whole(cut: Cut) -> bool {
    cut.parts() == 1
}
