//! Models without stored positions: rotary ones, with angles from their configuration, and others, with a description
//! of their method.

use std::collections::BTreeMap;

use diagonal::model::{Config, ModelError, ModelOptions};

use super::{describe_positions, parse_config, summarize};
use crate::support::models::{
    Tensors, bytes, data, f32s, note, open_model, plainly, tensors, write,
};

fn nothing_learned(bytes: Vec<u8>, config: Option<&Config>) -> (&'static str, String) {
    match open_model(bytes, config, &ModelOptions::default()) {
        Err(ModelError::NothingLearned { family, sentence }) => (family, sentence),
        other => panic!("{:?}", other.map(|(_, model)| model.family)),
    }
}

#[test]
fn rotary_models_give_the_base_and_the_columns_that_are_turned() {
    let llama = write(&tensors("llama"));
    let found = |text: &str| {
        summarize(&llama, Some(&parse_config(text)))
            .expect(text)
            .sources
    };
    let one = |holds: &str| vec![("positions".to_owned(), holds.to_owned(), 0)];
    let two = |global: &str, local: &str| {
        vec![
            ("global".to_owned(), global.to_owned(), 0),
            ("local".to_owned(), local.to_owned(), 0),
        ]
    };
    for (folder, expected) in [
        ("llama", one("8 columns, base 50000")),
        (
            "modernbert",
            two("8 columns, base 160000", "8 columns, base 10000"),
        ),
    ] {
        for file in ["config.json", "config-v4.json"] {
            let text = std::fs::read_to_string(data(folder).join(file)).expect(file);
            let found = summarize(&bytes(folder), Some(&parse_config(&text))).expect(folder);
            // The heads of the first layer can be shown.
            let expected = expected.iter().cloned();
            let expected: Vec<_> = expected.map(|(id, holds, _)| (id, holds, 1)).collect();
            assert_eq!(
                (found.family, found.sources),
                ("Rotary", expected),
                "{folder}/{file}"
            );
        }
        // Without a configuration, base and width are unknown.
        let (family, sentence) = nothing_learned(bytes(folder), None);
        assert!(
            family == "Rotary" && sentence.contains("config.json"),
            "{sentence}"
        );
    }
    let size = r#""hidden_size": 2048, "num_attention_heads": 16"#;
    assert_eq!(
        found(&format!(
            r#"{{"model_type": "gpt_neox", "rotary_pct": 0.25, "rotary_emb_base": 10000, {size}}}"#
        )),
        one("32 columns, base 10000")
    );
    assert_eq!(
        found(r#"{"model_type": "gptj", "rotary_dim": 64, "n_embd": 4096, "n_head": 16}"#),
        one("64 columns, base 10000")
    );
    assert_eq!(
        found(&format!(
            r#"{{"model_type": "phi", "partial_rotary_factor": 0.375, "rope_theta": 10000.0, {size}}}"#
        )),
        one("48 columns, base 10000")
    );
    assert_eq!(
        found(&format!(
            r#"{{"rope_parameters": {{"rope_theta": 1e6, "partial_rotary_factor": 0.5}}, {size}}}"#
        )),
        one("64 columns, base 1000000")
    );
    assert_eq!(
        found(
            r#"{"model_type": "gemma3_text", "rope_theta": 1000000, "rope_local_base_freq": 10000, "head_dim": 256}"#
        ),
        two("256 columns, base 1000000", "256 columns, base 10000")
    );
    assert_eq!(
        found(&format!(
            r#"{{"model_type": "deepseek_v3", "rope_theta": 10000, "qk_rope_head_dim": 64, {size}}}"#
        )),
        one("64 columns, base 10000")
    );
    assert_eq!(
        found(&format!(
            r#"{{"model_type": "mistral3", "text_config": {{"rope_theta": 1e9, {size}}}}}"#
        )),
        one("128 columns, base 1000000000")
    );
    let metadata = [
        ("general.architecture", "llama"),
        ("llama.rope.freq_base", "500000"),
        ("llama.rope.dimension_count", "128"),
    ];
    let metadata: BTreeMap<_, _> = metadata
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into_iter()
        .collect();
    let found = summarize(&llama, Some(&Config::from_gguf(&metadata)))
        .expect("a GGUF")
        .sources;
    assert_eq!(found, one("128 columns, base 500000"));

    // Assumed bases and stretched angles are reported.
    let config = parse_config(&format!(
        r#"{{"rope_theta": 5e5, "rope_scaling": {{"rope_type": "llama3", "factor": 8}}, {size}}}"#
    ));
    let (_, model) = plainly(llama.clone(), Some(&config));
    assert!(
        note(&model, "Nothing learned")
            .is_some_and(|text| text.contains("base 500000 (as configured)"))
    );
    assert!(note(&model, "Stretched angles").is_some_and(|text| text.contains("llama3")));
    assert!(model.heads.is_none() && note(&model, "No heads").is_none());

    // Invalid values give the message that asks for a configuration.
    for nonsense in [
        r#"{"rope_theta": 0, "head_dim": 64}"#,
        r#"{"rope_theta": 10000}"#,
        r#"{"rope_theta": 10000, "head_dim": 1}"#,
        r#"{"rope_theta": 10000, "head_dim": 4294967295}"#,
        r#"{"rope_theta": 10000, "head_dim": 64, "partial_rotary_factor": -1}"#,
    ] {
        assert_eq!(
            nothing_learned(llama.clone(), Some(&parse_config(nonsense))).0,
            "Rotary",
            "{nonsense}"
        );
    }
}

#[test]
fn models_that_store_nothing_say_what_they_do_instead() {
    let file = |name: &str| {
        let mut all = Tensors::new();
        all.insert(name.to_owned(), f32s(&[8, 8], |_| 1.0));
        all.insert("h.0.attention.weight".to_owned(), f32s(&[8, 8], |_| 1.0));
        write(&all)
    };
    let alibi = |text: &str| nothing_learned(file("wte.weight"), Some(&parse_config(text))).0;
    assert_eq!(alibi(r#"{"model_type": "bloom"}"#), "ALiBi");
    assert_eq!(
        alibi(r#"{"model_type": "mpt", "attn_config": {"alibi": true}}"#),
        "ALiBi"
    );
    assert_eq!(alibi(r#"{"model_type": "falcon", "alibi": true}"#), "ALiBi");
    for (tensor, family, says) in [
        (
            "transformer.word_embeddings_layernorm.weight",
            "ALiBi",
            "distance",
        ),
        (
            "encoder.pos_conv_embed.conv.weight_v",
            "wav2vec 2.0",
            "convolution",
        ),
        (
            "layers.0.blocks.0.attn.cpb_mlp.0.weight",
            "Swin v2",
            "network",
        ),
    ] {
        let (found, sentence) = nothing_learned(file(tensor), None);
        assert!(
            found == family && sentence.contains(says),
            "{tensor}: {sentence}"
        );
        // A table can still be chosen.
        let choice = ModelOptions {
            table: Some(tensor.to_owned()),
            ..ModelOptions::default()
        };
        let (_, model) = open_model(file(tensor), None, &choice).expect("the table");
        assert_eq!(
            (model.family, describe_positions(&model.positions)),
            ("table", "8 × 8".to_owned())
        );
    }
    // Falcon is rotary unless its configuration says ALiBi.
    let config = parse_config(
        r#"{"model_type": "falcon", "alibi": false, "hidden_size": 128, "num_attention_heads": 2}"#,
    );
    let found = summarize(&file("wte.weight"), Some(&config)).expect("rotary");
    assert_eq!(found.sources[0].1, "64 columns, base 10000");
}
