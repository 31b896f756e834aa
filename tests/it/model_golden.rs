//! Every family against golden numbers: what a slow program and the models' own library compute.

use diagonal::{
    checkpoint::{Checkpoint, MemorySource},
    math::reference::{causal_toeplitz_r2, diagonal_mean, softmax, toeplitz_r2},
    model::{Heads, HeadsSource, HiddenStates, LayerWeights, ScoreMode},
};
use ndarray::{Array1, Array2, Axis, concatenate, s};
use pollster::block_on;
use serde_json::Value;

use crate::models::{bytes, config, data, note, plainly};

fn json(path: &str) -> Value {
    let text = std::fs::read(data(path)).expect(path);
    serde_json::from_slice(&text).expect(path)
}

/// Scores of one head in `f64`.
fn scores(states: &HiddenStates, weights: &LayerWeights, heads: u32, head: usize) -> Array2<f64> {
    let width = weights.query.ncols() / heads as usize;
    let columns = head * width..(head + 1) * width;
    let send = |x: &Array2<f64>, weight: &Array2<f32>, bias: &Option<Vec<f32>>| {
        let mut out = x.dot(&weight.slice(s![.., columns.clone()]).mapv(f64::from));
        if let Some(bias) = bias.as_ref().filter(|_| states.uses_biases) {
            out += &Array1::from(bias[columns.clone()].to_vec()).mapv(f64::from);
        }
        out
    };
    let both = |x: &Array2<f64>| {
        let query = send(x, &weights.query, &weights.query_bias);
        let key = send(x, &weights.key, &weights.key_bias);
        query.dot(&key.t()) / (width as f64).sqrt()
    };
    let a = both(&states.x.mapv(f64::from));
    match &states.mean {
        Some(mean) => {
            a - both(&Array2::from_shape_fn((1, mean.len()), |(_, i)| {
                f64::from(mean[i])
            }))[[0, 0]]
        }
        None => a,
    }
}

fn close(found: f64, golden: &Value, tolerance: f64, what: &str) -> f64 {
    let golden = golden.as_f64().expect(what);
    assert!(
        (found - golden).abs() <= tolerance,
        "{what}: {found}, golden {golden}"
    );
    (found - golden).abs()
}

/// Compares the diagonal means around k = 0, less the mean of all cells, with a golden list. Tolerance is a
/// share of the whole profile's range; returns the share that was needed.
fn profile_is(a: &Array2<f64>, golden: &Value, tolerance: f64, what: &str) -> f64 {
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

#[test]
fn small_checkpoints_hold_their_golden_numbers() {
    // The golden numbers of `bert-f16` are those of the weights before they were rounded.
    for (family, tolerance) in [
        ("bert", 1e-4),
        ("bert-f16", 1e-3),
        ("roberta", 1e-4),
        ("albert", 1e-4),
    ] {
        let golden = json(&format!("{family}/golden.json"));
        let (checkpoint, model) = plainly(bytes(family), Some(&config(family)));
        assert_eq!(
            model.table.nrows() as u64,
            golden["table"]["positions"].as_u64().expect("n"),
            "{family}"
        );
        assert_eq!(
            model.heads,
            Heads {
                count: 4,
                source: HeadsSource::Config
            },
            "{family}"
        );
        let e = model.table.mapv(f64::from);
        close(
            toeplitz_r2(&e.dot(&e.t())),
            &golden["table"]["inner_product_r2"],
            1e-4,
            family,
        );

        let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
        let weights = block_on(model.read_layer(&checkpoint, 0)).expect("layer");
        for (mode, list) in [
            (ScoreMode::Paper, "layer0_heads_paper"),
            (ScoreMode::AsComputed, "layer0_heads_as_computed"),
        ] {
            let states = inputs.hidden_states(&model.table, mode);
            assert_eq!(states.x.dim(), (model.table.nrows(), model.hidden));
            // ALBERT's layers share their weights, and what was recorded of them are the queries and keys of
            // the last pass through them, not of the first.
            let states = match (family, mode) {
                ("albert", ScoreMode::AsComputed) => {
                    after_one_layer_of_albert(&checkpoint, &states, &weights)
                }
                _ => states,
            };
            let heads = golden[list].as_array().expect(list);
            assert_eq!(heads.len(), model.heads.count as usize);
            for (head, golden) in heads.iter().enumerate() {
                let what = format!("{family}, {list}, head {head}");
                let a = scores(&states, &weights, model.heads.count, head);
                close(toeplitz_r2(&a), &golden["r2"], 1e-4, &what);
                if !golden["causal_r2"].is_null() {
                    close(causal_toeplitz_r2(&a), &golden["causal_r2"], 1e-4, &what);
                }
                profile_is(&a, &golden["diagonal_mean_minus_overall"], tolerance, &what);
            }
        }
    }
}

/// The whole of ALBERT's layer, as plainly as it can be written.
fn after_one_layer_of_albert(
    checkpoint: &Checkpoint<MemorySource>,
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
            let attention = softmax(&scores(states, weights, 4, head), false);
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
    }
}

#[test]
fn alberts_first_pass_is_that_of_the_first_layer() {
    let (checkpoint, model) = plainly(bytes("albert"), Some(&config("albert")));
    let inputs = block_on(model.read_inputs(&checkpoint, |_, _| ())).expect("inputs");
    let weights = block_on(model.read_layer(&checkpoint, 0)).expect("layer");
    let states = inputs.hidden_states(&model.table, ScoreMode::AsComputed);
    // Computed with numpy in `f64`.
    let golden = [
        0.393_040_258_8,
        0.126_792_188_8,
        0.400_556_704_6,
        0.116_571_362_0,
    ];
    for (head, golden) in golden.into_iter().enumerate() {
        let r2 = toeplitz_r2(&scores(&states, &weights, 4, head));
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

    // No configuration is given: the preset carries it.
    let (checkpoint, model) = plainly(bytes, None);
    assert_eq!((model.family, model.layers, model.hidden), ("BERT", 6, 384));
    assert_eq!(
        model.heads,
        Heads {
            count: 12,
            source: HeadsSource::Config
        }
    );
    assert_eq!(
        [&preset["rows"], &preset["width"]],
        [model.table.nrows(), model.table.ncols()]
    );
    assert_eq!(preset["layers"], model.layers);
    assert_eq!(preset["heads"], model.heads.count);
    assert_eq!(checkpoint.metadata()["licence"], preset["licence"]);
    assert!(note(&model, "Mean word embedding").is_some());

    let e = model.table.mapv(f64::from);
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
            let states = inputs.hidden_states(&model.table, mode);
            for head in 0..12 {
                let what = format!("layer {layer}, head {head}, {name}");
                let golden = &golden["layers"][layer][head];
                let a = scores(&states, &weights, 12, head);
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
