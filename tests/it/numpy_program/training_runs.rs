//! Programs of runs print what figures show: from the folder in an archive that the page saves.

use super::{
    opened::prints,
    runs::{ProgramRuns, choices},
};
use crate::{
    support::python::{printed, python},
    training::reports::report_of,
};
use diagonal::{
    analysis::ScoreMode,
    figure::{
        Figure, Table,
        training::{
            RunHistory, RunMatrix, WavePicture, kernel_functions, kernel_paths, length_losses,
            loss_curves, pair_energies, r2_curves, run_heads, run_matrices, run_spectra,
            run_tables, run_waves,
        },
    },
    numpy_program::{Choices, ProgramRun, run_constant, write},
    training::{TrainingRecord, TrainingReport, TrainingSession, run_archive, run_archive_name},
    url_state::{FigureId, Link},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

/// Encodings of runs that are shown beside each other.
const GROUPS: [&[&str]; 2] = [
    &["learned", "t5", "shaw", "tisa2"],
    &["sinusoidal", "learned-tisa2", "rotary", "alibi"],
];

/// Steps of the snapshots.
const STEPS: [u32; 3] = [0, 4, 20];

/// A run, and the archive that the page saves of it.
fn train(encoding: &str, color: usize) -> (ProgramRun, Vec<u8>) {
    let recipe = format!("offset2.{encoding}.n16d16l2h2r2b4.1.20");
    let mut session =
        TrainingSession::new(&recipe.parse().expect("a recipe"), b"").expect(encoding);
    let (mut losses, mut reports, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for step in STEPS {
        while session.steps_done() < step {
            session.step().expect("a finite loss");
        }
        losses.extend(session.take_losses());
        reports.push(Arc::new(report_of(&mut session)));
        weights.push((step, session.weights_file()));
    }
    let record = TrainingRecord {
        description: session.description(),
        losses: losses.clone(),
        lengths: session.lengths(),
        snapshots: reports.iter().map(|report| report.state()).collect(),
        evaluations: Vec::new(),
    };
    let history = RunHistory {
        name: format!("offset2 · {encoding}"),
        color,
        best_loss: record.description.best_loss,
        bag_loss: record.description.bag_loss,
        losses,
        current: reports.last().cloned(),
        reports,
        lengths: record.lengths.clone(),
        ..RunHistory::default()
    };
    let run = ProgramRun {
        recipe,
        is_shipped: false,
        history,
    };
    (run, run_archive(&record, &weights).expect("an archive"))
}

fn choices_of(figure: FigureId, runs: &[ProgramRun]) -> Choices {
    let runs = runs.to_vec();
    Choices {
        of_view: Arc::new(move |name| run_constant(&runs, name)),
        ..choices(figure, ScoreMode::AsComputed, (0, 0))
    }
}

/// The tables of all figures that the runs have.
fn tables(runs: &[RunHistory]) -> Vec<(FigureId, Table)> {
    let look = Link::default().matrices;
    let (map, clip) = (look.map, look.clip);
    let table = |figure: Option<&dyn Figure>| figure.map(Figure::table);
    [
        (
            FigureId::TrainingLosses,
            table(loss_curves(runs, None).as_ref().map(|f| f as _)),
        ),
        (
            FigureId::TrainingCurves,
            table(r2_curves(runs, None).as_ref().map(|f| f as _)),
        ),
        (
            FigureId::TrainingSpectra,
            table(run_spectra(runs, None).as_ref().map(|f| f as _)),
        ),
        (
            FigureId::TrainingMatrix,
            table(
                run_matrices(runs, RunMatrix::InnerProducts, map, clip)
                    .as_ref()
                    .map(|f| f as _),
            ),
        ),
        (
            FigureId::TrainingTable,
            table(run_tables(runs, map, clip).as_ref().map(|f| f as _)),
        ),
        (
            FigureId::TrainingWaves,
            table(
                run_waves(runs, WavePicture::default())
                    .as_ref()
                    .map(|f| f as _),
            ),
        ),
        (
            FigureId::TrainingHeads,
            table(run_heads(runs, map).as_ref().map(|f| f as _)),
        ),
        (
            FigureId::TrainingKernels,
            table(kernel_functions(runs).as_ref().map(|f| f as _)),
        ),
        (
            FigureId::TrainingKernelPaths,
            table(kernel_paths(runs, None).as_ref().map(|f| f as _)),
        ),
        (
            FigureId::TrainingFrequencies,
            table(pair_energies(runs).as_ref().map(|f| f as _)),
        ),
        (
            FigureId::TrainingLengths,
            table(length_losses(runs).as_ref().map(|f| f as _)),
        ),
    ]
    .into_iter()
    .filter_map(|(figure, table)| Some((figure, table?)))
    .collect()
}

/// Unpacks archives by Python's own library, which checks them, and returns the folders in them.
fn unpack(python: &Path, archives: &[(String, Vec<u8>)], into: &Path) -> Vec<PathBuf> {
    let unpack = |(recipe, bytes): &(String, Vec<u8>)| {
        let archive = into.join(run_archive_name(recipe));
        fs::write(&archive, bytes).expect("written");
        for arguments in [&["-t"][..], &["-e"]] {
            let mut command = Command::new(python);
            command
                .args(["-m", "zipfile"])
                .args(arguments)
                .arg(&archive);
            if arguments == ["-e"] {
                command.arg(into);
            }
            printed(command);
        }
        into.join(recipe)
    };
    archives.iter().map(unpack).collect()
}

#[test]
fn programs_of_saved_runs_print_the_numbers_of_figures() {
    let Some(python) = python("the NumPy programs of runs") else {
        return;
    };
    let mut programs = ProgramRuns::new("training-runs");
    let mut expected = Vec::new();
    for (group, encodings) in GROUPS.iter().enumerate() {
        let trained = encodings.iter().enumerate();
        let trained: Vec<_> = trained.map(|(at, name)| train(name, at)).collect();
        let (runs, archives): (Vec<ProgramRun>, Vec<_>) = trained
            .into_iter()
            .map(|(run, bytes)| {
                let recipe = run.recipe.clone();
                (run, (recipe, bytes))
            })
            .unzip();
        let folders = unpack(&python, &archives, programs.folder());
        let histories: Vec<RunHistory> = runs.iter().map(|run| run.history.clone()).collect();
        for (figure, table) in tables(&histories) {
            let id = figure.id();
            let program = write(&[], &choices_of(figure, &runs)).expect(id);
            assert!(program.contains(&format!("RUN_FOLDERS = [\"{}\"", runs[0].recipe)));
            let name = format!("{group}-{id}");
            programs.add_with_files(&name, &program, &folders);
            expected.push((name, table));
        }
    }
    // Every figure of runs is among them.
    let figures = expected.iter().map(|(name, _)| &name[2..]);
    assert_eq!(figures.collect::<std::collections::BTreeSet<_>>().len(), 11);
    programs.run(&python);
    for (name, table) in expected {
        prints(&programs, &name, &table);
    }
    programs.remove();
}

#[test]
fn a_record_has_the_states_of_its_reports() {
    let (run, _) = train("rotary", 0);
    let states = run.history.reports.iter().map(|report| report.state());
    let again = states.map(|state| TrainingReport::new(state, None));
    let reports: Vec<TrainingReport> = again.collect();
    let first: Vec<TrainingReport> = (run.history.reports.iter())
        .map(|report| (**report).clone())
        .collect();
    assert_eq!(reports, first);
}
