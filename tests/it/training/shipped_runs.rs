//! Runs that ship with the page: their folders are complete, small, and show what their recipes promise.

use crate::support::{models::data, questions::ask_with_files};
use diagonal::{
    analysis::MemorySession,
    checkpoint::MemorySource,
    training::{
        HeadReport, HeadSource, KernelSource, RECORD_FILE, SHIPPED_RUNS, SnapshotDetail,
        TrainingRecipe, TrainingRecord, TrainingReport, is_snapshot_step, last_weights_of,
        shipped_weights_file, snapshot_question,
    },
};
use std::{collections::BTreeSet, fs, path::PathBuf};

/// Greatest size of a run's folder, in bytes.
const MOST_BYTES: u64 = 1_000_000;

fn folder(recipe: &str) -> PathBuf {
    data("../../www/presets/runs").join(recipe)
}

pub(crate) fn record(recipe: &str) -> TrainingRecord {
    let json = fs::read(folder(recipe).join(RECORD_FILE)).expect("a record");
    TrainingRecord::read(&json).expect("a record")
}

/// The weights of a snapshot.
pub(super) fn weights(recipe: &str, step: u32) -> Vec<u8> {
    fs::read(folder(recipe).join(shipped_weights_file(step))).expect("weights")
}

/// The reports of a shipped run, as the page makes them.
pub(crate) fn reports(recipe: &str) -> Vec<TrainingReport> {
    let read = recipe.parse().expect("a recipe");
    let question = snapshot_question(&read, SnapshotDetail::All);
    let report = |state: diagonal::training::SnapshotState| {
        let name = shipped_weights_file(state.step);
        let files = vec![(name, MemorySource::new(weights(recipe, state.step)))];
        let scores = question.clone().map(|question| {
            ask_with_files(&MemorySession::default(), question, files).expect("scores")
        });
        TrainingReport::new(state, scores)
    };
    record(recipe).snapshots.into_iter().map(report).collect()
}

#[test]
fn folders_are_complete_and_small() {
    let stored = fs::read_dir(data("../../www/presets/runs")).expect("a folder");
    let stored = stored.map(|entry| entry.expect("an entry").path());
    let folders = stored.filter(|path| path.is_dir());
    let names = folders.map(|path| path.file_name().map(|name| name.to_owned().into_string()));
    let stored: BTreeSet<String> = names
        .map(|name| name.expect("a name").expect("a text"))
        .collect();
    assert_eq!(stored, SHIPPED_RUNS.map(str::to_owned).into());
    for recipe in SHIPPED_RUNS {
        let read: TrainingRecipe = recipe.parse().expect(recipe);
        assert_eq!(
            read,
            TrainingRecipe::usual(read.task.clone(), read.encoding)
        );
        let record = record(recipe);
        assert_eq!(record.description.recipe, recipe);
        assert_eq!(record.losses.len(), read.steps as usize);
        assert_eq!(record.lengths.len(), 6);
        let steps: Vec<u32> = record.snapshots.iter().map(|state| state.step).collect();
        assert!(steps.is_sorted() && steps.len() >= 7, "{recipe}: {steps:?}");
        assert_eq!((steps[0], steps.last()), (0, Some(&read.steps)));
        let others = record.evaluations.iter().map(|state| state.step);
        let mut all: Vec<u32> = steps.iter().copied().chain(others).collect();
        all.sort_unstable();
        let due = (0..=read.steps).filter(|step| is_snapshot_step(*step, read.steps));
        assert_eq!(all, due.collect::<Vec<_>>(), "{recipe}");
        assert!(last_weights_of(recipe).ends_with(&shipped_weights_file(read.steps)));
        let mut names: BTreeSet<String> = steps.into_iter().map(shipped_weights_file).collect();
        names.insert(RECORD_FILE.to_owned());
        let mut bytes = 0;
        for entry in fs::read_dir(folder(recipe)).expect("a folder") {
            let entry = entry.expect("an entry");
            bytes += entry.metadata().expect("a size").len();
            let name = entry.file_name().into_string().expect("a name");
            assert!(names.remove(&name), "{recipe}: {name}");
        }
        assert!(names.is_empty(), "{recipe} lacks {names:?}");
        assert!(bytes <= MOST_BYTES, "{recipe}: {bytes}");
    }
}

#[test]
fn runs_learn_what_they_are_shown_for() {
    for recipe in SHIPPED_RUNS {
        let reports = reports(recipe);
        let (first, last) = (&reports[0], reports.last().expect("a report"));
        let read: TrainingRecipe = recipe.parse().expect(recipe);
        // Rotary scores need words, so that heads are shown by their attention.
        let source = match read.encoding.has_positional_scores() {
            true => HeadSource::Weights,
            false => HeadSource::Attention,
        };
        let is_complete = |report: &TrainingReport| {
            !report.heads.is_empty() && report.heads.iter().all(|head| head.source == source)
        };
        assert!(reports.iter().all(is_complete), "{recipe}");
        assert!(last.held_out_loss < 0.9 * first.held_out_loss, "{recipe}");
        if read.encoding.turns_pairs() {
            // A head of the first layer looks at the token before, and the second layer uses it (induction).
            let is_previous = |head: &&HeadReport| head.layer == 0 && head.peak_offset == -1;
            let shares = last
                .heads
                .iter()
                .filter(is_previous)
                .map(|head| head.peak_share);
            assert!(shares.fold(0.0, f64::max) > 0.9, "{recipe}");
            assert!(
                last.held_out_loss < 1.1 * record(recipe).description.best_loss.expect("a loss")
            );
            assert!(last.pairs.len() == 2 * 4 * 8 && last.kernels.is_empty());
            continue;
        }
        let r2 = |report: &TrainingReport| {
            let positions = report.positions.as_ref().expect("positions");
            positions.inner_products.r2().off_diagonal
        };
        let (r2_before, r2_after) = (r2(first), r2(last));
        match recipe.split('.').next() {
            Some("chain") => assert!(r2_before < 0.1 && r2_after > 0.5, "{r2_before} {r2_after}"),
            Some("offset3") => assert!(last.held_out_accuracy > 0.99, "{recipe}"),
            _ => {}
        }
        if recipe.starts_with("offset3") {
            let peaks: Vec<i64> = last.heads.iter().map(|head| head.peak_offset).collect();
            assert!(peaks.contains(&-3), "{recipe}: {peaks:?}");
        }
        let source = match recipe.contains("tisa") {
            true => KernelSource::Parameters,
            false => KernelSource::Fits,
        };
        assert_eq!(last.kernel_source, source);
        if recipe.starts_with("offset3") {
            // The head that looks three places back has its strongest kernel there.
            let strongest = last.kernels.iter().max_by(|x, y| x.a.total_cmp(&y.a));
            let centre = strongest.expect("kernels").c;
            assert!((centre + 3.0).abs() < 0.5, "{recipe}: {centre}");
        }
    }
}

#[test]
fn damaged_records_get_a_sentence() {
    for (json, words) in [
        (&b""[..], "damaged"),
        (b"{}", "damaged"),
        (
            br#"{"description":{"recipe":"","config":"","parameters":1,"symbols":2,"best_loss":null,"bag_loss":1},"losses":[],"lengths":[],"snapshots":[],"evaluations":[]}"#,
            "no snapshot",
        ),
    ] {
        let sentence = TrainingRecord::read(json).expect_err("no record");
        assert!(
            sentence.contains(words) && sentence.ends_with('.'),
            "{sentence}"
        );
    }
}
