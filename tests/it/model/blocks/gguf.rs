//! Decoders in GGUF files.

use super::{describe, first_block, open_source, rotation, tensors::assert_whole, zeros};
use crate::{checkpoint::checkpoints::open, support::models::data};
use diagonal::{
    math::AttentionMask,
    model::{Activation, Config, ModelOptions, NormKind, PositionModel, RotaryPairs},
};
use pollster::block_on;
use std::collections::BTreeMap;

/// Metadata of a GGUF file as a configuration.
fn gguf(architecture: &str, entries: &[(&str, &str)]) -> Config {
    let entry =
        |(key, value): &(&str, &str)| (format!("{architecture}.{key}"), (*value).to_owned());
    let mut metadata: BTreeMap<String, String> = entries.iter().map(entry).collect();
    metadata.insert("general.architecture".to_owned(), architecture.to_owned());
    Config::from_gguf(&metadata)
}

#[test]
fn blocks_have_the_names_of_gguf_files() {
    let common: &[(&str, &[usize])] = &[
        ("token_embd.weight", &[9, 16]),
        ("output_norm.weight", &[16]),
        ("blk.{}.attn_norm.weight", &[16]),
        ("blk.{}.attn_output.weight", &[16, 16]),
        ("blk.{}.ffn_norm.weight", &[16]),
        ("blk.{}.ffn_down.weight", &[16, 20]),
    ];
    let apart: &[(&str, &[usize])] = &[
        ("blk.{}.attn_q.weight", &[16, 16]),
        ("blk.{}.attn_k.weight", &[8, 16]),
        ("blk.{}.attn_v.weight", &[8, 16]),
        ("blk.{}.ffn_gate.weight", &[20, 16]),
        ("blk.{}.ffn_up.weight", &[20, 16]),
    ];
    let fused: &[(&str, &[usize])] = &[
        ("blk.{}.attn_qkv.weight", &[48, 16]),
        ("blk.{}.attn_qkv.bias", &[48]),
        ("blk.{}.attn_norm.bias", &[16]),
        ("blk.{}.attn_output.bias", &[16]),
        ("blk.{}.ffn_norm.bias", &[16]),
        ("blk.{}.ffn_up.weight", &[20, 16]),
        ("blk.{}.ffn_up.bias", &[20]),
        ("blk.{}.ffn_down.bias", &[16]),
        ("output_norm.bias", &[16]),
    ];
    let entries = [
        ("embedding_length", "16"),
        ("attention.head_count", "4"),
        ("attention.head_count_kv", "2"),
        ("attention.layer_norm_rms_epsilon", "1e-05"),
        ("rope.freq_base", "10000"),
    ];
    for (architecture, pairs) in [
        ("llama", RotaryPairs::Adjacent),
        ("qwen2", RotaryPairs::Halves),
        ("qwen2vl", RotaryPairs::Halves),
    ] {
        let config = gguf(architecture, &entries);
        let file = zeros(2, &[common, apart].concat());
        let opened = open_source(file, Some(&config), "positions");
        assert_whole(&opened, architecture);
        let block = first_block(&opened.1);
        assert_eq!(block.attention.positions, rotation(4, 10_000.0, pairs));
        assert_eq!(block.attention.heads.key_heads, Some(2));
        assert_eq!(block.feed_forward.activation, Activation::Silu);
        let norm = block.attention.residual.norms().next().expect("a norm");
        assert_eq!((norm.kind, norm.epsilon), (NormKind::Rms, 1e-5));
        assert_eq!(
            describe(&opened.1).head.as_ref().expect("tied").words,
            "token_embd.weight"
        );
    }
    let neox = [
        ("embedding_length", "16"),
        ("attention.head_count", "4"),
        ("attention.layer_norm_epsilon", "1e-05"),
        ("rope.dimension_count", "2"),
        ("use_parallel_residual", "true"),
    ];
    let file = zeros(2, &[common, fused].concat());
    let opened = open_source(file.clone(), Some(&gguf("gptneox", &neox)), "positions");
    assert_whole(&opened, "gptneox");
    let block = first_block(&opened.1);
    assert!(block.is_parallel && block.feed_forward.gate.is_none());
    assert_eq!(
        block.attention.positions,
        rotation(2, 10_000.0, RotaryPairs::Halves)
    );

    let table: &[(&str, &[usize])] = &[("position_embd.weight", &[12, 16])];
    let file = zeros(2, &[common, fused, table].concat());
    let opened = open_source(file, Some(&gguf("gpt2", &neox[..3])), "positions");
    assert_whole(&opened, "gpt2");
    let block = first_block(&opened.1);
    assert_eq!(block.attention.mask, AttentionMask::Causal);
    assert_eq!(block.feed_forward.activation, Activation::GeluTanh);
    assert!(!block.is_parallel && describe(&opened.1).final_norm.is_some());
}

#[test]
fn a_file_without_most_of_its_layers_is_still_described() {
    let bytes = std::fs::read(data("cases/gemma3-gguf/gemma-3-small-f16.gguf")).expect("a file");
    let checkpoint = open(bytes).expect("a checkpoint");
    let model = block_on(PositionModel::open(
        &checkpoint,
        None,
        &ModelOptions::default(),
    ));
    let model = model.expect("a model");
    let error = block_on(describe(&model).check(&checkpoint, None)).expect_err("half a layer");
    assert!(error.to_string().contains("attn_output"), "{error}");
}
