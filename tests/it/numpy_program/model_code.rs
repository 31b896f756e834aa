//! The code of models of many families computes the scores that the page computes.

use super::runs::{ProgramRuns, choices, rows_are, with_window};
use crate::{
    model::{
        model_golden::FOLDERS,
        real_files::position_types::{config as config_with_type, with_vectors},
    },
    support::{
        models::{Tensors, bytes, config, data, f32s, open_model, write as write_tensors},
        python::python,
    },
};
use diagonal::{
    analysis::ScoreMode,
    checkpoint::Weights,
    forward::ForwardPass,
    math::Scores,
    model::{Config, Correction, ModelOptions, PositionModel, PositionSource},
    numpy_model::{NumpyModel, ScoreCode},
    numpy_program::{ProgramModel, write},
    url_state::FigureId,
};
use pollster::block_on;
use std::{collections::BTreeMap, fs};

/// Folders with scores by offset, whose heads programs compute as well, with their sources; an empty name is that of the
/// first source.
const BY_OFFSET: &[(&str, &[&str])] = &[
    ("t5", &["encoder", "decoder"]),
    ("swin", &["stage-1"]),
    ("tisa", &["positions"]),
    ("attention-cnn", &["positions"]),
    ("attention-cnn-learned", &["positions"]),
    ("patch-heads/dinov3", &["positions"]),
    ("patch-heads/llama4", &["vision"]),
    ("patch-heads/qwen2-5-vl", &["vision"]),
    ("patch-heads/qwen2-vl", &["vision"]),
    ("patch-heads/qwen3-vl", &["vision"]),
    ("patch-heads/timm-axial", &["positions"]),
    ("patch-heads/timm-dinov3", &["positions"]),
    ("patch-heads/timm-eva02", &["rotation"]),
    ("patch-heads/timm-mixed", &["positions"]),
    ("patch-heads/timm-pe", &["rotation"]),
    ("deberta", &["positions"]),
    ("deberta-v2", &["positions"]),
    ("forward/deberta-v3", &[""]),
    (
        "layouts/transformer-xl",
        &[
            "all",
            "content-offset",
            "offset",
            "content-content",
            "content",
        ],
    ),
    ("layouts/xlnet", &["all"]),
    ("llama", &["positions"]),
    ("modernbert", &["global", "local"]),
    ("forward/gemma3", &[""]),
    ("forward/gpt-neox", &[""]),
    ("forward/gpt-oss", &[""]),
    ("forward/llama-dynamic", &[""]),
    ("forward/llama-yarn", &[""]),
    ("forward/qwen2", &[""]),
    ("forward/qwen3", &[""]),
    ("forward/smollm3", &[""]),
];

/// Angles of configurations for the weights of the folder `llama`, with heads of 8 columns.
const ANGLES: &[(&str, &str)] = &[
    (
        "partial",
        r#"{"rope_type": "default", "partial_rotary_factor": 0.5}"#,
    ),
    ("linear", r#"{"rope_type": "linear", "factor": 4.0}"#),
    (
        "llama3",
        r#"{"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": 64}"#,
    ),
    (
        "longrope",
        r#"{"rope_type": "longrope", "factor": 4.0, "original_max_position_embeddings": 64,
            "short_factor": [1.0, 1.5, 2.0, 2.5], "long_factor": [1.25, 3.0, 7.0, 11.0]}"#,
    ),
];

/// The scores of a layer's head, as on the page.
fn scores(
    checkpoint: &impl Weights,
    model: &PositionModel,
    mode: ScoreMode,
    (layer, head): (usize, usize),
) -> Scores {
    block_on(async {
        if let PositionSource::Rotary(rotary) = &model.positions {
            let pass = ForwardPass::open_scores(model, checkpoint).await;
            let pass = pass.expect("a described model");
            let pause = async || ();
            let centers = pass.read_centers(checkpoint, layer, false, |_, _| (), &pause);
            let (heads, centers) = centers.await.expect("centres");
            let is_scaled = model.choice().does(Correction::AngleScaling);
            let heads = heads.scores(&centers, rotary.rows, is_scaled);
            return Scores::Toeplitz(heads[head].scores(rotary.rows));
        }
        let inputs = model.read_inputs(checkpoint, |_, _| ()).await.ok();
        let scores = match model.added_table() {
            Some(table) => {
                let states = inputs.expect("inputs").hidden_states(&table, mode);
                let weights = model.read_layer(checkpoint, layer).await.expect("a layer");
                model.layer_scores(&states, &weights)
            }
            None => model
                .read_offset_scores(checkpoint, layer, inputs.as_ref())
                .await
                .expect("scores"),
        };
        scores.head(head)
    })
}

/// The cells of scores.
fn cells(scores: &Scores) -> Vec<Vec<f64>> {
    let n = scores.n();
    let cell = |i: usize, j: usize| match &scores {
        Scores::Product(product, _) => product.cell(i, j),
        Scores::Toeplitz(toeplitz) => toeplitz.profile()[j + n - 1 - i],
        Scores::Grid(grid) => grid.cell(i, j),
    };
    let row = |i| (0..n).map(|j| cell(i, j)).collect();
    (0..n).map(row).collect()
}

/// A model whose scores are compared.
struct Case {
    name: String,
    bytes: Vec<u8>,
    config: Config,
    choice: ModelOptions,
}

