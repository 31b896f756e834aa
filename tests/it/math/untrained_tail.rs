//! Untrained tails of position tables: found where one was planted, at the row where it begins, and not found in tables
//! that were trained or random throughout.

use super::{laws::config, seam::smooth};
use crate::support::{
    models::{data, f32s, open_model, tensors, write},
    oracles::random,
    questions::{self, FIRST, ask},
};
use diagonal::{
    analysis::{MemorySession, ModelSummary, PositionOverview, Similarity, UNTRAINED_ROWS_NOTE},
    checkpoint::MemorySource,
    encoding::Sinusoidal,
    figure::{Figure, score_bars},
    math::{OffsetR2, Scores, TableBreaks, UntrainedTail, reference},
    model::ModelOptions,
};
use fastrand::Rng;
use ndarray::{Array2, Axis, concatenate, s};
use proptest::prelude::*;

fn tail(table: &Array2<f32>) -> Option<UntrainedTail> {
    TableBreaks::find(table.view()).tail
}

/// A smooth table with random rows of standard deviation `sigma` below it.
fn with_tail(trained: usize, untrained: usize, width: usize, sigma: f32, seed: u64) -> Array2<f32> {
    let noise = random(&mut Rng::with_seed(seed + 7), untrained, width) * sigma;
    let parts = [smooth(trained, width, seed), noise];
    concatenate(Axis(0), &[parts[0].view(), parts[1].view()]).expect("one width")
}

proptest! {
    #![proptest_config(config(128))]

    #[test]
    fn random_tables_and_smooth_ones_have_no_tail(
        rows in 1..400_usize,
        width in 1..128_usize,
        seed in any::<u64>(),
    ) {
        prop_assert_eq!(tail(&random(&mut Rng::with_seed(seed), rows, width)), None);
        prop_assert_eq!(tail(&smooth(rows, width.max(16), seed % 1000)), None);
    }
}

/// Drawn tables, and the tails that may be missed among them: rows that chance made alike are told from trained ones by
/// statistics, so the draws are the same in every run.
const DRAWS: u64 = 200;
const MOST_MISSED: usize = 6;

/// The tail begins where it was planted, give or take the few rows that chance may make alike.
#[test]
fn a_tail_is_found_where_it_begins() {
    let mut missed = Vec::new();
    for seed in 0..DRAWS {
        let mut rng = Rng::with_seed(seed);
        let (trained, untrained) = (rng.usize(16..200), rng.usize(16..300));
        let width = rng.usize(48..160);
        let (sigma, unit) = (2.0_f32.powi(rng.i32(-8..4)), 2.0_f32.powi(rng.i32(-20..20)));
        let table = with_tail(trained, untrained, width, sigma, seed) * unit;
        // Each part alone has none.
        assert_eq!(
            tail(&table.slice(s![..trained, ..]).to_owned()),
            None,
            "{seed}"
        );
        assert_eq!(
            tail(&table.slice(s![trained.., ..]).to_owned()),
            None,
            "{seed}"
        );
        assert_eq!(TableBreaks::find(table.view()).seams, &[], "{seed}");
        let near_tail = tail(&table).filter(|tail| {
            let is_near = tail.first.abs_diff(trained) <= 3;
            is_near && tail.cosine.abs() < 0.1 && tail.cosine_before > 0.7
        });
        if near_tail.is_none() {
            missed.push((seed, tail(&table).map(|tail| tail.first), trained));
        }
    }
    assert!(missed.len() <= MOST_MISSED, "{missed:?}");
}

/// Rows of zeros, as padding tokens have, are neither a tail nor hide one.
#[test]
fn padding_rows_do_not_matter() {
    let mut missed = Vec::new();
    for seed in 0..DRAWS {
        let mut rng = Rng::with_seed(seed);
        let (trained, untrained) = (rng.usize(32..100), rng.usize(48..100));
        let mut table = with_tail(trained, untrained, 96, 0.02, seed);
        for row in [0, 1, trained + untrained - 1] {
            table.row_mut(row).fill(0.0);
        }
        let first = tail(&table).map(|tail| tail.first);
        if first.is_none_or(|first| first.abs_diff(trained) > 3) {
            missed.push((seed, first, trained));
        }
        let mut smooth = smooth(trained, 96, seed);
        smooth.row_mut(0).fill(0.0);
        smooth.row_mut(trained - 1).fill(0.0);
        assert_eq!(tail(&smooth), None, "{seed}");
    }
    assert!(missed.len() <= MOST_MISSED, "{missed:?}");
}

#[test]
fn tables_without_a_tail_have_none() {
    let sinusoidal = Sinusoidal {
        rows: 512,
        width: 64,
        ..Sinusoidal::default()
    };
    for table in [
        sinusoidal.table(),
        Array2::zeros((512, 8)),
        Array2::ones((512, 16)),
        Array2::eye(64),
        Array2::from_elem((512, 16), f32::NAN),
        Array2::from_elem((512, 16), f32::INFINITY),
        Array2::zeros((0, 8)),
        Array2::zeros((512, 0)),
    ] {
        assert_eq!(tail(&table), None, "{:?}", table.dim());
    }
}

