//! Angles of rotary models: those of the transformers library (`rotary-angles.json`), and notes on stretched angles, on
//! several axes, and on layers without rotation.

use std::collections::BTreeMap;

use diagonal::{
    checkpoint::{Checkpoint, MemorySource},
    encoding::Rotary,
    model::{Config, ModelOptions, PositionModel, PositionSource},
};
use serde_json::{Value, json};

use super::{of_source, opened};
use crate::support::models::{Tensors, data, f32s, note, open_model, write};

/// A file of a rotary model without a position table, with an optional further tensor.
fn file(more: Option<(&str, &[f32])>) -> Vec<u8> {
    let mut all = Tensors::new();
    let norm = "model.layers.0.input_layernorm.weight";
    all.insert(norm.to_owned(), f32s(&[8], |_| 1.0));
    if let Some((name, numbers)) = more {
        all.insert(name.to_owned(), f32s(&[numbers.len()], |at| numbers[at]));
    }
    write(&all)
}

fn with(config: &Config, choice: &ModelOptions) -> (Checkpoint<MemorySource>, PositionModel) {
    open_model(file(None), Some(config), choice).expect("a rotary model")
}

fn rotary(model: &PositionModel) -> Rotary {
    match model.positions {
        PositionSource::Rotary(rotary) => rotary,
        _ => panic!("{:?}", model.positions.kind()),
    }
}

fn parse_config(config: &Value) -> Config {
    Config::parse(&config.to_string()).expect("a configuration")
}

#[test]
fn angles_are_those_of_the_library_or_said_to_be_stretched() {
    let text = std::fs::read_to_string(data("rotary-angles.json")).expect("angles");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let mut count = 0;
    for (name, case) in all["cases"].as_object().expect("cases") {
        let config = parse_config(&case["config"]);
        for (buffer, expected) in case["inv_freq"].as_object().expect("angles") {
            let source = if buffer.contains("full_attention") {
                of_source("global")
            } else if buffer.contains("sliding_attention") {
                of_source("local")
            } else {
                ModelOptions::default()
            };
            let (_, model) = with(&config, &source);
            let expected: Vec<f64> = expected
                .as_array()
                .expect("a list")
                .iter()
                .filter_map(Value::as_f64)
                .collect();
            let found: Vec<f64> = rotary(&model).frequencies().collect();
            assert_eq!(found.len(), expected.len(), "{name}");
            // The library has single precision.
            let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-6 * b;
            let same = found.iter().zip(&expected).all(is_near);
            let stretched = note(&model, "Stretched angles").is_some();
            assert!(
                same != stretched,
                "{name}, {buffer}: same {same}, said {stretched}"
            );
            count += usize::from(same);
        }
        let still: Vec<usize> = case["no_rope_layers"]
            .as_array()
            .map_or(Vec::new(), |list| {
                (1..)
                    .zip(list)
                    .filter(|(_, v)| **v == json!(0))
                    .map(|(n, _)| n)
                    .collect()
            });
        let (_, model) = with(&config, &ModelOptions::default());
        match note(&model, "Layers without rotation") {
            None => assert!(still.is_empty(), "{name}"),
            Some(text) => assert!(
                still.iter().all(|n| text.contains(&n.to_string())),
                "{name}: {text}"
            ),
        }
    }
    assert!(count >= 11, "{count}");
}

#[test]
fn proportional_angles_run_over_the_whole_head_and_stop_after_a_share_of_it() {
    // Gemma 4: the reference is _compute_proportional_rope_parameters of the transformers library.
    let config = parse_config(&json!({
        "model_type": "gemma4_text", "hidden_size": 2560, "num_attention_heads": 8, "head_dim": 256,
        "global_head_dim": 512,
        "rope_parameters": {
            "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
            "full_attention": {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.25},
        },
    }));
    let expected = |m: usize| 1e6_f64.powf(-2.0 * m as f64 / 512.0);
    let is_right = |rotary: Rotary| {
        let found: Vec<f64> = rotary.frequencies().collect();
        assert_eq!(found.len(), 64);
        for (m, angle) in found.iter().enumerate() {
            assert!((angle - expected(m)).abs() <= 1e-12 * angle, "{m}: {angle}");
        }
    };
    let (_, global) = with(&config, &of_source("global"));
    is_right(rotary(&global));
    let text = note(&global, "Nothing learned").expect("a note");
    assert!(
        text.contains("base 1000000") && text.contains("384 columns are not rotated"),
        "{text}"
    );
    assert!(note(&global, "Stretched angles").is_none());
    let (_, local) = with(&config, &of_source("local"));
    assert_eq!((rotary(&local).width, rotary(&local).base), (256, 1e4));

    // The same model as GGUF: huge divisors stop the other pairs.
    let metadata = gguf(
        "gemma4",
        &[
            ("rope.freq_base", "1000000"),
            ("rope.freq_base_swa", "10000"),
            ("rope.dimension_count", "512"),
            ("rope.dimension_count_swa", "256"),
            ("attention.key_length", "512"),
            ("attention.key_length_swa", "256"),
        ],
    );
    let mut divisors = vec![1.0; 64];
    divisors.resize(256, 1e30);
    let bytes = file(Some(("rope_freqs.weight", &divisors)));
    let (_, global) = open_model(bytes.clone(), Some(&metadata), &of_source("global")).expect("it");
    is_right(rotary(&global));
    assert!(note(&global, "Divided angles").is_some_and(|text| text.contains("first 64 of 256")));
    let (_, local) = open_model(bytes, Some(&metadata), &of_source("local")).expect("it");
    assert_eq!((rotary(&local).width, rotary(&local).base), (256, 1e4));
}

