//! Angles of every layer of rotary models: those of the transformers library (`rotary-layers.json`), and configurations
//! that contradict themselves.

use std::collections::BTreeMap;

use diagonal::model::{
    AttentionPositions, Config, LayerAngles, ModelOptions, RotaryAxis, RotaryDescription,
};
use serde_json::{Value, json};

use crate::support::models::{data, open_model};

fn describe(config: &Value) -> Option<RotaryDescription> {
    RotaryDescription::from_config(&Config::read_leniently(&config.to_string()))
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().filter_map(Value::as_f64).collect()
}

fn is_near(angles: &LayerAngles, length: usize, expected: &[f64]) -> bool {
    let found = angles.tensors.angles.frequencies(length);
    let is_near = |(found, expected): (&f64, &f64)| (found - expected).abs() <= 1e-12 * expected;
    found.len() == expected.len() && found.iter().zip(expected).all(is_near)
}

#[test]
fn every_layer_has_the_angles_of_the_library() {
    let text = std::fs::read_to_string(data("rotary-layers.json")).expect("angles");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let cases = all["cases"].as_object().expect("cases");
    assert!(cases.len() >= 60, "{}", cases.len());
    for (name, case) in cases {
        let found = describe(&case["config"]).unwrap_or_else(|| panic!("{name}: no angles"));
        let length = case["length"].as_u64().expect("a length") as usize;
        let layers = case["layers"].as_array().expect("layers");
        assert_eq!(found.layers.len(), layers.len(), "{name}");
        let angles: BTreeMap<&str, Vec<f64>> = case["angles"]
            .as_object()
            .expect("angles")
            .iter()
            .map(|(kind, list)| (kind.as_str(), numbers(list)))
            .collect();
        for (at, expected) in layers.iter().enumerate() {
            let found = found.layer_angles(at);
            match (found, expected.as_str()) {
                (None, None) => {}
                (Some(found), Some(kind)) => {
                    let expected = &angles[kind];
                    assert!(is_near(found, length, expected), "{name}, layer {at}");
                    let factor = case["factor"][kind].as_f64().expect("a factor");
                    let difference = (found.tensors.attention_factor() - factor).abs();
                    assert!(difference <= 1e-12 * factor, "{name}, layer {at}");
                    if let Some(order) = case["axes"][kind].as_array() {
                        let order: Vec<_> = order.iter().map(|axis| axis.as_u64()).collect();
                        let found: Vec<_> =
                            found.axes.iter().map(|axis| axis_number(*axis)).collect();
                        assert_eq!(found, order, "{name}");
                    }
                }
                _ => panic!("{name}, layer {at}: {found:?} for {expected}"),
            }
        }
    }
}

fn axis_number(axis: RotaryAxis) -> Option<u64> {
    Some(match axis {
        RotaryAxis::Time => 0,
        RotaryAxis::Row => 1,
        RotaryAxis::Column => 2,
    })
}

/// A rotary configuration with some entries added or replaced.
fn with(entries: Value) -> Value {
    let mut config = json!({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
        "num_hidden_layers": 3, "max_position_embeddings": 2048, "rope_theta": 1e4});
    for (key, value) in entries.as_object().expect("entries") {
        config[key] = value.clone();
    }
    config
}

/// `convert_rope_params_to_dict` of transformers 5: `rope_scaling or rope_parameters`, and a base outside of both.
#[test]
fn of_two_sections_the_older_alone_counts() {
    let newer =
        json!({"rope_type": "yarn", "factor": 8, "rope_theta": 5e5, "partial_rotary_factor": 0.5});
    let older = json!({"type": "linear", "factor": 4});
    let with_base = json!({"type": "linear", "factor": 4, "rope_theta": 3e4});
    for older in [older, with_base] {
        let both = describe(&with(
            json!({"rope_parameters": newer, "rope_scaling": older}),
        ));
        let alone = describe(&with(json!({"rope_scaling": older})));
        let angles = |of: &Option<RotaryDescription>| {
            let layers = &of.as_ref().expect("angles").layers;
            assert_eq!(layers.len(), 3);
            of.as_ref()
                .and_then(|of| of.layer_angles(2))
                .expect("a layer")
                .tensors
                .angles
                .frequencies(4096)
        };
        assert_eq!(angles(&both), angles(&alone), "{older}");
    }
    // An empty section is none.
    let newer = json!({"rope_type": "linear", "factor": 8, "rope_theta": 5e5});
    let both = describe(&with(
        json!({"rope_parameters": newer, "rope_scaling": null}),
    ));
    let found = both.expect("angles");
    let slow = found
        .layer_angles(0)
        .expect("a layer")
        .tensors
        .angles
        .frequencies(64);
    assert!((slow[0] - 1.0 / 8.0).abs() < 1e-15, "{slow:?}");
}

#[test]
fn lengths_are_those_of_training_and_of_the_claim() {
    for (entries, trained, claimed) in [
        (json!({}), Some(2048.0), Some(2048.0)),
        (
            json!({"rope_scaling": {"type": "yarn", "factor": 4, "original_max_position_embeddings": 512}}),
            Some(512.0),
            Some(2048.0),
        ),
        (
            json!({"original_max_position_embeddings": 1024, "rope_scaling": {"type": "yarn", "factor": 2}}),
            Some(1024.0),
            Some(2048.0),
        ),
        // A linear change may have been trained with, so that nothing is known.
        (
            json!({"rope_scaling": {"type": "linear", "factor": 4}}),
            None,
            Some(2048.0),
        ),
        (
            json!({"max_position_embeddings": null, "n_positions": 300}),
            Some(300.0),
            Some(300.0),
        ),
        (json!({"max_position_embeddings": -4}), None, None),
    ] {
        let found = describe(&with(entries.clone())).expect("angles");
        assert_eq!(
            (found.trained_length, found.claimed_length),
            (trained, claimed),
            "{entries}"
        );
    }
}

