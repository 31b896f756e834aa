//! Configurations as found beside weights: from 2019, from Meta and Mistral, with Python's numbers, damaged. None makes
//! the weights unreadable.

use diagonal::{
    checkpoint::MemorySource,
    model::{Config, HeadsSource, ModelOptions},
};

use super::open_dropped;
use crate::support::models::{bytes, note};

/// Opens BERT with this text as its configuration.
fn beside_bert(name: &str, text: &str) -> (u32, HeadsSource, Option<String>) {
    let files = vec![
        (
            "m/model.safetensors".to_owned(),
            MemorySource::from(bytes("bert")),
        ),
        (
            format!("m/{name}"),
            MemorySource::from(text.as_bytes().to_vec()),
        ),
    ];
    let (_, model) = open_dropped(files, &ModelOptions::default()).expect("weights open");
    let message = note(&model, "Configuration").map(str::to_owned);
    (model.heads.count, model.heads.source, message)
}

#[test]
fn any_json_with_heads_or_a_width_is_a_configuration() {
    for (name, text, heads) in [
        (
            "config.json",
            r#"{"num_attention_heads": 2, "hidden_size": 64}"#,
            2,
        ),
        ("bert_config.json", r#"{"num_attention_heads": 8}"#, 8),
        (
            "params.json",
            r#"{"dim": 64, "n_layers": 2, "n_heads": 4}"#,
            4,
        ),
        ("config.json", r#"{"n_head": 2, "n_embd": 64}"#, 2),
    ] {
        let facts = beside_bert(name, text);
        assert_eq!(facts, (heads, HeadsSource::Config, None), "{text}");
    }
    // Tokenizer and generation files are not configurations.
    for text in [
        r#"{"tokenizer_class": "X", "hidden_size": 4}"#,
        r#"{"max_length": 20}"#,
    ] {
        assert_eq!(
            beside_bert("other.json", text).1,
            HeadsSource::Assumed,
            "{text}"
        );
    }
    // A file with a model type takes precedence over one without.
    let files = vec![
        (
            "m/model.safetensors".to_owned(),
            MemorySource::from(bytes("bert")),
        ),
        (
            "m/a.json".to_owned(),
            MemorySource::from(br#"{"model_type": "bert", "num_attention_heads": 2}"#.to_vec()),
        ),
        (
            "m/b.json".to_owned(),
            MemorySource::from(br#"{"num_attention_heads": 8}"#.to_vec()),
        ),
    ];
    let (_, model) = open_dropped(files, &ModelOptions::default()).expect("weights open");
    assert_eq!(model.heads.count, 2);
}

#[test]
fn entries_of_the_makers_mean_the_same() {
    // As Mistral publishes it.
    let text = r#"{"dim": 64, "n_layers": 2, "head_dim": 16, "hidden_dim": 96, "n_heads": 4, "n_kv_heads": 2,
        "norm_eps": 1e-05, "vocab_size": 100, "rope_theta": 1000000.0, "max_seq_len": 512}"#;
    let config = Config::parse(text).expect("read");
    assert_eq!(
        (config.heads, config.layers, config.hidden_width),
        (Some(4), Some(2), Some(64))
    );
    let counts = ["head_dim", "num_key_value_heads", "max_position_embeddings"];
    assert_eq!(
        counts.map(|key| config.count(key)),
        [Some(16), Some(2), Some(512)]
    );
    assert_eq!(config.number("rope_theta"), Some(1e6));
    // The library's own entry takes precedence.
    let config = Config::parse(r#"{"num_key_value_heads": 8, "n_kv_heads": 2}"#).expect("read");
    assert_eq!(config.count("num_key_value_heads"), Some(8));
}

#[test]
fn the_numbers_that_python_writes_are_passed_over() {
    let text = r#"{"model_type": "bert", "num_attention_heads": 2, "x": [0.0, Infinity, -Infinity], "y": NaN,
        "z": {"a": -Infinity}, "said": "NaN, \"Infinity\" and \\", "layer_norm_eps": Infinity}"#;
    let config = Config::parse(text).expect("read");
    assert_eq!((config.heads, config.layer_norm_epsilon), (Some(2), None));
    assert_eq!(config.word("said"), Some("NaN, \"Infinity\" and \\"));
    assert_eq!(
        beside_bert("config.json", text),
        (2, HeadsSource::Config, None)
    );
    for text in [
        "{\"a\": NaNa}",
        "{\"a\": In}",
        "{\"a\": \"NaN",
        "Infinity",
        "{\"a\\",
        "NaN\\\"",
    ] {
        assert!(Config::parse(text).is_err(), "{text}");
    }
}

#[test]
fn weights_open_whatever_lies_beside_them() {
    let torn = r#"{"model_type": "bert", "num_attention_heads": 2, "hidden_si"#;
    let (_, source, message) = beside_bert("config.json", torn);
    assert_eq!(source, HeadsSource::Assumed);
    assert!(message.is_some_and(|message| message.contains("Nothing of it is used")));
    // An invalid entry is ignored; the others count.
    let odd = r#"{"model_type": "bert", "num_attention_heads": 2, "layer_norm_eps": -1, "pad_token_id": 1.5}"#;
    let (heads, source, message) = beside_bert("config.json", odd);
    assert_eq!((heads, source), (2, HeadsSource::Config));
    let message = message.expect("a note");
    assert!(
        message.contains("layer_norm_eps") && message.contains("pad_token_id"),
        "{message}"
    );
}
