//! Angles by rows and columns of patches: those of the transformers library and of timm (`rotary-grids.json`), the
//! sources of vision towers, and files and configurations that contradict themselves.

use diagonal::{
    checkpoint::{Checkpoint, MemorySource},
    math::Grid,
    model::{
        Config, ModelOptions, PatchFrequencies, PatchRotation, PositionKind, PositionModel,
        RotaryDescription, rotary_findings::check,
    },
};
use pollster::block_on;
use serde_json::{Value, json};

use crate::{
    checkpoint::checkpoints::open,
    support::models::{Tensors, data, f32s, note, open_model, write},
};

fn parse(config: &Value) -> Config {
    Config::read_leniently(&config.to_string())
}

fn cases() -> serde_json::Map<String, Value> {
    let text = std::fs::read_to_string(data("rotary-grids.json")).expect("angles");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    all["cases"].as_object().expect("cases").clone()
}

/// [θ^y, θ^x] of each pair.
fn pairs(list: &Value) -> Vec<[f64; 2]> {
    let list = list.as_array().expect("pairs").iter();
    list.map(|pair| [0, 1].map(|axis| pair[axis].as_f64().expect("a number")))
        .collect()
}

fn assert_near(frequencies: &[[f64; 2]], expected: &[[f64; 2]], name: &str) {
    assert_eq!(frequencies.len(), expected.len(), "{name}");
    for (pair, (both, expected)) in frequencies.iter().zip(expected).enumerate() {
        for axis in 0..2 {
            let difference = (both[axis] - expected[axis]).abs();
            let is_near = difference <= 1e-12 * expected[axis].abs().max(1e-3);
            assert!(is_near, "{name}, {pair}: {both:?} for {expected:?}");
        }
    }
}

/// A file with the tensors of a case; without any, one that says nothing of positions.
fn tensors(case: &Value) -> Tensors {
    let mut tensors = Tensors::new();
    tensors.insert("head.bias".to_owned(), f32s(&[2], |_| 0.0));
    for (name, tensor) in case["tensors"].as_object().into_iter().flatten() {
        let shape = tensor["shape"].as_array().expect("a shape").iter();
        let shape: Vec<usize> = shape.filter_map(|n| Some(n.as_u64()? as usize)).collect();
        let numbers = tensor["numbers"].as_array().expect("numbers");
        let stored = f32s(&shape, |at| numbers[at].as_f64().expect("a number") as f32);
        tensors.insert(name.clone(), stored);
    }
    tensors
}

fn grid(sides: &Value) -> Option<Grid> {
    let side = |at: usize| Some(sides.get(at)?.as_u64()? as usize);
    Some(Grid {
        height: side(0)?,
        width: side(1)?,
    })
}

#[test]
fn every_pair_has_the_angles_of_its_library() {
    let cases = cases();
    assert!(cases.len() >= 30, "{}", cases.len());
    for (name, case) in &cases {
        let checkpoint: Checkpoint<MemorySource> = open(write(&tensors(case))).expect(name);
        let config = parse(&case["config"]);
        let rotation = match case["tensors"].is_null() {
            true => PatchRotation::from_config(&config),
            false => {
                let choice = ModelOptions::default();
                let model = block_on(PositionModel::open(&checkpoint, Some(&config), &choice));
                model.expect(name).patch_rotation().cloned()
            }
        };
        let rotation = rotation.unwrap_or_else(|| panic!("{name}: no rotation"));
        if let Some(grid) = grid(&case["patches"]) {
            assert_eq!(rotation.grid, Some(grid), "{name}");
        }
        let layers = block_on(rotation.read(&checkpoint)).expect(name);
        if let PatchFrequencies::Learned(_) = rotation.frequencies {
            let expected = case["pairs"].as_array().expect("layers");
            assert_eq!(layers.len(), expected.len(), "{name}");
            for (layer, expected) in layers.iter().zip(expected) {
                let heads = expected.as_array().expect("heads");
                assert_eq!(layer.heads, heads.len(), "{name}");
                let expected: Vec<_> = heads.iter().flat_map(pairs).collect();
                assert_near(&layer.frequencies, &expected, name);
            }
        } else {
            let [layer] = &layers[..] else {
                panic!("{name}: {}", layers.len());
            };
            assert_eq!(layer.heads, 1, "{name}");
            assert_near(&layer.frequencies, &pairs(&case["pairs"]), name);
        }
    }
}