#[test]
fn hostile_configurations_have_bounded_layers_and_pairs() {
    for entries in [
        json!({"num_hidden_layers": u32::MAX}),
        json!({"num_hidden_layers": 5000, "layer_types": vec!["full_attention"; 20_000]}),
        json!({"block_types": ["attention"], "num_hidden_layers": 4096}),
        json!({"head_dim": u32::MAX}),
        json!({"head_dim": 1}),
        json!({"partial_rotary_factor": -3.0}),
        json!({"partial_rotary_factor": 1e300}),
        json!({"rope_parameters": (0..100).map(|at| (at.to_string(), json!({"rope_theta": 1e4})))
            .collect::<serde_json::Map<_, _>>()}),
        json!({"layer_rope_theta": (0..200).map(|at| 1e4 + f64::from(at)).collect::<Vec<_>>()}),
        json!({"per_layer_config": {"x": {"head_dim": 7}, "99999999999999999999": {"head_dim": 7}}}),
        json!({"sliding_window_pattern": "", "model_type": "exaone4"}),
        json!({"sliding_window_pattern": "ÄÖ", "model_type": "exaone4"}),
        json!({"mrope_section": [u32::MAX, u32::MAX, u32::MAX], "mrope_interleaved": true}),
        json!({"rope_theta": 1e300}),
        json!({"rope_theta": 0}),
    ] {
        let Some(found) = describe(&with(entries.clone())) else {
            continue;
        };
        assert!(
            found.layers.len() <= RotaryDescription::MOST_LAYERS,
            "{entries}"
        );
        assert!(found.angles.len() <= 8, "{entries}");
        for (at, layer) in found.layers.iter().enumerate() {
            assert!(layer.angles.is_none_or(|index| index < found.angles.len()));
            assert_eq!(found.layer_angles(at).is_some(), layer.angles.is_some());
        }
        for angles in &found.angles {
            let pairs = angles.tensors.angles.pairs;
            assert!((1..=2048).contains(&pairs), "{entries}: {pairs}");
            assert_eq!(angles.tensors.angles.frequencies(10).len(), pairs);
            assert!(angles.axes.is_empty() || angles.axes.len() == pairs);
        }
    }
}

#[test]
fn models_without_rotation_have_no_description() {
    for config in [
        json!({"model_type": "bert", "hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 512}),
        json!({"model_type": "gpt2", "n_embd": 64, "n_head": 4}),
        json!({"model_type": "t5", "d_model": 64, "num_heads": 4}),
        json!({"model_type": "falcon", "alibi": true, "hidden_size": 64, "num_attention_heads": 4}),
        json!({}),
    ] {
        assert_eq!(describe(&config), None, "{config}");
    }
}

#[test]
fn a_refused_change_keeps_its_sentence() {
    let config = with(json!({"rope_scaling": {"type": "linear", "factor": 0}}));
    let found = describe(&config).expect("angles");
    let angles = &found.angles[0];
    assert!(!angles.is_scaled());
    assert!(
        angles
            .scaling
            .as_ref()
            .is_some_and(|text| text.contains("“factor” is 0"))
    );
    assert_eq!(
        angles.tensors.angles.without_extension(),
        angles.tensors.angles
    );
}

#[test]
fn an_interleaved_model_gives_rows_and_columns_every_third_pair() {
    let config = with(json!({"model_type": "x", "head_dim": 16,
        "rope_scaling": {"type": "mrope", "mrope_section": [4, 2, 2], "mrope_interleaved": true}}));
    let found = describe(&config).expect("angles");
    let axes: Vec<_> = found.angles[0]
        .axes
        .iter()
        .map(|axis| axis_number(*axis))
        .collect();
    let expected = [0, 1, 2, 0, 1, 2, 0, 0].map(Some);
    assert_eq!(axes, expected);
}

/// Blocks rotate by the angles of the description, also where every layer has a base of its own.
#[test]
fn blocks_have_the_angles_of_their_layers() {
    let bases = json!([10_000.0, 500_000.0]);
    for (folder, entry) in [
        ("llama", None),
        ("llama", Some(("layer_rope_theta", bases))),
        ("llama-yarn", None),
        ("qwen2", None),
        ("gemma3", None),
        ("gpt-neox", None),
        ("modernbert", None),
        ("smollm3", None),
    ] {
        let path = data("forward").join(folder);
        let text = std::fs::read_to_string(path.join("config.json")).expect(folder);
        let mut config: Value = serde_json::from_str(&text).expect(folder);
        if let Some((key, value)) = entry {
            config[key] = value;
        }
        let config = Config::parse(&config.to_string()).expect(folder);
        let bytes = std::fs::read(path.join("model.safetensors")).expect(folder);
        let (_, model) = open_model(bytes, Some(&config), &ModelOptions::default()).expect(folder);
        let rotary = model.rotary().expect(folder);
        let blocks = &model.description().expect(folder).blocks;
        assert_eq!(blocks.len(), rotary.layers.len(), "{folder}");
        for (at, block) in blocks.iter().enumerate() {
            let found = match &block.attention.positions {
                AttentionPositions::Rotation(rotation) => Some(&rotation.tensors),
                _ => None,
            };
            let expected = rotary.layer_angles(at).map(|angles| &angles.tensors);
            assert_eq!(found, expected, "{folder}, layer {at}");
        }
    }
}
