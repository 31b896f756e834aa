//! Descriptions of whole models: every tensor of a layer is named once, shapes fit, and values are those of the
//! configurations.

use std::collections::{BTreeMap, BTreeSet};

use diagonal::{
    checkpoint::{Checkpoint, MemorySource},
    math::AttentionMask,
    model::{
        Activation, AttentionPositions, BlockDescription, Config, Cut, DistanceMap,
        EmbeddingContent, ModelDescription, ModelOptions, NormKind, PositionModel,
        ResidualDescription, RotaryPairs, RotationDescription, ScoreScale,
    },
};
use pollster::block_on;

use crate::{
    checkpoint::{checkpoints::open, hostile::assert_is_sentence},
    support::models::{Tensors, bytes, config, data, f32s, open_model, tensors, write},
};

type Opened = (Checkpoint<MemorySource>, PositionModel);

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

fn open_source(bytes: Vec<u8>, config: Option<&Config>, source: &str) -> Opened {
    let choice = ModelOptions {
        source: Some(source.to_owned()),
        ..ModelOptions::default()
    };
    open_model(bytes, config, &choice).expect(source)
}

fn folder(name: &str, source: &str) -> Opened {
    open_source(bytes(name), Some(&config(name)), source)
}

fn describe(model: &PositionModel) -> &ModelDescription {
    model.description().expect("a description")
}

fn first_block(model: &PositionModel) -> &BlockDescription {
    &describe(model).blocks[0]
}

fn heads(model: &PositionModel) -> Option<u32> {
    Some(model.heads.count).filter(|count| *count > 0)
}

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
fn assert_whole((checkpoint, model): &Opened, title: &str) {
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
        assert_eq!(sizes.hidden, model.hidden, "{title}");
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

/// Where a part's norms stand.
fn order(residual: &ResidualDescription) -> &'static str {
    match residual {
        ResidualDescription {
            input_norm: Some(_),
            output_norm: None,
            sum_norm: None,
            ..
        } => "pre",
        ResidualDescription {
            input_norm: None,
            output_norm: None,
            sum_norm: Some(_),
            ..
        } => "post",
        ResidualDescription {
            input_norm: Some(_),
            output_norm: Some(_),
            sum_norm: None,
            ..
        } => "both sides",
        _ => "none",
    }
}

#[test]
fn values_are_those_of_the_configurations() {
    use Activation::{Gelu, GeluTanh, Relu, Silu};
    use AttentionMask::{Causal, Whole};
    let root = ScoreScale::RootOfWidth(1.0);
    for (name, source, order_of_norms, activation, epsilon, mask, scale) in [
        ("albert", "positions", "post", GeluTanh, 1e-12, Whole, root),
        ("bart", "encoder", "post", Gelu, 1e-5, Whole, root),
        ("bart", "decoder", "post", Gelu, 1e-5, Causal, root),
        ("bert", "positions", "post", Gelu, 1e-12, Whole, root),
        (
            "deberta",
            "positions",
            "post",
            Gelu,
            1e-7,
            Whole,
            ScoreScale::RootOfWidth(3.0_f64.sqrt()),
        ),
        ("deit", "positions", "pre", Gelu, 1e-12, Whole, root),
        ("distilbert", "positions", "post", Gelu, 1e-12, Whole, root),
        ("electra", "positions", "post", Gelu, 1e-12, Whole, root),
        ("gpt2", "positions", "pre", GeluTanh, 1e-5, Causal, root),
        ("llama", "positions", "pre", Silu, 1e-6, Causal, root),
        ("mbart", "encoder", "pre", Gelu, 1e-5, Whole, root),
        ("mpnet", "positions", "post", Gelu, 1e-12, Whole, root),
        // Its configuration says “gelu”, by which the library means the tanh form.
        (
            "openai-gpt",
            "positions",
            "post",
            GeluTanh,
            1e-5,
            Causal,
            root,
        ),
        ("opt", "positions", "pre", Relu, 1e-5, Causal, root),
        (
            "opt-projected",
            "positions",
            "post",
            Relu,
            1e-5,
            Causal,
            root,
        ),
        (
            "t5",
            "encoder",
            "pre",
            Relu,
            1e-6,
            Whole,
            ScoreScale::Factor(1.0),
        ),
        (
            "t5",
            "decoder",
            "pre",
            Relu,
            1e-6,
            Causal,
            ScoreScale::Factor(1.0),
        ),
        ("timm-vit", "positions", "pre", Gelu, 1e-6, Whole, root),
        ("vit", "positions", "pre", Gelu, 1e-12, Whole, root),
    ] {
        let (_, model) = folder(name, source);
        let block = first_block(&model);
        let attention = &block.attention;
        assert_eq!(order(&attention.residual), order_of_norms, "{name}");
        assert_eq!(
            order(&block.feed_forward.residual),
            order_of_norms,
            "{name}"
        );
        assert_eq!(block.feed_forward.activation, activation, "{name}");
        let norms = attention
            .residual
            .norms()
            .chain(block.feed_forward.residual.norms());
        assert!(
            norms.map(|norm| norm.epsilon).all(|e| e == epsilon),
            "{name}"
        );
        assert_eq!((attention.mask, attention.scale), (mask, scale), "{name}");
        assert_eq!(attention.reach, None, "{name}");
        assert!(!block.is_parallel, "{name}");
    }
}

