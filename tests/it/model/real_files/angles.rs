//! Angles of rotary models: those of the transformers library (`rotary-angles.json`), with and without the change for
//! longer texts, and notes on several axes and on layers without rotation.

use std::collections::BTreeMap;

use diagonal::{
    checkpoint::{Checkpoint, MemorySource},
    encoding::{RotaryAngles, RotaryPositions},
    model::{Config, Correction, ModelOptions, PositionModel, PositionSource},
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

fn rotary(model: &PositionModel) -> &RotaryPositions {
    match &model.positions {
        PositionSource::Rotary(rotary) => rotary,
        _ => panic!("{:?}", model.positions.kind()),
    }
}

/// Asserts that the angles are base^(−2m/width), all of them.
fn assert_plain(model: &PositionModel, width: usize, base: f64) {
    assert_near(
        rotary(model),
        &RotaryAngles::new(width, base).frequencies(1),
        1e-12,
    );
}

fn assert_near(positions: &RotaryPositions, expected: &[f64], tolerance: f64) {
    let found = &positions.frequencies;
    assert_eq!(found.len(), expected.len());
    for (m, (found, expected)) in found.iter().zip(expected).enumerate() {
        let is_near = (found - expected).abs() <= tolerance * expected;
        assert!(is_near, "pair {m}: {found} for {expected}");
    }
}

/// The choice of a text of this many tokens.
fn of_length(length: u32) -> ModelOptions {
    ModelOptions {
        length: Some(length),
        ..ModelOptions::default()
    }
}

fn parse_config(config: &Value) -> Config {
    Config::parse(&config.to_string()).expect("a configuration")
}

#[test]
fn angles_are_those_of_the_library() {
    let text = std::fs::read_to_string(data("rotary-angles.json")).expect("angles");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let (mut count, mut stretched) = (0, 0);
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
            // The library has single precision.
            assert_near(rotary(&model), &expected, 1e-6);
            count += 1;
            let plain = with(&config, &source.switch(Correction::AngleScaling)).1;
            let is_scaled = rotary(&plain) != rotary(&model);
            let message = note(&model, "Stretched angles");
            assert_eq!(message.is_some(), is_scaled, "{name}: {message:?}");
            stretched += usize::from(is_scaled);
            let scaling = buffer.replace("inv_freq", "attention_scaling");
            let factor = case["attention_scaling"][&scaling]
                .as_f64()
                .expect("a factor");
            if factor != 1.0 {
                let words = format!("multiplied by {factor:.4}");
                assert!(
                    message.is_some_and(|text| text.contains(&words)),
                    "{message:?}"
                );
            }
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
    assert!(count >= 15 && stretched >= 4, "{count}, {stretched}");
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
    let expected: Vec<f64> = (0..64).map(expected).collect();
    let (_, global) = with(&config, &of_source("global"));
    assert_near(rotary(&global), &expected, 1e-12);
    let text = note(&global, "Nothing learned").expect("a note");
    assert!(
        text.contains("base 1000000") && text.contains("384 columns are not rotated"),
        "{text}"
    );
    assert!(note(&global, "Stretched angles").is_none());
    let (_, local) = with(&config, &of_source("local"));
    assert_plain(&local, 256, 1e4);

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
    assert_near(rotary(&global), &expected, 1e-12);
    assert!(note(&global, "Divided angles").is_some_and(|text| text.contains("first 64 of 256")));
    let (_, local) = open_model(bytes, Some(&metadata), &of_source("local")).expect("it");
    assert_plain(&local, 256, 1e4);
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
    let assert_found = |architecture: &str,
                        entries: &[(&str, &str)],
                        (width, base): (usize, f64),
                        expected: &str| {
        let (_, model) = with(&gguf(architecture, entries), &ModelOptions::default());
        let sources: Vec<_> = model.sources.iter().map(|(id, _)| id.clone()).collect();
        assert_plain(&model, width, base);
        assert_eq!(sources.join(" "), expected);
    };
    let one = "positions";
    let heads = ("attention.head_count", "4");
    let width = ("embedding_length", "96");
    let base = ("rope.freq_base", "1000000");
    assert_found("qwen3", &[heads, width, base], (24, 1e6), one);
    // Heads may be wider than the model's width divided by their number.
    let wide = ("attention.key_length", "32");
    assert_found("qwen3", &[heads, width, base, wide], (32, 1e6), one);
    // Only a part of a head may rotate, as in GPT-NeoX and DeepSeek.
    let part = [
        heads,
        width,
        ("attention.key_length", "192"),
        ("rope.dimension_count", "64"),
    ];
    assert_found("deepseek2", &part, (64, 1e4), one);
    let window = [heads, width, base, ("attention.sliding_window", "512")];
    assert_found("gemma3", &window, (24, 1e6), "global local");
    assert_found("qwen2", &window, (24, 1e6), one);
}

#[test]
fn changes_of_angles_are_said() {
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
    let text = stretched(&[
        ("rope.scaling.type", "yarn"),
        ("rope.scaling.factor", "4"),
        ("context_length", "64"),
    ])
    .expect("yarn");
    assert!(text.contains("“yarn”, factor 4)."), "{text}");
    assert!(stretched(&[("rope.scaling.type", "longrope")]).is_some());
    assert!(stretched(&[("rope.scale_linear", "4")]).is_some_and(|text| text.contains("linear")));
    for plain in [
        &[][..],
        &[("rope.scaling.type", "none")],
        &[("rope.scale_linear", "1")],
    ] {
        assert_eq!(stretched(plain), None, "{plain:?}");
    }
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
fn tensors_divide_angles() {
    let config = gguf("llama", &[("rope.dimension_count", "8")]);
    let plain = RotaryAngles::new(8, 1e4).frequencies(1);
    for (divisors, expected, words) in [
        (
            vec![1.0, 1.0, 2.0, 8.0],
            vec![1.0, 1.0, 2.0, 8.0],
            Some("the angles of 2 of 4"),
        ),
        (
            vec![1.0, 2.0, 1e30, 1e30],
            vec![1.0, 2.0],
            Some("the first 2 of 4"),
        ),
        (vec![1.0; 4], vec![1.0; 4], None),
        (vec![1.0; 3], vec![1.0; 4], Some("does not fit")),
        (vec![1e30; 4], vec![1.0; 4], Some("left out")),
        (vec![1.0, 0.0, 1.0, 1.0], vec![1.0; 4], Some("left out")),
    ] {
        let bytes = file(Some(("rope_freqs.weight", &divisors)));
        let open = |choice: &ModelOptions| open_model(bytes.clone(), Some(&config), choice);
        let (_, model) = open(&ModelOptions::default()).expect("it opens");
        let quotients = plain.iter().zip(&expected);
        let quotients: Vec<f64> = quotients.map(|(angle, divisor)| angle / divisor).collect();
        assert_near(rotary(&model), &quotients, 1e-12);
        let text = note(&model, "Divided angles");
        assert_eq!(text.is_some(), words.is_some(), "{text:?}");
        assert!(
            text.is_none_or(|text| text.contains(words.unwrap_or_default())),
            "{text:?}"
        );
        // As trained: divisors only stop pairs.
        let choice = ModelOptions::default().switch(Correction::AngleScaling);
        let (_, trained) = open(&choice).expect("it opens");
        assert_near(rotary(&trained), &plain[..expected.len()], 1e-12);
    }
}

#[test]
fn long_texts_have_divisors_of_their_own_in_gguf_files() {
    let config = gguf(
        "phi3",
        &[
            ("rope.dimension_count", "8"),
            ("rope.scaling.type", "longrope"),
            ("rope.scaling.original_context_length", "100"),
        ],
    );
    let bytes = file(Some(("rope_factors_long.weight", &[2.0; 4])));
    let plain = RotaryAngles::new(8, 1e4).frequencies(1);
    let halves: Vec<f64> = plain.iter().map(|angle| angle / 2.0).collect();
    for (length, expected, words) in [
        (100, &plain, "more than 100 tokens"),
        (101, &halves, "divide the angles of 4 of 4"),
    ] {
        let opened = open_model(bytes.clone(), Some(&config), &of_length(length));
        let (_, model) = opened.expect("it opens");
        assert_near(rotary(&model), expected, 1e-12);
        let text = note(&model, "Divided angles");
        assert!(text.is_some_and(|text| text.contains(words)), "{text:?}");
    }
}

#[test]
fn longrope_and_dynamic_angles_follow_the_length_of_the_text() {
    let head = json!({"hidden_size": 8, "num_attention_heads": 1, "rope_theta": 1e4,
        "max_position_embeddings": 200, "original_max_position_embeddings": 100});
    let config = |scaling: Value| {
        let mut config = head.clone();
        config["rope_scaling"] = scaling;
        parse_config(&config)
    };
    let plain = RotaryAngles::new(8, 1e4).frequencies(1);
    let quotients = |divisors: [f64; 4]| -> Vec<f64> {
        plain
            .iter()
            .zip(divisors)
            .map(|(angle, divisor)| angle / divisor)
            .collect()
    };
    // The older name of the kind, as in the first Phi-3.
    let lists = config(json!({"type": "su", "short_factor": [1.0, 1.0, 1.0, 1.5],
        "long_factor": [1.0, 2.0, 3.0, 4.0]}));
    let (_, short) = with(&lists, &of_length(100));
    assert_near(rotary(&short), &quotients([1.0, 1.0, 1.0, 1.5]), 1e-12);
    let (_, long) = with(&lists, &of_length(101));
    assert_near(rotary(&long), &quotients([1.0, 2.0, 3.0, 4.0]), 1e-12);
    let text = note(&long, "Stretched angles").expect("a note");
    // √(1 + ln 2 / ln 100).
    assert!(
        text.contains("100 tokens") && text.contains("1.0726"),
        "{text}"
    );
    let dynamic = config(json!({"type": "dynamic", "factor": 2.0}));
    let (_, short) = with(&dynamic, &of_length(200));
    assert_near(rotary(&short), &plain, 1e-12);
    // s·n/L − (s − 1) = 2·300/200 − 1 = 2.
    let (_, long) = with(&dynamic, &of_length(300));
    assert_plain(&long, 8, 1e4 * 2_f64.powf(8.0 / 6.0));
    let fixed = config(json!({"type": "dynamic", "alpha": 1000.0, "factor": 1.0}));
    assert_plain(
        &with(&fixed, &of_length(9)).1,
        8,
        1e4 * 1000_f64.powf(8.0 / 6.0),
    );
}

#[test]
fn impossible_changes_of_angles_are_refused_with_a_sentence() {
    let head = json!({"hidden_size": 8, "num_attention_heads": 1, "rope_theta": 1e4,
        "max_position_embeddings": 200});
    for (scaling, words) in [
        (json!({"type": "linear"}), "“factor” is missing"),
        (json!({"type": "linear", "factor": 0.0}), "“factor” is 0"),
        (json!({"type": "yarn", "factor": -4.0}), "“factor” is -4"),
        (
            json!({"type": "llama3", "factor": 1e30, "low_freq_factor": 1, "high_freq_factor": 4}),
            "“factor” is 1000000",
        ),
        (
            json!({"type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 4}),
            "“high_freq_factor” is 4",
        ),
        (
            json!({"type": "llama3", "factor": 8}),
            "“low_freq_factor” is missing",
        ),
        (
            json!({"type": "longrope", "short_factor": [1.0], "long_factor": [1.0]}),
            "“short_factor” has 1 numbers",
        ),
        (
            json!({"type": "longrope", "short_factor": [1, 1, 1, 1], "long_factor": [1, 1, 1, 0]}),
            "“long_factor” has 0",
        ),
        (
            json!({"type": "dynamic", "factor": 2, "original": 3, "alpha": -1}),
            "“alpha” is -1",
        ),
        (json!({"type": "zigzag", "factor": 2}), "does not know"),
    ] {
        let mut config = head.clone();
        config["rope_scaling"] = scaling.clone();
        let (_, model) = with(&parse_config(&config), &ModelOptions::default());
        assert_plain(&model, 8, 1e4);
        let text = note(&model, "Stretched angles").expect("a note");
        assert!(text.contains(words), "{scaling}: {text}");
    }
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
    assert_plain(&model, 32, 1e4);
}