/// A configuration with the keys of a GGUF file of that architecture.
fn gguf(architecture: &str, entries: &[(&str, &str)]) -> Config {
    let mut metadata = BTreeMap::new();
    metadata.insert("general.architecture".to_owned(), architecture.to_owned());
    for (key, value) in entries {
        metadata.insert(format!("{architecture}.{key}"), (*value).to_owned());
    }
    Config::from_gguf(&metadata)
}

#[test]
fn gguf_states_turned_columns_widths_of_heads_and_windows() {
    let found = |architecture: &str, entries: &[(&str, &str)]| {
        let (_, model) = with(&gguf(architecture, entries), &ModelOptions::default());
        let sources: Vec<_> = model.sources.iter().map(|(id, _)| id.clone()).collect();
        (rotary(&model).width, rotary(&model).base, sources.join(" "))
    };
    let one = |width, base| (width, base, "positions".to_owned());
    let heads = ("attention.head_count", "4");
    let width = ("embedding_length", "96");
    let base = ("rope.freq_base", "1000000");
    // Heads may be wider than the model's width divided by their number.
    assert_eq!(found("qwen3", &[heads, width, base]), one(24, 1e6));
    assert_eq!(
        found(
            "qwen3",
            &[heads, width, base, ("attention.key_length", "32")]
        ),
        one(32, 1e6)
    );
    // Only a part of a head may rotate, as in GPT-NeoX and DeepSeek.
    let part = [
        heads,
        width,
        ("attention.key_length", "192"),
        ("rope.dimension_count", "64"),
    ];
    assert_eq!(found("deepseek2", &part), one(64, 1e4));
    let both = "global local".to_owned();
    let window = [heads, width, base, ("attention.sliding_window", "512")];
    assert_eq!(found("gemma3", &window), (24, 1e6, both));
    assert_eq!(found("qwen2", &window), one(24, 1e6));
}

