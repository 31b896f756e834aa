//! Layouts with their own arrangement of scores, against NumPy: `MaxViT`, `LeViT`, Transformer-XL and `XLNet`
//! (`tests/data/make/other_layouts.py`).

use diagonal::{
    checkpoint::{Checkpoint, MemorySource},
    math::Scores,
    model::{Config, LayerScores, ModelOptions, PositionModel},
};
use pollster::block_on;
use serde_json::Value;

use super::of_source;
use crate::{
    model::model_golden::json,
    support::models::{data, f32s, open_model, plainly, tensors, write},
};

fn open(folder: &str, choice: &ModelOptions) -> (Checkpoint<MemorySource>, PositionModel) {
    let folder = data("layouts").join(folder);
    let bytes = std::fs::read(folder.join("model.safetensors")).expect("a file");
    let config = std::fs::read_to_string(folder.join("config.json")).ok();
    let config = config.map(|text| Config::parse(&text).expect("a configuration"));
    open_model(bytes, config.as_ref(), choice).expect("it opens")
}

fn layer(checkpoint: &Checkpoint<MemorySource>, model: &PositionModel) -> LayerScores {
    let inputs = match model.needs_inputs() {
        true => Some(block_on(model.read_inputs(checkpoint, |_, _| ())).expect("inputs")),
        false => None,
    };
    block_on(model.read_offset_scores(checkpoint, 0, inputs.as_ref())).expect("scores")
}

#[test]
fn windows_of_every_arrangement_are_numpys() {
    for (folder, family) in [("maxvit", "MaxViT"), ("levit", "LeViT")] {
        let (checkpoint, model) = open(folder, &ModelOptions::default());
        assert_eq!(model.family, family);
        let scores = layer(&checkpoint, &model);
        let expected = json(&format!("layouts/{folder}/expected.json"));
        let heads = expected["bias"].as_array().expect("heads");
        assert_eq!(model.heads.count as usize, heads.len());
        for (head, rows) in heads.iter().enumerate() {
            let Scores::Grid(bias) = scores.head(head) else {
                panic!("{folder}: no window");
            };
            let rows = rows.as_array().expect("rows");
            assert_eq!(bias.n(), rows.len(), "{folder}");
            for (query, row) in rows.iter().enumerate() {
                for (key, score) in row.as_array().expect("cells").iter().enumerate() {
                    let (cell, golden) = (bias.cell(query, key), score.as_f64().expect("a number"));
                    // The reader of JSON rounds the last digit.
                    assert!((cell - golden).abs() < 1e-15, "{folder}, {query}, {key}");
                }
            }
        }
    }
}

/// Largest difference of scores by offset, which are sums of few products in single precision.
const TOLERANCE: f64 = 1e-6;

fn profile(scores: &LayerScores, head: usize, offset: i64) -> f64 {
    let Scores::Toeplitz(f) = scores.head(head) else {
        panic!("scores by offset");
    };
    // The file has query minus key.
    f.at(-offset).expect("an offset")
}

#[test]
fn the_four_terms_of_transformer_xl_and_xlnet_are_numpys() {
    for (folder, prefix) in [("xlnet", "XLNet"), ("transformer-xl", "Transformer-XL")] {
        let expected = json(&format!("layouts/{folder}/expected.json"));
        let offsets: Vec<i64> = (expected["offsets"].as_array().expect("offsets").iter())
            .filter_map(Value::as_i64)
            .collect();
        let terms = expected["terms"].as_object().expect("terms");
        let (all_checkpoint, all) = open(folder, &ModelOptions::default());
        assert_eq!((all.source.as_str(), all.sources.len()), ("all", 5));
        assert!(all.notes[0].text.contains(prefix), "{:?}", all.notes[0]);
        let all = layer(&all_checkpoint, &all);
        for head in 0..3 {
            for (at, offset) in offsets.iter().enumerate() {
                let mut sum = 0.0;
                for (term, values) in terms {
                    let (checkpoint, model) = open(folder, &of_source(term));
                    let score = profile(&layer(&checkpoint, &model), head, *offset);
                    let golden = values[head][at].as_f64().expect("a number");
                    sum += golden;
                    let what =
                        format!("{folder}, {term}, head {head}, {offset}: {score}, {golden}");
                    assert!((score - golden).abs() < TOLERANCE, "{what}");
                }
                let score = profile(&all, head, *offset);
                assert!(
                    (score - sum).abs() < TOLERANCE,
                    "{folder}, all, {offset}: {score}, {sum}"
                );
            }
        }
    }
}

