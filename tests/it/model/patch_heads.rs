//! Heads that rotate patches: scores of what all patches share of queries and keys, against the models' own libraries
//! (`patch-heads`), and files that have none.

use diagonal::model::{HeadsSource, LayerScores, ModelOptions, PositionKind};
use pollster::block_on;
use serde_json::Value;
use std::collections::BTreeSet;

use crate::support::models::{ModelVersion, bytes, config, data, note, open_model, plainly};

/// Every folder, with the source that rotates patches.
const FOLDERS: [(&str, &str); 11] = [
    ("dinov3", "positions"),
    ("llama4", "vision"),
    ("pixtral", "positions"),
    ("qwen2-5-vl", "vision"),
    ("qwen2-vl", "vision"),
    ("qwen3-vl", "vision"),
    ("timm-axial", "positions"),
    ("timm-dinov3", "positions"),
    ("timm-eva02", "rotation"),
    ("timm-mixed", "positions"),
    ("timm-pe", "rotation"),
];

fn golden(folder: &str) -> Value {
    let text = std::fs::read_to_string(data(&format!("patch-heads/{folder}/golden.json")));
    serde_json::from_str(&text.expect(folder)).expect(folder)
}

fn open_source(folder: &str, source: &str) -> ModelVersion {
    let path = format!("patch-heads/{folder}");
    let choice = ModelOptions {
        source: Some(source.to_owned()),
        ..ModelOptions::default()
    };
    open_model(bytes(&path), Some(&config(&path)), &choice).expect(folder)
}

#[test]
fn scores_are_those_of_rotated_shared_parts_in_every_library() {
    let folders = std::fs::read_dir(data("patch-heads")).expect("folders");
    let names = folders.map(|entry| entry.expect("an entry").file_name());
    let names: BTreeSet<String> = names.map(|name| name.to_string_lossy().into()).collect();
    assert_eq!(
        names,
        FOLDERS.iter().map(|(name, _)| (*name).into()).collect()
    );
    for (folder, source) in FOLDERS {
        let golden = golden(folder);
        let (checkpoint, model) = open_source(folder, source);
        assert_eq!(model.positions.kind(), PositionKind::Patches, "{folder}");
        let number = |key: &str| golden[key].as_u64().expect(key) as usize;
        assert_eq!(model.layers, number("layers"), "{folder}");
        assert_eq!(model.heads.count as usize, number("heads"), "{folder}");
        if model.layers == 0 {
            continue;
        }
        assert_eq!(model.heads.source, HeadsSource::Config, "{folder}");
        assert!(note(&model, "Heads").is_some(), "{folder}");
        let layers: Vec<LayerScores> = (0..model.layers)
            .map(|layer| block_on(model.read_offset_scores(&checkpoint, layer, None)))
            .collect::<Result<_, _>>()
            .expect(folder);
        let grid = model.positions.grid().expect(folder);
        let cells = golden["scores"].as_array().expect(folder);
        assert!(cells.len() >= 24, "{folder}");
        let mut is_varied = false;
        for cell in cells {
            let at = |index: usize| cell[index].as_u64().expect(folder) as usize;
            let expected = cell[6].as_f64().expect(folder);
            let place = |y: usize, x: usize| y * grid.width + x;
            let scores = layers[at(0)].head(at(1));
            let (query, key) = (place(at(2), at(3)), place(at(4), at(5)));
            let found = scores.rows(query..query + 1)[(0, key)];
            let error = (f64::from(found) - expected).abs();
            assert!(
                error < 1e-6 * expected.abs().max(1.0),
                "{folder}: {found} for {expected}"
            );
            is_varied |= expected.abs() > 1e-3;
        }
        assert!(is_varied, "{folder}");
    }
}

/// A table beside the rotation is still opened first, under its own name.
#[test]
fn a_rotation_beside_a_table_is_a_source_of_its_own() {
    for folder in ["timm-eva02", "timm-pe"] {
        let path = format!("patch-heads/{folder}");
        let (_, model) = plainly(bytes(&path), Some(&config(&path)));
        assert_eq!(model.positions.kind(), PositionKind::Table, "{folder}");
        let ids: Vec<&str> = model.sources.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["positions", "rotation"], "{folder}");
    }
}

/// Notes say where the shared part comes from.
#[test]
fn notes_name_the_biases() {
    for (folder, source, words) in [
        ("dinov3", "positions", "keys have none"),
        ("timm-eva02", "rotation", "keys have none"),
        ("qwen2-vl", "vision", "plus their own biases"),
        ("qwen2-5-vl", "vision", "the biases of queries and keys"),
    ] {
        let (_, model) = open_source(folder, source);
        let text = note(&model, "Heads").expect(folder);
        assert!(text.contains(words), "{folder}: {text}");
    }
    let (_, model) = open_source("qwen2-5-vl", "vision");
    assert!(note(&model, "Windows").is_some());
    let (_, model) = open_source("qwen2-vl", "vision");
    assert!(note(&model, "Windows").is_none());
}

/// Queries that cannot be cut into heads of the angles' width are refused in a sentence, and positions are still shown.
#[test]
fn queries_that_do_not_fit_the_angles_give_no_heads() {
    let path = "patch-heads/dinov3";
    let text = std::fs::read_to_string(data(path).join("config.json")).expect("a configuration");
    let other = text.replace("\"num_attention_heads\": 2", "\"num_attention_heads\": 1");
    assert_ne!(text, other);
    // Heads of 24 columns do not divide 32.
    let other = other.replace("\"hidden_size\": 32", "\"hidden_size\": 24");
    let config = diagonal::model::Config::parse(&other).expect("a configuration");
    let (_, model) = plainly(bytes(path), Some(&config));
    assert_eq!((model.layers, model.heads.count), (0, 0));
    let text = note(&model, "No heads").expect("a note");
    assert!(text.contains("24 columns"), "{text}");
}