#[test]
fn what_is_left_out_of_angles_is_said() {
    let message = |config: &Config, title: &str| {
        let (_, model) = with(config, &ModelOptions::default());
        note(&model, title).map(str::to_owned)
    };
    let head = ("attention.key_length", "64");
    let stretched = |entries: &[(&str, &str)]| {
        let entries: Vec<_> = entries
            .iter()
            .copied()
            .chain([head, ("rope.freq_base", "10000")])
            .collect();
        message(&gguf("qwen2", &entries), "Stretched angles")
    };
    let text =
        stretched(&[("rope.scaling.type", "yarn"), ("rope.scaling.factor", "4")]).expect("yarn");
    assert!(text.contains("“yarn”, factor 4"), "{text}");
    assert!(stretched(&[("rope.scaling.type", "longrope")]).is_some());
    assert!(stretched(&[("rope.scale_linear", "4")]).is_some_and(|text| text.contains("linear")));
    for plain in [
        &[][..],
        &[("rope.scaling.type", "none")],
        &[("rope.scale_linear", "1")],
    ] {
        assert_eq!(stretched(plain), None, "{plain:?}");
    }
    // Frequency factors stored as tensors.
    let config = gguf("llama", &[("rope.dimension_count", "8")]);
    for (divisors, expected) in [
        (vec![1.0, 1.0, 1.0, 8.0], Some("angles of 1 of 4")),
        (vec![1.0; 4], None),
        (vec![1.0; 3], Some("does not fit")),
    ] {
        let bytes = file(Some(("rope_freqs.weight", &divisors)));
        let (_, model) = open_model(bytes, Some(&config), &ModelOptions::default()).expect("it");
        let text = note(&model, "Divided angles");
        assert_eq!(text.is_some(), expected.is_some(), "{text:?}");
        assert!(
            text.is_none_or(|text| text.contains(expected.unwrap_or_default())),
            "{text:?}"
        );
        assert_eq!((rotary(&model).width, rotary(&model).base), (8, 1e4));
    }
    let bytes = file(Some(("rope_factors_long.weight", &[2.0; 4])));
    let (_, model) = open_model(bytes, Some(&config), &ModelOptions::default()).expect("it");
    assert!(note(&model, "Stretched angles").is_some());

    // Several axes, in the three spellings.
    let size = json!({"hidden_size": 1536, "num_attention_heads": 12, "rope_theta": 1e6});
    let mut older = size.clone();
    older["rope_scaling"] = json!({"type": "mrope", "mrope_section": [16, 24, 24]});
    let newer = json!({"text_config": {"head_dim": 128, "rope_parameters": {
        "rope_type": "default", "rope_theta": 1e6, "mrope_section": [24, 20, 20], "mrope_interleaved": true,
    }}});
    let listed = gguf(
        "qwen2vl",
        &[
            head,
            ("rope.freq_base", "1e6"),
            ("rope.dimension_sections", "[16,24,24,0]"),
        ],
    );
    for (config, words) in [
        (parse_config(&older), "16, 24, 24 pairs"),
        (parse_config(&newer), "interleaved"),
        (listed, "3 axes"),
    ] {
        let text = message(&config, "Several axes").expect(words);
        assert!(text.contains(words), "{text}");
        assert_eq!(message(&config, "Stretched angles"), None);
    }
    assert_eq!(message(&parse_config(&size), "Several axes"), None);
}

#[test]
fn layers_that_turn_nothing_are_said() {
    let message = |mut config: Value| {
        config["hidden_size"] = json!(64);
        config["num_attention_heads"] = json!(4);
        config["rope_theta"] = json!(1e4);
        let (_, model) = with(&parse_config(&config), &ModelOptions::default());
        note(&model, "Layers without rotation").map(str::to_owned)
    };
    let kinds = json!(["sliding_attention", "sliding_attention", "full_attention"]);
    for (config, words) in [
        (
            json!({"model_type": "smollm3", "num_hidden_layers": 8}),
            "Of 8 layers, these have no rotation: 4, 8.",
        ),
        (
            json!({"model_type": "x", "num_hidden_layers": 6, "no_rope_layer_interval": 3}),
            "3, 6",
        ),
        // Too many layers to list them.
        (
            json!({"model_type": "smollm3", "num_hidden_layers": u32::MAX}),
            "Layers whose number 4 divides",
        ),
        (
            json!({"model_type": "x", "no_rope_layers": [1, 0, 1]}),
            "Layer 2 of 3",
        ),
        (
            json!({"model_type": "cohere2", "sliding_window": 64, "num_hidden_layers": 8}),
            "4, 8",
        ),
        (
            json!({"model_type": "exaone4", "sliding_window": 64, "layer_types": kinds}),
            "Layer 3 of 3",
        ),
        (
            json!({"model_type": "x", "layer_types": ["linear_attention", "full_attention"]}),
            "Of 2 layers, 1 has no attention of this kind and no rotation.",
        ),
    ] {
        let text = message(config).expect(words);
        assert!(text.contains(words), "{text}");
    }
    for config in [
        json!({"model_type": "llama", "num_hidden_layers": 8}),
        json!({"model_type": "smollm3", "num_hidden_layers": 2, "no_rope_layers": [1, 1]}),
        // Without a window all layers of EXAONE rotate.
        json!({"model_type": "exaone4", "sliding_window": null, "num_hidden_layers": 8}),
        json!({"model_type": "gemma3_text", "sliding_window": 64, "layer_types": kinds}),
    ] {
        assert_eq!(message(config.clone()), None, "{config}");
    }
    let (_, model) = with(
        &gguf(
            "smollm3",
            &[("block_count", "8"), ("rope.dimension_count", "8")],
        ),
        &ModelOptions::default(),
    );
    assert!(note(&model, "Layers without rotation").is_some());
}

#[test]
fn stretched_angles_of_a_gguf_file_are_named() {
    let (_, model) = opened("yarn-gguf", &ModelOptions::default()).expect("it opens");
    assert!(note(&model, "Stretched angles").is_some_and(|text| text.contains("yarn")));
    let (_, model) = opened("gemma3-gguf", &of_source("local")).expect("it opens");
    assert_eq!((rotary(&model).width, rotary(&model).base), (32, 1e4));
}
