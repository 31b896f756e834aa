//! Names and order of models among others, and the records of a training run, for any number of snapshots.

use diagonal::{
    analysis::{ModelVersion, TrainingRun},
    figure::{
        ColorMap, Figure, ValueRange,
        model_comparison::greater_first,
        short_r2,
        training_timeline::{RunPicture, RunPoint, RunRecord, SnapshotScores, training},
    },
    math::OffsetR2,
    url_state::{Inside, disambiguate, model_name},
};
use proptest::prelude::*;

const LOOK: (ColorMap, f64) = (ColorMap::Viridis, 1.0);

fn version(id: u32, revision: u32) -> ModelVersion {
    ModelVersion { id, revision }
}

fn range(low: f64, high: f64) -> ValueRange {
    ValueRange {
        ends: (low, high),
        values: (low - 1.0, high + 1.0),
    }
}

fn scores(r2: f64) -> SnapshotScores {
    SnapshotScores {
        r2: OffsetR2::from_numbers(r2, r2),
        random: None,
        mean_autocorrelation: None,
    }
}

/// A run of `count` snapshots, measured as they arrive.
fn measured(count: u32) -> RunRecord {
    let mut run = RunRecord::default();
    for id in 0..count {
        let width = 1.0 + f64::from(id);
        run.keep_scores(version(id, 1), scores(f64::from(id) / f64::from(count)));
        run.keep_range(
            LOOK,
            RunPicture::Cosines,
            version(id, 1),
            range(-1.0, width),
        );
        run.keep_range(LOOK, RunPicture::Table, version(id, 1), range(-width, 0.0));
    }
    run
}

#[test]
fn of_hundreds_of_snapshots_numbers_are_kept() {
    let run = measured(500);
    assert_eq!(run.len(), 500);
    let all = || (0..500).map(|id| version(id, 1));
    let cosines = run.shared_range(LOOK, RunPicture::Cosines, all());
    assert_eq!(cosines, Some(range(-1.0, 500.0)));
    let table = run.shared_range(LOOK, RunPicture::Table, all());
    assert_eq!(table, Some(range(-500.0, 0.0)));
    // The range of a part of the run.
    let some = run.shared_range(LOOK, RunPicture::Cosines, all().take(10));
    assert_eq!(some, Some(range(-1.0, 10.0)));
    // The record of a snapshot is small: it holds no picture.
    assert!(size_of::<SnapshotScores>() <= 64 && size_of::<ValueRange>() <= 32);
}

#[test]
fn what_colours_span_is_known_for_one_look_only() {
    let mut run = measured(3);
    let other = (ColorMap::Viridis, 5.0);
    let all = || (0..3).map(|id| version(id, 1));
    assert_eq!(run.shared_range(other, RunPicture::Cosines, all()), None);
    run.keep_range(other, RunPicture::Cosines, version(0, 1), range(0.0, 0.5));
    let shared = run.shared_range(other, RunPicture::Cosines, all());
    assert_eq!(shared, Some(range(0.0, 0.5)));
    assert_eq!(run.range(LOOK, RunPicture::Table, version(1, 1)), None);
    // Scores do not depend on the colour options.
    assert_eq!(run.scores(version(2, 1)), Some(scores(2.0 / 3.0)));
}

#[test]
fn a_snapshot_that_is_looked_at_otherwise_is_measured_anew() {
    let mut run = measured(3);
    let now = [version(0, 1), version(1, 2)];
    assert_eq!(run.scores(now[1]), None);
    run.keep_only(|of| now.contains(&of));
    assert_eq!(run.len(), 1);
    assert_eq!(run.scores(version(1, 1)), None);
    let shared = run.shared_range(LOOK, RunPicture::Cosines, now);
    assert_eq!(shared, Some(range(-1.0, 1.0)));
    run.keep_only(|_| false);
    assert!(run.is_empty());
}