fn cases() -> Vec<Case> {
    let source = |id: &str| ModelOptions {
        source: (!id.is_empty()).then(|| id.to_owned()),
        ..ModelOptions::default()
    };
    let tables = FOLDERS.iter().map(|(folder, ids, _)| (*folder, *ids));
    let folders = tables.chain(BY_OFFSET.iter().copied());
    let plain = folders.flat_map(|(folder, ids)| {
        ids.iter().map(move |id| Case {
            name: format!("{}-{id}", folder.replace('/', "-")),
            bytes: bytes(folder),
            config: config(folder),
            choice: source(id),
        })
    });
    let text = fs::read_to_string(data("llama").join("config.json")).expect("a configuration");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let changed = ANGLES.iter().flat_map(|(name, angles)| {
        let mut json = json.clone();
        let mut angles: serde_json::Value = serde_json::from_str(angles).expect("JSON");
        angles["rope_theta"] = 500.0.into();
        json["rope_parameters"] = angles;
        let config = Config::parse(&json.to_string()).expect("a configuration");
        let as_trained = source("positions").switch(Correction::AngleScaling);
        let short = ModelOptions {
            length: Some(48),
            ..source("positions")
        };
        let choices = [
            ("long", source("positions")),
            ("short", short),
            ("trained", as_trained),
        ];
        choices.map(|(option, choice)| Case {
            name: format!("llama-{name}-{option}"),
            bytes: bytes("llama"),
            config: config.clone(),
            choice,
        })
    });
    let relative = ["relative_key", "relative_key_query"].map(|kind| Case {
        name: format!("bert-{kind}"),
        bytes: write_tensors(&with_vectors()),
        config: config_with_type(kind),
        choice: source("positions"),
    });
    let of_files = [
        of_llama_cpp("whole", &[]),
        of_llama_cpp("divided", &[1.0, 2.5]),
        of_llama_cpp("stopped", &[1.5, 1e30]),
    ];
    plain
        .chain(changed)
        .chain(relative)
        .chain(of_files)
        .collect()
}

/// A model with the names and the layout of llama.cpp, whose pairs are adjacent columns, with divisors of its angles.
fn of_llama_cpp(name: &str, divisors: &[f32]) -> Case {
    let numbers = |shape: &[usize], seed: usize| {
        f32s(shape, |at| {
            ((at * at * 3 + at * 7 + seed) % 23) as f32 / 16.0 - 0.6
        })
    };
    let shapes: &[(&str, &[usize])] = &[
        ("attn_norm", &[16]),
        ("attn_q", &[16, 16]),
        ("attn_k", &[8, 16]),
        ("attn_v", &[8, 16]),
        ("attn_output", &[16, 16]),
        ("ffn_norm", &[16]),
        ("ffn_gate", &[20, 16]),
        ("ffn_up", &[20, 16]),
        ("ffn_down", &[16, 20]),
    ];
    let mut all = Tensors::new();
    for (seed, (stem, shape)) in shapes.iter().enumerate() {
        all.insert(format!("blk.0.{stem}.weight"), numbers(shape, seed));
    }
    all.insert("token_embd.weight".to_owned(), numbers(&[30, 16], 11));
    all.insert("output_norm.weight".to_owned(), numbers(&[16], 12));
    if !divisors.is_empty() {
        let numbers = f32s(&[divisors.len()], |at| divisors[at]);
        all.insert("rope_freqs.weight".to_owned(), numbers);
    }
    let metadata = [
        ("general.architecture", "llama"),
        ("llama.embedding_length", "16"),
        ("llama.attention.head_count", "4"),
        ("llama.attention.head_count_kv", "2"),
        ("llama.attention.layer_norm_rms_epsilon", "1e-05"),
        ("llama.rope.freq_base", "100"),
    ];
    let metadata = metadata.map(|(key, value)| (key.to_owned(), value.to_owned()));
    Case {
        name: format!("llama-cpp-{name}"),
        bytes: write_tensors(&all),
        config: Config::from_gguf(&BTreeMap::from(metadata)),
        choice: ModelOptions::default(),
    }
}

#[test]
fn programs_compute_the_scores_of_every_family() {
    let Some(python) = python("the NumPy programs of models") else {
        return;
    };
    let mut runs = ProgramRuns::new("models");
    let mut expected = Vec::new();
    for case in cases() {
        let name = &case.name;
        let opened = open_model(case.bytes.clone(), Some(&case.config), &case.choice);
        let (checkpoint, model) = opened.expect(name);
        let code = block_on(NumpyModel::write(&model, &checkpoint)).expect(name);
        assert_ne!(
            code.scores,
            ScoreCode::Missing,
            "{name}: {:?}",
            code.head_failure
        );
        let file = runs.write_model(name, &case.bytes);
        let head = (model.layers - 1, model.heads.count as usize - 1);
        for mode in [ScoreMode::Paper, ScoreMode::AsComputed] {
            let choices = choices(FigureId::HeadMatrix, mode, head);
            let choices = with_window(choices, model.positions.n(), None);
            let models = [ProgramModel {
                name: name.clone(),
                step: None,
                code: code.clone(),
            }];
            let program = write(&models, &choices).expect("a program");
            let name = format!("{name}-{mode:?}");
            runs.add(&name, &program, &file);
            expected.push((name, cells(&scores(&checkpoint, &model, mode, head))));
        }
    }
    runs.run(&python);
    for (name, expected) in expected {
        rows_are(&runs.rows(&name).1, &expected, 1e-5, &name);
    }
    runs.remove();
}
