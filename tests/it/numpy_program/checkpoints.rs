//! Programs of a sequence of checkpoints print what the page answers.

use super::{
    opened::{Opened, prints},
    runs::{ProgramRuns, choices, rows_are},
};
use crate::support::{
    models::data,
    python::python,
    questions::{FIRST, ask, csv, save},
};
use diagonal::{
    analysis::{MatrixFormat, MatrixId, MatrixPart, ModelOverview, ScoreMode, Similarity},
    checkpoint::MemorySource,
    figure::{
        Figure,
        training_timeline::{RunPoint, SnapshotScores, training},
    },
    model::ModelOptions,
    numpy_program::{Choices, ModelScope, ProgramModel, model_scope, write},
    url_state::FigureId,
};
use std::{fs, path::PathBuf, sync::Arc};

/// Steps of the checkpoints in `snapshots`.
const STEPS: [u64; 5] = [0, 100, 500, 1000, 2000];

/// The checkpoint that is shown, from 0.
const SHOWN: usize = 3;

fn file(step: u64) -> PathBuf {
    data("snapshots").join(format!("checkpoint-{step}.safetensors"))
}

fn open_checkpoint(step: u64) -> Opened {
    let files = [file(step), data("snapshots").join("config.json")].map(|path| {
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        (name, MemorySource::new(fs::read(path).expect("a file")))
    });
    Opened::new(files.into(), ModelOptions::default())
}

fn choices_of(figure: FigureId) -> Choices {
    Choices {
        of_view: Arc::new(|name| match name {
            "checkpoints" => Some("True".to_owned()),
            "SHOWN" => Some(SHOWN.to_string()),
            _ => None,
        }),
        ..choices(figure, ScoreMode::AsComputed, (0, 0))
    }
}

#[test]
fn programs_of_checkpoints_print_their_numbers() {
    let Some(python) = python("the NumPy programs of checkpoints") else {
        return;
    };
    let opened = STEPS.map(open_checkpoint);
    let names = STEPS.map(|step| format!("checkpoint-{step}"));
    let models: Vec<ProgramModel> = (opened.iter().zip(&names).zip(STEPS))
        .map(|((opened, name), step)| ProgramModel {
            name: name.clone(),
            step: Some(step),
            code: opened.code.clone(),
        })
        .collect();
    let files = STEPS.map(file);
    let mut runs = ProgramRuns::new("checkpoints");
    for figure in [
        FigureId::TrainingCurves,
        FigureId::TrainingMatrix,
        FigureId::TrainingTable,
    ] {
        let choices = choices_of(figure);
        assert_eq!(model_scope(&choices), ModelScope::Snapshots);
        let program = write(&models, &choices).expect("a program");
        assert!(
            program.contains("(1000, \"checkpoint-1000\", "),
            "{program}"
        );
        // Checkpoints of one model are read by one function.
        assert_eq!(program.matches("def checkpoint_").count(), 1, "{program}");
        runs.add_with_files(figure.id(), &program, &files);
    }
    runs.run(&python);

    let points = opened
        .iter()
        .zip(names)
        .zip(STEPS)
        .map(|((opened, name), step)| {
            let overview = ModelOverview {
                of: FIRST,
                similarity: Similarity::InnerProduct,
            };
            let brief = ask(&opened.session, overview).expect("an answer");
            RunPoint {
                step,
                name,
                scores: SnapshotScores::new(&brief),
            }
        });
    let points: Vec<RunPoint> = points.collect();
    let curves = training(&points, None).expect("curves");
    prints(&runs, "training-curves", &curves.table());
    let whole = MatrixPart::Whole;
    for (name, matrix) in [
        (
            "training-matrix",
            MatrixId::Positions(FIRST, Similarity::Cosine, whole),
        ),
        ("training-table", MatrixId::Table(FIRST)),
    ] {
        let saved = save(&opened[SHOWN].session, &matrix, MatrixFormat::Csv, None);
        let (header, cells) = csv(saved);
        let (columns, rows) = runs.rows(name);
        let header: Vec<String> = header.iter().map(ToString::to_string).collect();
        assert_eq!(columns, header, "{name}");
        let cells: Vec<Vec<f64>> = cells
            .into_iter()
            .map(|row| row.into_iter().map(f64::from).collect())
            .collect();
        rows_are(&rows, &cells, 1e-5, name);
    }
    runs.remove();
}

#[test]
fn a_sequence_without_checkpoints_has_no_program() {
    let reason = write(&[], &choices_of(FigureId::TrainingCurves)).expect_err("no model");
    assert_eq!(reason, "No checkpoint is open.");
}
