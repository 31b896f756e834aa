//! The code of models of many families computes the scores that the page computes.

use crate::{
    model::model_golden::FOLDERS,
    support::{
        models::{bytes, config, data, open_model},
        python::{printed, python},
        root,
    },
};
use diagonal::{
    analysis::ScoreMode,
    figure::Table,
    math::{AttentionMask, Scores},
    model::{ModelOptions, PositionModel},
    numpy_model::{NumpyModel, ScoreCode},
    numpy_program::{Choices, ProgramModel, write},
    url_state::{FigureId, Link},
};
use ndarray::Array2;
use pollster::block_on;
use serde_json::json;
use std::{fs, process::Command, sync::Arc};

/// Folders with scores by offset, whose heads programs compute as well.
const BY_OFFSET: &[(&str, &[&str])] = &[
    ("t5", &["encoder", "decoder"]),
    ("swin", &["stage-1"]),
    ("tisa", &["positions"]),
    ("attention-cnn", &["positions"]),
];

/// A model, the mode, and the head whose scores are compared.
struct Case {
    name: String,
    expected: Array2<f64>,
}

/// The scores of a head, as on the page.
fn page_scores(
    checkpoint: &impl diagonal::checkpoint::Weights,
    model: &PositionModel,
    mode: ScoreMode,
    layer: usize,
    head: usize,
) -> Array2<f64> {
    let scores = block_on(async {
        let inputs = model.read_inputs(checkpoint, |_, _| ()).await.ok();
        match model.added_table() {
            Some(table) => {
                let states = inputs.expect("inputs").hidden_states(&table, mode);
                let weights = model.read_layer(checkpoint, layer).await.expect("a layer");
                model.layer_scores(&states, &weights)
            }
            None => model
                .read_offset_scores(checkpoint, layer, inputs.as_ref())
                .await
                .expect("scores"),
        }
    });
    let scores = scores.head(head);
    Array2::from_shape_fn((scores.n(), scores.n()), |(i, j)| match &scores {
        Scores::Product(product, _) => product.cell(i, j),
        Scores::Toeplitz(toeplitz) => toeplitz.profile()[j + scores.n() - 1 - i],
        Scores::Grid(grid) => grid.cell(i, j),
    })
}

#[test]
fn programs_compute_the_scores_of_every_family() {
    let Some(python) = python("the NumPy programs of models") else {
        return;
    };
    let folder = std::env::temp_dir().join(format!("diagonal-numpy-models-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let tables = FOLDERS.iter().map(|(folder, ids, _)| (*folder, *ids));
    let (mut list, mut cases) = (Vec::new(), Vec::new());
    for (model_folder, ids) in tables.chain(BY_OFFSET.iter().copied()) {
        for id in ids {
            let choice = ModelOptions {
                source: Some((*id).to_owned()),
                ..ModelOptions::default()
            };
            let config = config(model_folder);
            let opened = open_model(bytes(model_folder), Some(&config), &choice);
            let (checkpoint, model) = opened.expect(model_folder);
            let code = block_on(NumpyModel::write(&model, &checkpoint)).expect(model_folder);
            assert_ne!(code.scores, ScoreCode::Missing, "{model_folder}");
            let positions = model.positions.n();
            let (layer, head) = (model.layers - 1, model.heads.count as usize - 1);
            for mode in [ScoreMode::Paper, ScoreMode::AsComputed] {
                let mut link = Link::default();
                link.heads.mode = mode;
                let choices = Choices {
                    figure: FigureId::HeadMatrix,
                    link,
                    summary: None,
                    head: Some((layer, head)),
                    second: None,
                    cells: AttentionMask::Whole,
                    lengths: (0, 0),
                    table: Table::default(),
                    of_view: Arc::new(move |name| {
                        let n = positions;
                        (name == "WINDOW").then(|| format!("((0, {n}), (0, {n}))"))
                    }),
                };
                let models = [ProgramModel {
                    name: model_folder.to_owned(),
                    step: None,
                    code: code.clone(),
                }];
                let program = write(&models, &choices).expect("a program");
                let name = format!("{model_folder}-{id}-{mode:?}");
                let [path, output] = ["py", "csv"].map(|end| folder.join(format!("{name}.{end}")));
                fs::write(&path, program).expect("written");
                list.push(json!({
                    "path": path,
                    "arguments": [data(model_folder).join("model.safetensors")],
                    "output": output,
                }));
                let expected = page_scores(&checkpoint, &model, mode, layer, head);
                cases.push(Case { name, expected });
            }
        }
    }
    let path = folder.join("list.json");
    fs::write(&path, serde_json::to_vec(&list).expect("JSON")).expect("written");
    let mut command = Command::new(python);
    printed({
        command
            .arg(root().join("tests/it/numpy_program/run_programs.py"))
            .arg(path);
        command
    });
    for Case { name, expected } in cases {
        let text = fs::read_to_string(folder.join(format!("{name}.csv"))).expect("a CSV file");
        let largest = expected
            .iter()
            .fold(0.0_f64, |largest, cell| largest.max(cell.abs()));
        let rows: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(rows.len(), expected.nrows(), "{name}");
        for (row, cells) in rows.iter().zip(expected.rows()) {
            for (text, cell) in row.split(',').zip(cells) {
                let number: f64 = text.parse().expect("a number");
                assert!(
                    (number - cell).abs() <= 1e-5 * largest,
                    "{name}: {number}, expected {cell}"
                );
            }
        }
    }
    // Removed only after success, for a look at what failed.
    let _ = fs::remove_dir_all(&folder);
}
