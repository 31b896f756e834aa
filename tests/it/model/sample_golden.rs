//! The samples against golden numbers that numpy computed from the published weights, see `tests/data/make/presets.py`.
//! Maps of queries and keys, and tables without heads, have half precision.

use diagonal::{
    math::reference::toeplitz_r2,
    model::{Heads, HeadsSource, ModelOptions, PRESETS, Preset, ScoreMode},
};
use pollster::block_on;
use serde_json::Value;

use super::model_golden::{close, json, profile_is, scores};
use crate::support::models::{ModelVersion, data, open_model, plainly};

/// Samples with heads: the family, the layers with weights of their own, the width of hidden states, R² without k = 0 and
/// of all cells.
const WITH_HEADS: [(&str, &str, usize, usize, f64, f64); 2] = [
    ("rxnmapper", "ALBERT", 1, 256, 0.1979, 0.2151),
    ("sapiens-vh", "RoBERTa", 4, 128, 0.6123, 0.7003),
];

fn bytes(id: &str) -> Vec<u8> {
    let preset = Preset::find(id).expect("a preset");
    let file = data("../../www/presets").join(preset.file);
    std::fs::read(file).expect("the preset")
}

fn off_diagonal_r2(model: &ModelVersion) -> (f64, f64) {
    let e = model.1.table().expect("a table").mapv(f64::from);
    let p = e.dot(&e.t());
    let n = p.nrows();
    // Slow and obvious: the cells of a diagonal are replaced by their mean.
    let (mut rest, mut spread) = (0.0, 0.0);
    let cells = |k: usize| (0..n - k).map(move |i| (i, i + k));
    let off: Vec<f64> = (1..n).flat_map(|k| cells(k).map(|at| p[at])).collect();
    let mean = off.iter().sum::<f64>() / off.len() as f64;
    for k in 1..n {
        let mean_of_k = cells(k).map(|at| p[at]).sum::<f64>() / (n - k) as f64;
        rest += cells(k).map(|at| (p[at] - mean_of_k).powi(2)).sum::<f64>();
        spread += cells(k).map(|at| (p[at] - mean).powi(2)).sum::<f64>();
    }
    (1.0 - rest / spread, toeplitz_r2(&p))
}

fn table_holds(model: &ModelVersion, golden: &Value, tolerance: f64, what: &str) -> (f64, f64) {
    let table = model.1.table().expect("a table");
    assert_eq!(golden["positions"], table.nrows(), "{what}");
    assert_eq!(golden["width"], table.ncols(), "{what}");
    let r2 = off_diagonal_r2(model);
    close(r2.0, &golden["off_diagonal_r2"], tolerance, what);
    close(r2.1, &golden["inner_product_r2"], tolerance, what);
    r2
}

#[test]
fn tables_of_samples_hold_their_golden_numbers() {
    let golden = json("presets.golden.json");
    for preset in &PRESETS[1..] {
        let model = plainly(bytes(preset.id), None);
        let table = model.1.table().expect("a table");
        assert_eq!((table.nrows(), table.ncols()), preset.shape);
        // Rounding to half precision moves R² by less than figures print.
        let tolerance = if model.1.layers == 0 { 1e-5 } else { 1e-6 };
        table_holds(&model, &golden[preset.id]["table"], tolerance, preset.id);
    }
    let pretrained = plainly(bytes("rxnfp-pretrained"), None);
    assert_eq!((pretrained.1.family, pretrained.1.layers), ("BERT", 0));
}

#[test]
fn heads_of_samples_hold_their_golden_numbers() {
    let all = json("presets.golden.json");
    for (id, family, layers, hidden, r2, r2_of_all) in WITH_HEADS {
        let golden = &all[id];
        let version = plainly(bytes(id), None);
        let values = table_holds(&version, &golden["table"], 1e-6, id);
        assert!((values.0 - r2).abs() < 5e-5 && (values.1 - r2_of_all).abs() < 5e-5);
        let (checkpoint, model) = &version;
        assert_eq!(
            (model.family, model.layers, model.hidden_width),
            (family, layers, hidden)
        );
        let heads = Heads {
            count: 8,
            source: HeadsSource::Config,
        };
        assert_eq!(model.heads, heads);
        assert_eq!(checkpoint.metadata()["licence"], "MIT");
        let inputs = block_on(model.read_inputs(checkpoint, |_, _| ())).expect("inputs");
        for layer in 0..layers {
            let weights = block_on(model.read_layer(checkpoint, layer)).expect("layer");
            for (mode, name) in [
                (ScoreMode::Paper, "paper"),
                (ScoreMode::AsComputed, "as_computed"),
            ] {
                let states = inputs.hidden_states(model.table().expect("a table"), mode);
                for head in 0..8 {
                    let what = format!("{id}, layer {layer}, head {head}, {name}");
                    let golden = &golden["layers"][layer][head];
                    let a = scores(model, &states, &weights, head);
                    close(toeplitz_r2(&a), &golden[format!("{name}_r2")], 1e-3, &what);
                    profile_is(&a, &golden[format!("{name}_diagonal_mean")], 1e-3, &what);
                }
            }
        }
    }
}

/// The configuration in the metadata gives `RoBERTa` its padding row; without it, the names give the family and the row
/// of zeros the offset.
#[test]
fn the_converted_names_say_the_family() {
    let config = diagonal::model::Config::parse("{\"num_attention_heads\": 8}").expect("heads");
    let opened = open_model(bytes("sapiens-vh"), Some(&config), &ModelOptions::default());
    let (_, model) = opened.expect("a model");
    assert_eq!(model.family, "RoBERTa");
    assert_eq!(model.table().expect("a table").nrows(), 144);
}