#[test]
fn families_differ_where_they_should() {
    let (_, albert) = folder("albert", "positions");
    assert_eq!(describe(&albert).passes, [0, 0]);
    assert!(describe(&albert).embedding.map.is_some());

    let (_, bart) = folder("bart-scaled", "decoder");
    let description = describe(&bart);
    assert!(matches!(
        &description.embedding.content,
        Some(EmbeddingContent::Words { tensor, is_scaled: true, .. }) if tensor == "shared.weight"
    ));
    assert!(first_block(&bart).cross_attention.is_some());
    assert_eq!(
        description.head.as_ref().expect("tied").words,
        "shared.weight"
    );

    let (_, opt) = folder("opt-projected", "positions");
    let description = describe(&opt);
    assert!(description.final_map.is_some() && description.final_norm.is_none());
    assert!(matches!(
        &description.embedding.content,
        Some(EmbeddingContent::Words { map: Some(_), .. })
    ));

    let (_, t5) = folder("t5", "encoder");
    for block in &describe(&t5).blocks {
        let AttentionPositions::Buckets {
            tensor,
            bidirectional,
            ..
        } = &block.attention.positions
        else {
            panic!("no buckets");
        };
        assert!(tensor.contains("block.0.") && *bidirectional);
        let norm = block.attention.residual.norms().next().expect("a norm");
        assert_eq!((norm.kind, &norm.bias), (NormKind::Rms, &None));
    }

    let (_, mpnet) = folder("mpnet", "positions");
    assert!(describe(&mpnet).embedding.positions.is_some());
    assert!(describe(&mpnet).blocks.iter().all(|block| matches!(
        &block.attention.positions,
        AttentionPositions::Buckets { tensor, .. } if tensor == "encoder.relative_attention_bias.weight"
    )));

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

    let (_, llama) = folder("llama", "positions");
    let attention = &first_block(&llama).attention;
    assert_eq!(attention.heads.key_heads, Some(2));
    assert_eq!(
        attention.positions,
        rotation(8, 50_000.0, RotaryPairs::Halves)
    );
    assert_eq!(
        describe(&llama).head,
        None,
        "words are not tied, and the file has no head"
    );

    let (_, modernbert) = folder("modernbert", "local");
    let [global, local] = &describe(&modernbert).blocks[..] else {
        panic!("two blocks");
    };
    assert_eq!(
        (global.attention.reach, local.attention.reach),
        (None, Some(8))
    );
    assert_eq!(
        global.attention.positions,
        rotation(8, 160_000.0, RotaryPairs::Halves)
    );
    assert_eq!(
        local.attention.positions,
        rotation(8, 10_000.0, RotaryPairs::Halves)
    );
    assert_eq!(order(&global.attention.residual), "none");
    assert_eq!(order(&local.attention.residual), "pre");
    assert_eq!(local.attention.mask, AttentionMask::Whole);

    let (_, deit) = folder("timm-deit3", "positions");
    assert!(first_block(&deit).attention.residual.output_scale.is_some());

    for (name, source) in [
        ("beit-shared", "positions"),
        ("longformer", "positions"),
        ("whisper", "decoder"),
    ] {
        let (_, model) = folder(name, source);
        assert_eq!(model.description(), None, "{name}");
    }
}

fn rotation(width: u32, base: f64, pairs: RotaryPairs) -> AttentionPositions {
    AttentionPositions::Rotation(RotationDescription {
        width,
        base,
        pairs,
        divisors: None,
        is_stretched: false,
    })
}

