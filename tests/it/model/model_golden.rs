//! Every family against golden numbers from reference programs and the models' own libraries.

use std::collections::BTreeMap;

use diagonal::{
    checkpoint::{Checkpoint, MemorySource},
    math::{
        Scores,
        reference::{causal_toeplitz_r2, diagonal_mean, softmax, toeplitz_r2},
    },
    model::{
        Heads, HeadsSource, HiddenStates, InputStep, LayerWeights, ModelOptions, PositionModel,
        ScoreMode,
    },
};
use ndarray::{Array1, Array2, Axis, concatenate, s};
use pollster::block_on;
use serde_json::Value;

use crate::support::models::{ModelVersion, bytes, config, data, note, open_model, plainly};

pub(crate) fn json(path: &str) -> Value {
    let text = std::fs::read(data(path)).expect(path);
    serde_json::from_slice(&text).expect(path)
}

/// Scores of one head, as on the page.
pub(crate) fn scores(
    model: &PositionModel,
    states: &HiddenStates,
    weights: &LayerWeights,
    head: usize,
) -> Array2<f64> {
    let Scores::Product(a, _) = model.layer_scores(states, weights).head(head) else {
        panic!("queries meet keys");
    };
    Array2::from_shape_fn((a.n(), a.n()), |(i, j)| a.cell(i, j))
}

pub(crate) fn close(value: f64, golden: &Value, tolerance: f64, what: &str) -> f64 {
    let golden = golden.as_f64().expect(what);
    assert!(
        (value - golden).abs() <= tolerance,
        "{what}: {value}, golden {golden}"
    );
    (value - golden).abs()
}

/// Compares the diagonal means around k = 0, minus the mean of all cells, with a golden list. `tolerance` is a share of
/// the whole profile's range; returns the largest deviation as such a share.
pub(crate) fn profile_is(a: &Array2<f64>, golden: &Value, tolerance: f64, what: &str) -> f64 {
    let golden: Vec<f64> = golden
        .as_array()
        .expect(what)
        .iter()
        .filter_map(Value::as_f64)
        .collect();
    let (f, mean) = (diagonal_mean(a), a.mean().expect("cells"));
    let extreme = |pick: fn(f64, f64) -> f64| f.iter().copied().reduce(pick).expect("diagonals");
    let range = extreme(f64::max) - extreme(f64::min);
    let middle = a.nrows() - 1 - golden.len() / 2;
    let off = f[middle..]
        .iter()
        .zip(&golden)
        .map(|(found, golden)| (found - mean - golden).abs());
    let worst = off.fold(0.0, f64::max) / range;
    assert!(
        worst <= tolerance,
        "{what}: the profile is off by {worst:.1e} of its range"
    );
    worst
}

/// Folders, their sources with numbers of a table and of heads, and the tolerance of profiles.
pub(crate) const FOLDERS: &[(&str, &[&str], f64)] = &[
    ("bert", &["positions"], 1e-6),
    // The golden numbers are of the weights before rounding.
    ("bert-f16", &["positions"], 1e-3),
    ("bert-bf16", &["positions"], 1e-6),
    ("bert-old-names", &["positions"], 1e-6),
    ("roberta", &["positions"], 1e-6),
    ("xlm-roberta", &["positions"], 1e-6),
    ("longformer", &["positions", "global"], 1e-6),
    ("albert", &["positions"], 1e-6),
    ("electra", &["positions"], 1e-6),
    ("distilbert", &["positions"], 1e-6),
    ("mpnet", &["positions"], 1e-6),
    ("gpt2", &["positions"], 1e-6),
    ("gpt2-masks", &["positions"], 1e-6),
    ("gpt2-masks-prefix", &["positions"], 1e-6),
    ("openai-gpt", &["positions"], 1e-6),
    ("opt", &["positions"], 1e-6),
    ("opt-projected", &["positions"], 1e-6),
    ("bart", &["encoder"], 1e-6),
    ("bart-scaled", &["encoder", "decoder"], 1e-6),
    ("mbart", &["encoder", "decoder"], 1e-6),
    ("whisper", &["encoder", "decoder"], 1e-6),
    ("clip", &["text", "vision"], 1e-6),
    ("vit", &["positions"], 1e-6),
    ("deit", &["positions"], 1e-6),
    ("timm-vit", &["positions"], 1e-6),
    ("timm-deit3", &["positions"], 1e-6),
    ("beit-shared", &["positions"], 1e-6),
];