#[test]
fn a_map_of_offsets_to_another_width_gets_a_sentence() {
    let mut all = tensors("layouts/transformer-xl");
    let mut names = all.keys();
    let name = names
        .find(|name| name.ends_with("layers.0.dec_attn.r_net.weight"))
        .expect("a map")
        .clone();
    let [outputs, inputs] = all[&name].shape[..] else {
        panic!("a matrix");
    };
    all.insert(name, f32s(&[outputs + 1, inputs], |at| at as f32));
    let (checkpoint, model) = plainly(write(&all), None);
    let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
    let scores = block_on(model.read_offset_scores(&checkpoint, 0, Some(&inputs)));
    let error = scores.map(drop).expect_err("another width").to_string();
    assert!(error.contains("should be a map from"), "{error}");
}

#[test]
fn norms_of_transformer_engine_stand_with_the_map_after_them() {
    let stem = "model.decoder.layers.0.self_attention.linear_qkv.";
    let number = |at: usize| (at as f32).sin();
    let file = [
        (
            "model.embedding.position_embeddings.weight".to_owned(),
            f32s(&[6, 4], number),
        ),
        (format!("{stem}weight"), f32s(&[12, 4], number)),
        (format!("{stem}bias"), f32s(&[12], number)),
        (
            format!("{stem}layer_norm_weight"),
            f32s(&[4], |at| 2.0 + at as f32),
        ),
        (format!("{stem}layer_norm_bias"), f32s(&[4], number)),
    ];
    let (checkpoint, model) = plainly(write(&file.into()), None);
    assert_eq!((model.family, model.layers), ("Megatron", 1));
    let layer = block_on(model.read_layer(&checkpoint, 0)).expect("a layer");
    let norm = layer.norm.expect("a norm");
    assert_eq!(norm.weight, [2.0, 3.0, 4.0, 5.0]);
    assert_eq!(norm.bias, [0, 1, 2, 3].map(number));
}

#[test]
fn windows_of_impossible_shapes_get_a_sentence() {
    let maxvit = "stages.0.blocks.0.attn_block.attn.rel_pos.relative_position_bias_table";
    let levit = "stages.0.blocks.0.attn.attention_biases";
    for (name, shape) in [
        (maxvit, &[2, 4, 5][..]),
        (maxvit, &[2, 25]),
        (maxvit, &[0, 3, 3]),
        (levit, &[2, 8]),
        (levit, &[2, 3, 3]),
        (levit, &[9, 0]),
    ] {
        let file = write(&[(name.to_owned(), f32s(shape, |at| at as f32))].into());
        let error = open_model(file, None, &ModelOptions::default()).map(drop);
        let error = error.expect_err("no window").to_string();
        assert!(error.contains("should be"), "{name}, {shape:?}: {error}");
    }
    // A later layer of another shape.
    let second = maxvit.replace("blocks.0", "blocks.1");
    let file = write(
        &[
            (maxvit.to_owned(), f32s(&[2, 3, 5], |at| at as f32)),
            (second, f32s(&[2, 5, 3], |at| at as f32)),
        ]
        .into(),
    );
    let (checkpoint, model) = plainly(file, None);
    assert!(block_on(model.read_offset_scores(&checkpoint, 0, None)).is_ok());
    let error = block_on(model.read_offset_scores(&checkpoint, 1, None)).map(drop);
    assert!(
        error
            .expect_err("another window")
            .to_string()
            .contains("should be")
    );
}

#[test]
fn axial_tables_get_a_sentence_and_can_be_chosen() {
    let stem = "reformer.embeddings.position_embeddings.weights.";
    let file = write(
        &[
            (format!("{stem}0"), f32s(&[8, 1, 4], |at| (at as f32).sin())),
            (format!("{stem}1"), f32s(&[1, 6, 4], |at| (at as f32).cos())),
        ]
        .into(),
    );
    let error = open_model(file.clone(), None, &ModelOptions::default()).map(drop);
    let error = error.expect_err("two tables");
    assert!(error.is_answered_by_choice());
    assert!(error.to_string().contains("axial"), "{error}");
    for (number, rows) in [(0, 8), (1, 6)] {
        let choice = ModelOptions {
            table: Some(format!("{stem}{number}")),
            ..ModelOptions::default()
        };
        let (_, model) = open_model(file.clone(), None, &choice).expect("a table");
        assert_eq!(model.table().expect("a table").nrows(), rows);
    }
}

#[test]
fn of_a_large_image_whole_rows_of_patches_are_read() {
    // 150 × 150 patches, more than are read.
    let file = write(
        &[
            (
                "pos_embed".to_owned(),
                f32s(&[1, 22_500, 2], |at| (at as f32).sin()),
            ),
            (
                "x_embedder.proj.weight".to_owned(),
                f32s(&[2, 1, 2, 2], |_| 1.0),
            ),
        ]
        .into(),
    );
    let (_, model) = plainly(file, None);
    let grid = model.positions.grid().expect("a grid");
    assert_eq!((grid.height, grid.width), (16_384 / 150, 150));
    assert_eq!(model.table().expect("a table").nrows(), grid.cells());
}
