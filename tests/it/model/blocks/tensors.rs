//! The blocks of every described model name each tensor of the layers once, and all shapes fit.

use super::{Opened, describe, folder, heads, open_source};
use crate::support::models::data;
use diagonal::model::Cut;
use pollster::block_on;
use std::collections::{BTreeMap, BTreeSet};

/// Folders and the sources whose descriptions are checked.
const FOLDERS: &[(&str, &[&str])] = &[
    ("albert", &["positions"]),
    ("bart", &["encoder", "decoder"]),
    ("bart-scaled", &["encoder", "decoder"]),
    ("bert", &["positions"]),
    ("bert-bf16", &["positions"]),
    ("bert-f16", &["positions"]),
    ("bert-old-names", &["positions"]),
    ("deberta", &["positions"]),
    ("deberta-v2", &["positions"]),
    ("deit", &["positions"]),
    ("distilbert", &["positions"]),
    ("electra", &["positions"]),
    ("gpt2", &["positions"]),
    ("gpt2-masks", &["positions"]),
    ("gpt2-masks-prefix", &["positions"]),
    ("llama", &["positions"]),
    ("mbart", &["encoder", "decoder"]),
    ("modernbert", &["global", "local"]),
    ("mpnet", &["positions", "bias"]),
    ("openai-gpt", &["positions"]),
    ("opt", &["positions"]),
    ("opt-projected", &["positions"]),
    ("roberta", &["positions"]),
    ("t5", &["encoder", "decoder"]),
    ("timm-deit3", &["positions"]),
    ("timm-vit", &["positions"]),
    ("vit", &["positions"]),
    ("xlm-roberta", &["positions"]),
];

/// Endings of tensors in a layer that the model computes instead of learning.
const COMPUTED: &[&str] = &[".attn.bias", ".attn.masked_bias", ".rotary_emb.inv_freq"];

/// The part of a name before its first number.
fn before_number(name: &str) -> &str {
    let mut start = 0;
    for part in name.split('.') {
        if part.parse::<usize>().is_ok() {
            return &name[..start];
        }
        start += part.len() + 1;
    }
    name
}

/// Checks that the blocks name every tensor of the layers once, or every part of it once, and that all shapes fit.
pub(super) fn assert_whole((checkpoint, model): &Opened, title: &str) {
    let description = describe(model);
    let stem = before_number(&description.blocks[0].attention.query.weight);
    let mut all = BTreeSet::new();
    for block in &description.blocks {
        let tables: BTreeSet<_> = block.attention.positions.tables().collect();
        let mut uses: BTreeMap<&str, Vec<Cut>> = BTreeMap::new();
        for (name, cut) in block.tensors() {
            if !tables.contains(name) {
                uses.entry(name).or_default().push(cut);
            }
        }
        for (name, cuts) in uses {
            let parts = cuts[0].parts() as usize;
            let is_distinct = (1..cuts.len()).all(|at| !cuts[..at].contains(&cuts[at]));
            // DeBERTa's biases hold only the part that is used.
            let is_apart = cuts.len() == 1 && name.ends_with("_bias");
            assert!(
                is_distinct && (cuts.len() == parts || is_apart),
                "{title}: {name} is used as {cuts:?}"
            );
            assert!(all.insert(name), "{title}: two blocks name {name}");
        }
        all.extend(tables);
    }
    let forgotten: Vec<_> = (checkpoint.names())
        .filter(|name| name.starts_with(stem) && !all.contains(*name))
        .filter(|name| !COMPUTED.iter().any(|end| name.ends_with(end)))
        .collect();
    assert!(forgotten.is_empty(), "{title} leaves out {forgotten:?}");
    let sizes = block_on(description.check(checkpoint, heads(model)));
    let sizes = sizes.unwrap_or_else(|error| panic!("{title}: {error}"));
    assert_eq!(sizes.len(), description.blocks.len(), "{title}");
    for sizes in sizes {
        assert_eq!(sizes.hidden_width, model.hidden_width, "{title}");
        assert!(sizes.inner > 0 && sizes.heads.is_multiple_of(sizes.key_heads));
    }
    assert!(
        description
            .passes
            .iter()
            .all(|at| *at < description.blocks.len())
    );
}

#[test]
fn every_tensor_of_a_layer_is_named_once() {
    for (name, sources) in FOLDERS {
        for source in *sources {
            assert_whole(&folder(name, source), &format!("{name}, {source}"));
        }
    }
    let gguf = std::fs::read(data("gguf/model.gguf")).expect("a file");
    assert_whole(&open_source(gguf, None, "positions"), "gguf");
}

#[test]
fn tensors_outside_of_layers_are_named() {
    for (name, rest) in [
        ("bert", &["pooler.dense.bias", "pooler.dense.weight"][..]),
        ("albert", &["pooler.bias", "pooler.weight"]),
        ("electra", &[]),
        ("gpt2", &[]),
        ("llama", &[]),
        ("modernbert", &[]),
        ("opt", &[]),
        ("opt-projected", &[]),
        ("timm-vit", &["head.bias", "head.weight"]),
        ("vit", &["pooler.dense.bias", "pooler.dense.weight"]),
    ] {
        let (checkpoint, model) = folder(
            name,
            if name == "modernbert" {
                "global"
            } else {
                "positions"
            },
        );
        let text = format!("{:?}", describe(&model));
        let unnamed: Vec<_> = (checkpoint.names())
            .filter(|tensor| !text.contains(&format!("\"{tensor}\"")))
            .collect();
        assert_eq!(unnamed, rest, "{name}");
    }
}

#[test]
fn families_whose_blocks_are_unknown_have_no_description() {
    for (name, source) in [
        ("beit-shared", "positions"),
        ("longformer", "positions"),
        ("whisper", "decoder"),
    ] {
        let (_, model) = folder(name, source);
        assert_eq!(model.description(), None, "{name}");
    }
}