/// A checkpoint of zeros: tensors of the model, and those of each layer, with `{}` for its number.
fn zeros(layers: usize, parts: &[(&str, &[usize])]) -> Vec<u8> {
    let mut tensors = Tensors::new();
    for (name, shape) in parts {
        let count = if name.contains("{}") { layers } else { 1 };
        for at in 0..count {
            let name = name.replace("{}", &at.to_string());
            tensors.insert(name, f32s(shape, |_| 0.0));
        }
    }
    write(&tensors)
}

fn parse(text: &str) -> Config {
    Config::parse(text).expect("a configuration")
}

/// Metadata of a GGUF file as a configuration.
fn gguf(architecture: &str, entries: &[(&str, &str)]) -> Config {
    let entry =
        |(key, value): &(&str, &str)| (format!("{architecture}.{key}"), (*value).to_owned());
    let mut metadata: BTreeMap<String, String> = entries.iter().map(entry).collect();
    metadata.insert("general.architecture".to_owned(), architecture.to_owned());
    Config::from_gguf(&metadata)
}

#[test]
fn gpt_neo_alternates_between_all_and_a_window() {
    let file = zeros(
        3,
        &[
            ("wte.weight", &[9, 8]),
            ("wpe.weight", &[16, 8]),
            ("h.{}.ln_1.weight", &[8]),
            ("h.{}.ln_1.bias", &[8]),
            ("h.{}.attn.attention.q_proj.weight", &[8, 8]),
            ("h.{}.attn.attention.k_proj.weight", &[8, 8]),
            ("h.{}.attn.attention.v_proj.weight", &[8, 8]),
            ("h.{}.attn.attention.out_proj.weight", &[8, 8]),
            ("h.{}.attn.attention.out_proj.bias", &[8]),
            ("h.{}.ln_2.weight", &[8]),
            ("h.{}.ln_2.bias", &[8]),
            ("h.{}.mlp.c_fc.weight", &[12, 8]),
            ("h.{}.mlp.c_fc.bias", &[12]),
            ("h.{}.mlp.c_proj.weight", &[8, 12]),
            ("h.{}.mlp.c_proj.bias", &[8]),
            ("ln_f.weight", &[8]),
            ("ln_f.bias", &[8]),
        ],
    );
    for (layers, reaches) in [
        (
            r#""attention_types": [[["local"], 2], [["global"], 1]]"#,
            [Some(6), Some(6), None],
        ),
        (
            r#""attention_layers": ["global", "global", "local"]"#,
            [None, None, Some(6)],
        ),
        (r#""hidden_size": 8"#, [None, Some(6), None]),
    ] {
        let config = parse(&format!(
            r#"{{"model_type": "gpt_neo", "num_heads": 2, "window_size": 7, {layers}}}"#
        ));
        let opened = open_source(file.clone(), Some(&config), "positions");
        assert_whole(&opened, "GPT-Neo");
        let blocks = &describe(&opened.1).blocks;
        let found: Vec<_> = blocks.iter().map(|block| block.attention.reach).collect();
        assert_eq!(found, reaches);
        assert_eq!(blocks[0].attention.scale, ScoreScale::Factor(1.0));
        assert_eq!(
            describe(&opened.1).head.as_ref().expect("tied").words,
            "wte.weight"
        );
    }
}

#[test]
fn gpt_neox_is_parallel_and_cuts_its_maps_by_head() {
    let file = zeros(
        2,
        &[
            ("gpt_neox.embed_in.weight", &[9, 16]),
            ("gpt_neox.layers.{}.input_layernorm.weight", &[16]),
            ("gpt_neox.layers.{}.input_layernorm.bias", &[16]),
            ("gpt_neox.layers.{}.post_attention_layernorm.weight", &[16]),
            ("gpt_neox.layers.{}.post_attention_layernorm.bias", &[16]),
            (
                "gpt_neox.layers.{}.attention.query_key_value.weight",
                &[48, 16],
            ),
            ("gpt_neox.layers.{}.attention.query_key_value.bias", &[48]),
            ("gpt_neox.layers.{}.attention.dense.weight", &[16, 16]),
            ("gpt_neox.layers.{}.attention.dense.bias", &[16]),
            ("gpt_neox.layers.{}.attention.rotary_emb.inv_freq", &[1]),
            ("gpt_neox.layers.{}.mlp.dense_h_to_4h.weight", &[24, 16]),
            ("gpt_neox.layers.{}.mlp.dense_h_to_4h.bias", &[24]),
            ("gpt_neox.layers.{}.mlp.dense_4h_to_h.weight", &[16, 24]),
            ("gpt_neox.layers.{}.mlp.dense_4h_to_h.bias", &[16]),
            ("gpt_neox.final_layer_norm.weight", &[16]),
            ("gpt_neox.final_layer_norm.bias", &[16]),
            ("embed_out.weight", &[9, 16]),
        ],
    );
    let config = parse(
        r#"{"model_type": "gpt_neox", "hidden_size": 16, "num_attention_heads": 2, "rotary_pct": 0.25,
            "rotary_emb_base": 10000, "hidden_act": "gelu", "tie_word_embeddings": false}"#,
    );
    let opened = open_source(file, Some(&config), "positions");
    assert_whole(&opened, "GPT-NeoX");
    let block = first_block(&opened.1);
    assert!(block.is_parallel && order(&block.feed_forward.residual) == "pre");
    assert_eq!(block.attention.value.cut, Cut::third_of_heads(2));
    assert_eq!(
        block.attention.positions,
        rotation(2, 10_000.0, RotaryPairs::Halves)
    );
    let head = describe(&opened.1).head.as_ref().expect("a head");
    assert_eq!(head.words, "embed_out.weight");
}