pub(crate) fn source(folder: &str, id: &str) -> ModelVersion {
    let choice = ModelOptions {
        source: Some(id.to_owned()),
        ..ModelOptions::default()
    };
    open_model(bytes(folder), Some(&config(folder)), &choice).expect(folder)
}

#[test]
fn small_checkpoints_hold_their_golden_numbers() {
    for (folder, ids, tolerance) in FOLDERS {
        let golden = json(&format!("{folder}/golden.json"));
        for id in *ids {
            let (checkpoint, model) = source(folder, id);
            let worst = holds(&checkpoint, &model, folder, &golden, *tolerance);
            println!(
                "{folder}, {id}: off by {:.1e} in R², {:.1e} in profiles",
                worst[0], worst[1]
            );
        }
    }
}

/// Compares a source with the golden numbers; returns the largest deviations of R² and profiles.
fn holds(
    checkpoint: &Checkpoint<MemorySource>,
    model: &PositionModel,
    folder: &str,
    golden: &Value,
    tolerance: f64,
) -> [f64; 2] {
    // Older golden files have one source, and their numbers have no level for its name.
    let of_source = |numbers: &Value| match &numbers[&model.source] {
        named @ (Value::Object(_) | Value::Array(_)) => named.clone(),
        _ => numbers.clone(),
    };
    let numbers = of_source(&golden["table"]);
    let of_table = model.positions.table().expect(folder);
    let (table, grid) = (&of_table.rows, of_table.grid.map(|g| (g.height, g.width)));
    let shape = (&numbers["positions"], &numbers["width"]);
    assert_eq!(
        shape,
        (&table.nrows().into(), &table.ncols().into()),
        "{folder}"
    );
    assert_eq!(model.heads.source, HeadsSource::Config, "{folder}");
    let e = table.mapv(f64::from);
    let p = e.dot(&e.t());
    let mut worst = close(
        toeplitz_r2(&p),
        &numbers["inner_product_r2"],
        tolerance,
        folder,
    );
    let mut worst_profile = 0.0_f64;
    if let Some((height, width)) = grid {
        assert_eq!(height * width, table.nrows(), "{folder}");
        if !numbers["inner_product_r2_2d"].is_null() {
            let r2 = toeplitz_r2_2d(&p, width);
            worst = worst.max(close(
                r2,
                &numbers["inner_product_r2_2d"],
                tolerance,
                folder,
            ));
        }
    }
    assert_eq!(grid.is_some(), !numbers["grid"].is_null(), "{folder}");

    let inputs = block_on(model.read_inputs(checkpoint, |_, _| ())).expect("inputs");
    let weights = block_on(model.read_layer(checkpoint, 0)).expect("layer");
    for (mode, list) in [
        (ScoreMode::Paper, "layer0_heads_paper"),
        (ScoreMode::AsComputed, "layer0_heads_as_computed"),
    ] {
        let numbers = of_source(&golden[list]);
        if numbers.is_null() {
            continue;
        }
        let states = inputs.hidden_states(table, mode);
        assert_eq!(states.x.dim(), (table.nrows(), model.hidden_width));
        // ALBERT's layers share their weights, and the golden queries and keys are those of the last pass through them.
        let states = match (folder, mode) {
            ("albert", ScoreMode::AsComputed) => {
                after_one_layer_of_albert(checkpoint, model, &states, &weights)
            }
            _ => states,
        };
        let heads = numbers.as_array().expect(list);
        assert_eq!(heads.len(), model.heads.count as usize, "{folder}");
        for (head, golden) in heads.iter().enumerate() {
            let what = format!("{folder}, {}, {list}, head {head}", model.source);
            let a = scores(model, &states, &weights, head);
            worst = worst.max(close(toeplitz_r2(&a), &golden["r2"], tolerance, &what));
            if !golden["causal_r2"].is_null() {
                let r2 = causal_toeplitz_r2(&a);
                worst = worst.max(close(r2, &golden["causal_r2"], tolerance, &what));
            }
            if let (Some((_, width)), false) = (grid, golden["r2_2d"].is_null()) {
                let r2 = toeplitz_r2_2d(&a, width);
                worst = worst.max(close(r2, &golden["r2_2d"], tolerance, &what));
            }
            let off = profile_is(&a, &golden["diagonal_mean_minus_overall"], tolerance, &what);
            worst_profile = worst_profile.max(off);
        }
    }
    [worst, worst_profile]
}

