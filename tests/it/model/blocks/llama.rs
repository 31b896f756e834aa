//! Llama and the decoders with its names: Qwen and Gemma.

use super::{
    describe, first_block, folder, open_source, order, parse, rotation, tensors::assert_whole,
    zeros,
};
use diagonal::model::{EmbeddingContent, NormKind, RotaryPairs, ScoreScale};
use pollster::block_on;

/// Layers of Llama's names with 4 query heads and 2 key heads of 6 columns, which are not 1/4 of the width.
pub(super) const GROUPED: &[(&str, &[usize])] = &[
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

pub(super) const GROUPED_CONFIG: &str = r#""hidden_size": 16, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6,
    "rms_norm_eps": 1e-05, "rope_theta": 1000000.0"#;

#[test]
fn llama_shares_keys_and_has_a_head_only_if_its_file_has_one() {
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
}

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

/// Older configurations of Qwen2-VL have no section for the text, and null for as many key heads as heads.
#[test]
fn models_for_pictures_have_the_blocks_of_their_text() {
    let axes = r#""rope_scaling": {"type": "mrope", "mrope_section": [1, 1, 1]}"#;
    for (model_type, more, (heads, shared_keys, key_heads), epsilon) in [
        (
            "qwen2_vl",
            r#""num_key_value_heads": 2"#,
            (4, 2, Some(2)),
            1e-5,
        ),
        (
            "qwen2_5_vl",
            r#""rms_norm_eps": 1e-6"#,
            (16, 8, Some(8)),
            1e-6,
        ),
        (
            "qwen2_5_vl",
            r#""num_key_value_heads": null"#,
            (4, 4, None),
            1e-5,
        ),
    ] {
        let (queries, keys) = (&[6 * heads, 16], &[6 * shared_keys, 16]);
        let own: &[(&str, &[usize])] = &[
            ("model.layers.{}.self_attn.q_proj.weight", queries),
            ("model.layers.{}.self_attn.q_proj.bias", &queries[..1]),
            ("model.layers.{}.self_attn.k_proj.weight", keys),
            ("model.layers.{}.self_attn.k_proj.bias", &keys[..1]),
            ("model.layers.{}.self_attn.v_proj.weight", keys),
            ("model.layers.{}.self_attn.v_proj.bias", &keys[..1]),
            ("model.layers.{}.self_attn.o_proj.weight", &[16, queries[0]]),
            ("visual.blocks.{}.attn.qkv.weight", &[24, 8]),
            ("lm_head.weight", &[9, 16]),
        ];
        let config = parse(&format!(
            r#"{{"model_type": "{model_type}", "hidden_size": 16, "num_attention_heads": {heads}, "head_dim": 6,
                "num_hidden_layers": 2, "rope_theta": 1000000.0, {axes}, {more}}}"#
        ));
        let file = zeros(2, &[GROUPED, own].concat());
        let opened = open_source(file, Some(&config), "positions");
        assert_whole(&opened, model_type);
        let attention = &first_block(&opened.1).attention;
        assert_eq!(attention.heads.key_heads, key_heads, "{more}");
        let expected = rotation(6, 1e6, RotaryPairs::Halves);
        assert_eq!(attention.positions, expected, "{more}");
        let norm = attention.residual.norms().next().expect("a norm");
        assert_eq!((norm.kind, norm.epsilon), (NormKind::Rms, epsilon));
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