#[test]
fn configurations_open_as_images_or_with_a_vision_tower() {
    for (name, case) in cases() {
        if !case["tensors"].is_null() {
            continue;
        }
        let config = parse(&case["config"]);
        let bytes = write(&tensors(&case));
        let (_, model) = open_model(bytes.clone(), Some(&config), &ModelOptions::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let is_part = case["config"]["vision_config"].is_object();
        assert_eq!(
            RotaryDescription::from_config(&config).is_some(),
            is_part,
            "{name}"
        );
        if is_part {
            // The text comes first, under the name that it has without a tower.
            let ids: Vec<&str> = model.sources.iter().map(|(id, _)| id.as_str()).collect();
            assert_eq!(ids, ["positions", "vision"], "{name}");
            assert!(
                model.rotary().is_some() && model.patch_rotation().is_none(),
                "{name}"
            );
        } else {
            assert_eq!(check(&config), [], "{name}");
        }
        let choice = ModelOptions {
            source: is_part.then(|| "vision".to_owned()),
            ..ModelOptions::default()
        };
        let (_, model) = open_model(bytes, Some(&config), &choice).expect(&name);
        assert_eq!(model.positions.kind(), PositionKind::Patches, "{name}");
        assert!(note(&model, "Angles by row and column").is_some(), "{name}");
        let grid = model.positions.grid().expect(&name);
        let rows = model.positions.rows().expect(&name).into_owned();
        assert_eq!(rows.nrows(), grid.cells(), "{name}");
        assert!(grid.height <= 32 && grid.width <= 32, "{name}");
        // The inner product of two patches depends on the offset in rows and columns alone.
        let product = |i: usize, j: usize| rows.row(i).dot(&rows.row(j));
        let (width, last) = (grid.width, grid.cells() - 1);
        let difference = product(0, width + 1) - product(last - width - 1, last);
        assert!(difference.abs() < 1e-3, "{name}: {difference}");
        let pairs = rows.ncols() / 2;
        assert!((product(0, 0) - pairs as f32).abs() < 1e-3, "{name}");
    }
}

/// EVA-02 has a table of positions as well.
#[test]
fn a_table_beside_a_rotation_is_opened_with_its_angles() {
    let config = parse(
        &json!({"architecture": "vit_small_patch16_rope_ape_224.naver_in1k", "num_features": 64,
        "pretrained_cfg": {"input_size": [3, 64, 64]}}),
    );
    let mut all = Tensors::new();
    let mut insert = |name: &str, shape: &[usize]| {
        let number = |at: usize| ((at * 7919) % 1009) as f32 / 1009.0 - 0.5;
        all.insert(name.to_owned(), f32s(shape, number));
    };
    insert("pos_embed", &[1, 17, 64]);
    insert("cls_token", &[1, 1, 64]);
    insert("patch_embed.proj.weight", &[64, 3, 16, 16]);
    insert("blocks.0.norm1.weight", &[64]);
    insert("blocks.0.norm1.bias", &[64]);
    insert("blocks.0.attn.qkv.weight", &[192, 64]);
    insert("blocks.0.attn.qkv.bias", &[192]);
    insert("blocks.0.attn.proj.weight", &[64, 64]);
    insert("blocks.0.mlp.fc1.weight", &[256, 64]);
    insert("blocks.0.mlp.fc2.weight", &[64, 256]);
    let (_, model) =
        open_model(write(&all), Some(&config), &ModelOptions::default()).expect("a model");
    assert_eq!(model.positions.kind(), PositionKind::Table);
    assert_eq!(model.sources.len(), 2, "{:?}", model.sources);
    let rotation = model.patch_rotation().expect("a rotation");
    assert_eq!(rotation.layers, 1);
    assert_eq!(rotation.grid, Grid::square(16));
    assert!(note(&model, "Rotary angles").is_some());
    // Its forward pass is not that of a plain ViT.
    assert!(model.description().is_none());
}

#[test]
fn hostile_configurations_and_tensors_are_refused_in_a_sentence() {
    let tower = |entries: Value| {
        let mut config =
            json!({"model_type": "dinov3_vit", "hidden_size": 64, "num_attention_heads": 4});
        for (key, value) in entries.as_object().expect("entries") {
            config[key] = value.clone();
        }
        config
    };
    for entries in [
        json!({"hidden_size": u32::MAX, "num_attention_heads": 1}),
        json!({"num_attention_heads": u32::MAX}),
        json!({"head_dim": 1}),
        json!({"head_dim": u32::MAX}),
    ] {
        assert_eq!(
            PatchRotation::from_config(&parse(&tower(entries.clone()))),
            None,
            "{entries}"
        );
    }
    for entries in [
        json!({"image_size": u32::MAX, "patch_size": 1}),
        json!({"image_size": 4, "patch_size": 16}),
        json!({"rope_theta": -3.0}),
        json!({"rope_theta": 1e300}),
        json!({"num_hidden_layers": u32::MAX}),
        json!({"head_dim": 7}),
    ] {
        let config = parse(&tower(entries.clone()));
        let bytes = write(&tensors(&json!({})));
        let Ok((checkpoint, model)) = open_model(bytes, Some(&config), &ModelOptions::default())
        else {
            continue;
        };
        let rotation = model.patch_rotation().expect("a rotation");
        let layers = block_on(rotation.read(&checkpoint)).expect("angles");
        assert!(layers[0].frequencies.len() <= 4096, "{entries}");
    }
    for (name, shape, number) in [
        ("rope.freqs", vec![2, 3, 2, 4], f32::NAN),
        ("rope.freqs", vec![3, 3, 2, 4], 1.0),
        ("rope.freqs", vec![2, 0, 2, 4], 1.0),
        ("rope.freqs", vec![2, 8], 1.0),
        ("rope_embed.periods", vec![2, 8], 1.0),
        ("rope_embed.periods", vec![4096], 1.0),
    ] {
        let mut all = Tensors::new();
        all.insert(name.to_owned(), f32s(&shape, |_| number));
        let config = parse(&json!({}));
        let opened = open_model(write(&all), Some(&config), &ModelOptions::default());
        assert!(opened.is_err(), "{name} {shape:?}");
    }
}