/// The share of the variance explained by the means over equal (Δy, Δx), for cells row by row.
pub(crate) fn toeplitz_r2_2d(a: &Array2<f64>, width: usize) -> f64 {
    let mut groups = BTreeMap::new();
    let at = |i: usize| ((i / width).cast_signed(), (i % width).cast_signed());
    for ((i, j), value) in a.indexed_iter() {
        let offset = (at(j).0 - at(i).0, at(j).1 - at(i).1);
        groups.entry(offset).or_insert_with(Vec::new).push(*value);
    }
    let spread = |values: &[f64], mean: f64| values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let within: f64 = groups
        .values()
        .map(|values| spread(values, mean(values)))
        .sum();
    let all: Vec<f64> = a.iter().copied().collect();
    1.0 - within / spread(&all, mean(&all))
}

/// One layer of ALBERT, written out plainly.
fn after_one_layer_of_albert(
    checkpoint: &Checkpoint<MemorySource>,
    model: &PositionModel,
    states: &HiddenStates,
    weights: &LayerWeights,
) -> HiddenStates {
    let tensor = |name: &str| {
        let name = format!("encoder.albert_layer_groups.0.albert_layers.0.{name}");
        let tensor = checkpoint.tensor(&name).expect("listed");
        Array1::from(block_on(checkpoint.read(tensor)).expect("read")).mapv(f64::from)
    };
    let linear = |x: &Array2<f64>, name: &str| {
        let bias = tensor(&format!("{name}.bias"));
        let weight = tensor(&format!("{name}.weight"));
        let weight = weight
            .into_shape_with_order((bias.len(), x.ncols()))
            .expect("[out, in]");
        x.dot(&weight.t()) + bias
    };
    let norm = |mut x: Array2<f64>, name: &str| {
        for mut row in x.rows_mut() {
            row -= row.mean().expect("columns");
            row /= (row.dot(&row) / row.len() as f64 + 1e-12).sqrt();
        }
        x * tensor(&format!("{name}.weight")) + tensor(&format!("{name}.bias"))
    };
    let x = states.x.mapv(f64::from);
    let value = linear(&x, "attention.value");
    let heads: Vec<_> = (0..4)
        .map(|head| {
            let attention = softmax(&scores(model, states, weights, head), false);
            attention.dot(&value.slice(s![.., head * 16..(head + 1) * 16]))
        })
        .collect();
    let heads: Vec<_> = heads.iter().map(|head| head.view()).collect();
    let attended = linear(
        &concatenate(Axis(1), &heads).expect("side by side"),
        "attention.dense",
    );
    let x = norm(x + attended, "attention.LayerNorm");
    let gelu = |v: f64| {
        let inner = (2.0 / std::f64::consts::PI).sqrt() * (v + 0.044_715 * v.powi(3));
        0.5 * v * (1.0 + inner.tanh())
    };
    let out = linear(&linear(&x, "ffn").mapv(gelu), "ffn_output");
    let x = norm(out + x, "full_layer_layer_norm");
    HiddenStates {
        x: x.mapv(|v| v as f32),
        mean: None,
        uses_biases: true,
        uses_norms: true,
    }
}

#[test]
fn alberts_first_pass_is_that_of_the_first_layer() {
    let (checkpoint, model) = plainly(bytes("albert"), Some(&config("albert")));
    let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
    let weights = block_on(model.read_layer(&checkpoint, 0)).expect("layer");
    let states = inputs.hidden_states(model.table().expect("a table"), ScoreMode::AsComputed);
    // Computed with numpy in `f64`.
    let golden = [
        0.393_040_258_8,
        0.126_792_188_8,
        0.400_556_704_6,
        0.116_571_362_0,
    ];
    for (head, golden) in golden.into_iter().enumerate() {
        let r2 = toeplitz_r2(&scores(&model, &states, &weights, head));
        assert!(
            (r2 - golden).abs() < 1e-6,
            "head {head}: {r2}, golden {golden}"
        );
    }
}

