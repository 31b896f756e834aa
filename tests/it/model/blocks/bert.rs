//! BERT and the encoders after it: ALBERT, DeBERTa, MPNet and ModernBERT.

use super::{describe, first_block, folder, open_source, order, rotation, tensors::assert_whole};
use crate::support::models::{Tensors, config, f32s, tensors, write};
use diagonal::{
    math::AttentionMask,
    model::{Activation, AttentionPositions, DistanceMap, RotaryPairs},
};

#[test]
fn albert_passes_one_block_many_times() {
    let (_, albert) = folder("albert", "positions");
    assert_eq!(describe(&albert).passes, [0, 0]);
    assert!(describe(&albert).embedding.map.is_some());
}

#[test]
fn the_second_deberta_maps_distances_as_it_maps_contents() {
    for (name, is_shared) in [("deberta", false), ("deberta-v2", true)] {
        let (_, deberta) = folder(name, "positions");
        let AttentionPositions::Distances(terms) = &first_block(&deberta).attention.positions
        else {
            panic!("no distances");
        };
        for map in [&terms.key, &terms.query] {
            assert_eq!(*map == Some(DistanceMap::Shared), is_shared, "{name}");
        }
        assert_eq!(describe(&deberta).embedding.positions, None);
    }
}

#[test]
fn mpnet_has_a_table_and_buckets() {
    let (_, mpnet) = folder("mpnet", "positions");
    assert!(describe(&mpnet).embedding.positions.is_some());
    assert!(describe(&mpnet).blocks.iter().all(|block| matches!(
        &block.attention.positions,
        AttentionPositions::Buckets { tensor, .. } if tensor == "encoder.relative_attention_bias.weight"
    )));
}

#[test]
fn modernbert_alternates_between_all_and_a_window() {
    let (_, modernbert) = folder("modernbert", "local");
    let [global, local] = &describe(&modernbert).blocks[..] else {
        panic!("two blocks");
    };
    for (block, reach, base, norms) in [
        (global, None, 160_000.0, "none"),
        (local, Some(8), 10_000.0, "pre"),
    ] {
        let attention = &block.attention;
        assert_eq!(attention.reach, reach);
        assert_eq!(attention.positions, rotation(8, base, RotaryPairs::Halves));
        assert_eq!(order(&attention.residual), norms);
    }
    assert_eq!(local.attention.mask, AttentionMask::Whole);
}

#[test]
fn heads_for_masked_words_lie_beside_the_model() {
    let mut all: Tensors = (tensors("bert").into_iter())
        .map(|(name, tensor)| (format!("bert.{name}"), tensor))
        .collect();
    let stem = "cls.predictions";
    for (name, shape) in [
        ("transform.dense.weight", &[64, 64][..]),
        ("transform.dense.bias", &[64]),
        ("transform.LayerNorm.weight", &[64]),
        ("transform.LayerNorm.bias", &[64]),
        ("bias", &[200]),
        ("decoder.weight", &[200, 64]),
    ] {
        all.insert(format!("{stem}.{name}"), f32s(shape, |_| 0.0));
    }
    let opened = open_source(write(&all), Some(&config("bert")), "positions");
    assert_whole(&opened, "BERT with a head");
    let head = describe(&opened.1).head.as_ref().expect("a head");
    assert_eq!(head.words, "bert.embeddings.word_embeddings.weight");
    assert_eq!(head.bias.as_deref(), Some("cls.predictions.bias"));
    let transform = head.transform.as_ref().expect("a transform");
    assert_eq!(transform.activation, Activation::Gelu);
    assert_eq!(
        transform.norm.weight,
        "cls.predictions.transform.LayerNorm.weight"
    );
}