/// Layers of Llama's names with 4 query heads and 2 key heads of 6 columns, which are not 1/4 of the width.
const GROUPED: &[(&str, &[usize])] = &[
    ("model.embed_tokens.weight", &[9, 16]),
    ("model.layers.{}.input_layernorm.weight", &[16]),
    ("model.layers.{}.post_attention_layernorm.weight", &[16]),
    ("model.layers.{}.self_attn.q_proj.weight", &[24, 16]),
    ("model.layers.{}.self_attn.k_proj.weight", &[12, 16]),
    ("model.layers.{}.self_attn.v_proj.weight", &[12, 16]),
    ("model.layers.{}.self_attn.o_proj.weight", &[16, 24]),
    ("model.layers.{}.mlp.gate_proj.weight", &[20, 16]),
    ("model.layers.{}.mlp.up_proj.weight", &[20, 16]),
    ("model.layers.{}.mlp.down_proj.weight", &[16, 20]),
    ("model.norm.weight", &[16]),
];

const GROUPED_CONFIG: &str = r#""hidden_size": 16, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6,
    "rms_norm_eps": 1e-05, "rope_theta": 1000000.0"#;

#[test]
fn qwen_has_biases_or_norms_on_queries_and_keys() {
    let biases: &[(&str, &[usize])] = &[
        ("model.layers.{}.self_attn.q_proj.bias", &[24]),
        ("model.layers.{}.self_attn.k_proj.bias", &[12]),
        ("model.layers.{}.self_attn.v_proj.bias", &[12]),
    ];
    let norms: &[(&str, &[usize])] = &[
        ("model.layers.{}.self_attn.q_norm.weight", &[6]),
        ("model.layers.{}.self_attn.k_norm.weight", &[6]),
        ("lm_head.weight", &[9, 16]),
    ];
    for (model_type, more, words) in [
        ("qwen2", biases, "model.embed_tokens.weight"),
        ("qwen3", norms, "lm_head.weight"),
    ] {
        let is_tied = model_type == "qwen2";
        let config = parse(&format!(
            r#"{{"model_type": "{model_type}", "tie_word_embeddings": {is_tied}, {GROUPED_CONFIG}}}"#
        ));
        let file = zeros(2, &[GROUPED, more].concat());
        let opened = open_source(file, Some(&config), "positions");
        assert_whole(&opened, model_type);
        let attention = &first_block(&opened.1).attention;
        assert_eq!(attention.query.bias.is_some(), is_tied);
        assert_eq!(attention.query_key_norms.is_none(), is_tied);
        let norm = attention.residual.norms().next().expect("a norm");
        assert_eq!((norm.kind, norm.epsilon), (NormKind::Rms, 1e-5));
        let sizes = block_on(describe(&opened.1).check(&opened.0, None)).expect("fits");
        assert_eq!(
            (sizes[0].heads, sizes[0].key_heads, sizes[0].head_width),
            (4, 2, 6)
        );
        assert_eq!(
            describe(&opened.1).head.as_ref().expect("words").words,
            words
        );
    }
}