#[test]
fn the_preset_is_minilm() {
    let presets = data("../../www/presets");
    let manifest = std::fs::read(presets.join("manifest.json")).expect("manifest");
    let manifest: Vec<Value> = serde_json::from_slice(&manifest).expect("a list");
    let preset = manifest
        .iter()
        .find(|preset| preset["id"] == "minilm-l6")
        .expect("MiniLM");
    let bytes =
        std::fs::read(presets.join(preset["file"].as_str().expect("a name"))).expect("the preset");
    assert_eq!(preset["bytes"], bytes.len());
    let golden = json("minilm-l6.golden.json");

    // Without a configuration: the preset contains its own.
    let (checkpoint, model) = plainly(bytes, None);
    assert_eq!(
        (model.family, model.layers, model.hidden_width),
        ("BERT", 6, 384)
    );
    assert_eq!(
        model.heads,
        Heads {
            count: 12,
            source: HeadsSource::Config
        }
    );
    assert_eq!(
        [&preset["rows"], &preset["width"]],
        [
            model.table().expect("a table").nrows(),
            model.table().expect("a table").ncols()
        ]
    );
    assert_eq!(preset["layers"], model.layers);
    assert_eq!(preset["heads"], model.heads.count);
    assert_eq!(checkpoint.metadata()["licence"], preset["licence"]);
    assert!(note(&model, "Mean word embedding").is_some());

    let e = model.table().expect("a table").mapv(f64::from);
    let table = &golden["table"]["inner_product_r2"];
    let r2 = close(toeplitz_r2(&e.dot(&e.t())), table, 1e-6, "table");
    let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
    let (mut worst, mut profile) = (r2, 0.0_f64);
    for layer in 0..2 {
        let weights = block_on(model.read_layer(&checkpoint, layer)).expect("layer");
        for (mode, name) in [
            (ScoreMode::Paper, "paper"),
            (ScoreMode::AsComputed, "as_computed"),
        ] {
            let states = inputs.hidden_states(model.table().expect("a table"), mode);
            for head in 0..12 {
                let what = format!("layer {layer}, head {head}, {name}");
                let golden = &golden["layers"][layer][head];
                let a = scores(&model, &states, &weights, head);
                worst = worst.max(close(
                    toeplitz_r2(&a),
                    &golden[format!("{name}_r2")],
                    1e-3,
                    &what,
                ));
                let off = profile_is(&a, &golden[format!("{name}_diagonal_mean")], 1e-3, &what);
                profile = profile.max(off);
            }
        }
    }
    println!("off the golden numbers by at most {worst:.1e} in R², {profile:.1e} in profiles");
}

/// Of the variance that the preset's first `LayerNorm` divides by, position and token type have 44 % each, the mean
/// word 2 %.
#[test]
fn shares_of_an_input_are_those_of_its_parts() {
    let (checkpoint, model) = crate::math::table_waves::preset();
    let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
    let table = model.table().expect("a table");
    let shares = inputs.shares(table).expect("shares");
    let near = |found: f64, expected: f64| (found - expected).abs() < 0.005;
    assert!(near(shares.position, 0.44), "{shares:?}");
    assert!(near(shares.added_row, 0.44), "{shares:?}");
    assert!(near(shares.mean_word, 0.02), "{shares:?}");
    // Without other inputs, positions have the whole share.
    let mut alone = inputs.clone();
    alone.mean_word = vec![0.0; table.ncols()];
    alone
        .steps
        .retain(|step| !matches!(step, InputStep::Add(_)));
    let shares = alone.shares(table).expect("shares");
    assert!((shares.position - 1.0).abs() < 1e-12, "{shares:?}");
    // There are no shares if a linear map comes first, or for a table of zeros.
    let mut mapped = inputs.clone();
    mapped.steps.clear();
    assert_eq!(mapped.shares(table), None);
    assert_eq!(alone.shares(&Array2::zeros((4, table.ncols()))), None);
}