#[test]
fn rows_of_zeros_at_the_end_are_a_tail() {
    let mut table = smooth(100, 32, 1);
    table.slice_mut(s![92.., ..]).fill(0.0);
    assert_eq!(
        tail(&table).map(|tail| (tail.first, tail.norm)),
        Some((92, 0.0))
    );
    table.slice_mut(s![8.., ..]).fill(0.0);
    assert_eq!(tail(&table).map(|tail| tail.first), Some(8));
    table.slice_mut(s![7.., ..]).fill(0.0);
    assert_eq!(tail(&table), None);
}

/// Rows that were trained a little are no tail: their neighbours are alike, if only slightly.
#[test]
fn barely_trained_rows_are_no_tail() {
    let (trained, rows, width) = (100, 300, 128);
    let mut table = with_tail(trained, rows - trained, width, 0.05, 5);
    let common = random(&mut Rng::with_seed(9), 1, width) * 0.02;
    for mut row in table.slice_mut(s![trained.., ..]).rows_mut() {
        row += &common.row(0);
    }
    assert_eq!(tail(&table), None);
}

/// Every table of the test checkpoints is trained, computed or random throughout.
#[test]
fn no_test_checkpoint_has_a_tail() {
    let mut tables = 0;
    for folder in std::fs::read_dir(data("")).expect("folders") {
        let file = folder.expect("an entry").path().join("model.safetensors");
        let Ok(bytes) = std::fs::read(&file) else {
            continue;
        };
        let Ok((_, model)) = open_model(bytes, None, &ModelOptions::default()) else {
            continue;
        };
        if let Some(table) = model.table() {
            tables += 1;
            assert_eq!(tail(table), None, "{}", file.display());
        }
    }
    assert!(tables > 10, "{tables}");
}

/// A BERT whose table has 24 rows that texts have reached, and 40 that none has.
fn half_trained() -> (MemorySession, ModelSummary, Array2<f32>) {
    let mut tensors = tensors("bert");
    let name = "embeddings.position_embeddings.weight";
    let name = tensors
        .keys()
        .find(|key| key.ends_with(name))
        .expect("a table")
        .clone();
    let width = tensors[&name].shape[1];
    let table = with_tail(24, 40, width, 0.02, 11);
    let numbers: Vec<f32> = table.iter().copied().collect();
    tensors.insert(name, f32s(&[64, width], |i| numbers[i]));
    let session = MemorySession::default();
    let files = vec![(
        "model.safetensors".to_owned(),
        MemorySource::new(write(&tensors)),
    )];
    let summary = questions::open(&session, files, ModelOptions::default()).expect("opened");
    (session, summary, table)
}

/// R² of the first rows of a table.
fn r2(table: &Array2<f32>, rows: usize) -> OffsetR2 {
    let part = table.slice(s![..rows, ..]).to_owned();
    Scores::from_table(part, None, Similarity::InnerProduct).r2_of(0..rows)
}

#[test]
fn a_note_says_where_the_tail_begins_and_what_remains_without_it() {
    let (session, summary, table) = half_trained();
    let tail = summary.breaks.tail.expect("a tail");
    assert!(tail.first.abs_diff(24) <= 2, "{tail:?}");
    let (first, rows) = (tail.first, table.nrows());
    let mut notes = summary.notes.iter();
    let text = &notes
        .find(|note| note.title == UNTRAINED_ROWS_NOTE)
        .expect("a note")
        .text;
    let (before, all) = (r2(&table, first), r2(&table, rows));
    for part in [
        format!("Rows {first} to 63 look never trained: "),
        format!(
            "R² of the first {first} rows is {:.3}, of all 64 rows {:.3}.",
            before.all, all.all
        ),
        format!(
            "Without k = 0 it is {:.3} and {:.3}.",
            before.off_diagonal, all.off_diagonal
        ),
    ] {
        assert!(text.contains(&part), "{text}\n{part}");
    }
    let dense = |rows: usize| {
        let part = table.slice(s![..rows, ..]).mapv(f64::from);
        part.dot(&part.t())
    };
    for (part, rows) in [(before, first), (all, rows)] {
        let p = dense(rows);
        assert!((part.all - reference::toeplitz_r2(&p)).abs() < 1e-5);
        assert!((part.off_diagonal - reference::off_diagonal_toeplitz_r2(&p)).abs() < 1e-5);
    }
    let overview = PositionOverview {
        of: FIRST,
        similarity: Similarity::InnerProduct,
    };
    let summary = ask(&session, overview).expect("an answer");
    let scope = |name: &str| {
        let mut scopes = summary.scopes.iter();
        let scope = scopes.find(|scope| scope.name == name);
        scope.unwrap_or_else(|| panic!("{name} in {:?}", summary.scopes))
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a}, {b}");
    let trained = scope(&format!("before-tail-0-{}", first - 1));
    assert_eq!(trained.rows, first);
    near(trained.r2.all, before.all);
    assert_eq!(scope(&format!("tail-{first}-63")).rows, 64 - first);
    assert_eq!(summary.scopes[0].name, "whole");
    let bars = score_bars(&summary);
    assert!(
        bars.table()
            .csv()
            .contains(&format!("\ntail-{first}-63,{},", 64 - first))
    );
    let words = format!("0–{}, before tail", first - 1);
    assert!(bars.rows.iter().any(|row| row.label == words));
    assert!(bars.summary().contains(&words), "{}", bars.summary());
}