#[test]
fn curves_show_what_is_known_of_a_run() {
    let point = |step: u64, r2: f64| RunPoint {
        step,
        name: format!("checkpoint-{step}"),
        scores: scores(r2),
    };
    let figure = training(&[point(0, 0.1), point(u64::MAX, 0.9)], None).expect("a figure");
    let table = figure.table();
    assert_eq!(table.rows(), 2);
    assert_eq!(table.row(1)[0], i64::MAX.to_string());
    assert!(figure.summary().contains("0.100") && figure.summary().contains("0.900"));
    assert!(training(&[], None).is_none());
}

#[test]
fn names_tell_models_apart() {
    let apart = |name: &str, wanted: Option<usize>, taken: &[&str]| {
        disambiguate(name, wanted, |other: &str| taken.contains(&other))
    };
    let entry = |name: &str, number: Option<usize>| (name.to_owned(), number);
    assert_eq!(apart("BERT", None, &[]), entry("BERT", None));
    assert_eq!(apart("BERT", None, &["BERT"]), entry("BERT (2)", Some(2)));
    let taken = ["minilm-l6", "minilm-l6 (2)"];
    assert_eq!(
        apart("minilm-l6", None, &taken),
        entry("minilm-l6 (3)", Some(3))
    );
    // Files of the same name get the number in their link, in any order of arrival.
    assert_eq!(apart("BERT", Some(2), &[]), entry("BERT (2)", Some(2)));
    assert_eq!(apart("BERT", Some(2), &["BERT (2)"]), entry("BERT", None));
}

#[test]
fn a_name_says_which_model() {
    let bert = Inside {
        name: None,
        family: "BERT",
        size: (512, 384),
    };
    let name = |called| model_name(called, Some(bert));
    assert_eq!(name("checkpoint-100.safetensors"), "checkpoint-100");
    assert_eq!(name("model.safetensors"), "BERT 512×384");
    assert_eq!(name("pytorch_model.bin"), "BERT 512×384");
    assert_eq!(name("org/model"), "org/model");
    assert_eq!(name("tisa.pt"), "tisa.pt");
    assert_eq!(name(".safetensors"), ".safetensors");
    // Before a model is open, and if its table was chosen manually, there is no family to name.
    assert_eq!(model_name("model.safetensors", None), "model");
    let table = Inside {
        family: "table",
        ..bert
    };
    assert_eq!(model_name("model.safetensors", Some(table)), "model");
    // Relative positions have no width. Some files contain a name of the model.
    let t5 = Inside {
        family: "T5",
        size: (512, 0),
        ..bert
    };
    assert_eq!(model_name("model.safetensors", Some(t5)), "T5");
    let named = Inside {
        name: Some("all-MiniLM-L6-v2"),
        ..bert
    };
    assert_eq!(model_name("model.gguf", Some(named)), "all-MiniLM-L6-v2");
    assert_eq!(model_name("mine.gguf", Some(named)), "mine.gguf");
}

#[test]
fn what_is_no_number_is_no_r2() {
    assert_eq!(short_r2(0.38849), "0.388");
    assert_eq!(short_r2(f64::NAN), "–");
}

proptest! {
    #[test]
    fn models_go_by_r2(mut all in prop::collection::vec(prop::option::of(-1.0..1.0_f64), 0..20)) {
        all.push(Some(f64::NAN));
        let count = all.iter().filter(|r2| r2.is_some_and(|r2| !r2.is_nan())).count();
        all.sort_by(|a, b| greater_first(*a, *b));
        let values: Vec<f64> = all[..count].iter().map(|r2| r2.expect("known first")).collect();
        prop_assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
        prop_assert!(all[count..].iter().all(|r2| r2.is_none_or(f64::is_nan)));
    }

    #[test]
    fn what_was_moved_comes_first_in_its_order(order in Just((0..8_usize).collect::<Vec<_>>()).prop_shuffle(), moved in 0..8_usize) {
        let run = TrainingRun::in_manual_order(0..8, &order[..moved], |item| *item);
        let all: Vec<usize> = run.iter().map(|snapshot| snapshot.model).collect();
        prop_assert_eq!(&all[..moved], &order[..moved]);
        prop_assert!(all[moved..].is_sorted());
    }
}