#[test]
fn gemma_norms_both_sides_of_a_part() {
    let more: &[(&str, &[usize])] = &[
        ("model.layers.{}.pre_feedforward_layernorm.weight", &[16]),
        ("model.layers.{}.post_feedforward_layernorm.weight", &[16]),
        ("model.layers.{}.self_attn.q_norm.weight", &[6]),
        ("model.layers.{}.self_attn.k_norm.weight", &[6]),
    ];
    let config = parse(&format!(
        r#"{{"model_type": "gemma3_text", "query_pre_attn_scalar": 4, "sliding_window": 5,
             "sliding_window_pattern": 2, "rope_local_base_freq": 10000.0, {GROUPED_CONFIG}}}"#
    ));
    let file = zeros(2, &[GROUPED, more].concat());
    let opened = open_source(file, Some(&config), "global");
    assert_whole(&opened, "Gemma 3");
    let [local, global] = &describe(&opened.1).blocks[..] else {
        panic!("two blocks");
    };
    assert_eq!(order(&local.attention.residual), "both sides");
    assert_eq!(
        (local.attention.reach, global.attention.reach),
        (Some(4), None)
    );
    assert_eq!(local.attention.scale, ScoreScale::Factor(0.5));
    assert_eq!(
        local.attention.positions,
        rotation(6, 10_000.0, RotaryPairs::Halves)
    );
    assert_eq!(
        global.attention.positions,
        rotation(6, 1e6, RotaryPairs::Halves)
    );
    assert!(local.attention.residual.norms().all(|norm| norm.adds_one));
    assert!(matches!(
        describe(&opened.1).embedding.content,
        Some(EmbeddingContent::Words {
            is_scaled: true,
            ..
        })
    ));
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
fn later_versions_of_t5_have_gates() {
    let mut all = tensors("t5");
    let inner: Vec<_> = all
        .keys()
        .filter(|name| name.ends_with("wi.weight"))
        .cloned()
        .collect();
    for name in inner {
        let whole = all.remove(&name).expect("listed");
        for part in ["wi_0.weight", "wi_1.weight"] {
            let name = name.replace("wi.weight", part);
            all.insert(name, f32s(&whole.shape, |_| 0.0));
        }
    }
    let config = parse(
        r#"{"model_type": "t5", "d_model": 64, "num_heads": 4, "d_kv": 16, "feed_forward_proj": "gated-gelu"}"#,
    );
    let opened = open_source(write(&all), Some(&config), "encoder");
    assert_whole(&opened, "T5 with gates");
    let part = &first_block(&opened.1).feed_forward;
    assert_eq!(part.activation, Activation::GeluTanh);
    assert!(
        part.gate
            .as_ref()
            .is_some_and(|gate| gate.weight.ends_with("wi_0.weight"))
    );
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

#[test]
fn the_first_tensor_that_does_not_fit_is_named() {
    let change = |change: &dyn Fn(&mut Tensors)| {
        let mut all = tensors("bert");
        change(&mut all);
        let (checkpoint, model) = open_source(write(&all), Some(&config("bert")), "positions");
        let error = block_on(describe(&model).check(&checkpoint, heads(&model)));
        error.expect_err("does not fit").to_string()
    };
    for (tensor, shape, expected) in [
        (
            "encoder.layer.1.output.dense.weight",
            Some(&[64, 95][..]),
            "64 × 96",
        ),
        ("encoder.layer.0.output.LayerNorm.bias", Some(&[63]), "64"),
        (
            "encoder.layer.0.attention.self.value.weight",
            Some(&[60, 64]),
            "64 × 64",
        ),
        (
            "encoder.layer.0.attention.self.value.bias",
            Some(&[65]),
            "64",
        ),
        (
            "encoder.layer.1.attention.output.dense.weight",
            None,
            "no tensor",
        ),
        (
            "embeddings.token_type_embeddings.weight",
            Some(&[2, 32]),
            "rows of 64 numbers",
        ),
    ] {
        let sentence = change(&|all| {
            all.remove(tensor);
            if let Some(shape) = shape {
                all.insert(tensor.to_owned(), f32s(shape, |_| 0.0));
            }
        });
        assert_is_sentence(&sentence);
        assert!(
            sentence.contains(tensor) && sentence.contains(expected),
            "{sentence}"
        );
    }
}

#[test]
fn a_wrong_number_of_key_heads_is_refused() {
    let config = GROUPED_CONFIG.replace("\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3");
    let config = parse(&format!(r#"{{"model_type": "llama", {config}}}"#));
    let (checkpoint, model) = open_source(zeros(1, GROUPED), Some(&config), "positions");
    let error = block_on(describe(&model).check(&checkpoint, None)).expect_err("3 of 4");
    assert_is_sentence(&error.to_string());
    assert!(error.to_string().contains("k_proj"), "{error}");
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
