//! Decoders of the form of GPT: GPT-Neo, GPT-NeoX and OPT.

use super::{
    describe, first_block, folder, open_source, order, parse, rotation, tensors::assert_whole,
    zeros,
};
use diagonal::model::{Cut, EmbeddingContent, RotaryPairs, ScoreScale};

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

#[test]
fn words_of_opt_are_projected_to_the_width_and_back() {
    let (_, opt) = folder("opt-projected", "positions");
    let description = describe(&opt);
    assert!(description.final_map.is_some() && description.final_norm.is_none());
    assert!(matches!(
        &description.embedding.content,
        Some(EmbeddingContent::Words { map: Some(_), .. })
    ));
}
