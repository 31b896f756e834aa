//! Training runs: the order of snapshots, from files or live, and the places that links name.

use crate::support::{
    models::data,
    questions::{ask, open_as},
};
use diagonal::{
    analysis::{
        CloseModel, MOST_LIVE, MemorySession, ModelVersion, PositionOverview, Similarity, Snapshot,
        SnapshotSource, TrainingRun,
    },
    checkpoint::MemorySource,
    model::ModelOptions,
};
use proptest::prelude::*;

fn steps<M>(run: &TrainingRun<M>) -> Vec<u64> {
    run.iter().map(|snapshot| snapshot.step).collect()
}

/// A run of live snapshots, whose models are their numbers from 0.
fn live(steps: impl IntoIterator<Item = u64>) -> TrainingRun<usize> {
    let mut run = TrainingRun::default();
    for (model, step) in steps.into_iter().enumerate() {
        run.insert(step, model, MOST_LIVE).expect("steps grow");
    }
    run
}

#[test]
fn files_are_put_in_order() {
    let names = ["step-1000", "step-0", "notes", "step-2000", "step-0-again"];
    let run = TrainingRun::from_names(0..names.len(), |&at| names[at]);
    let found: Vec<_> = run.iter().map(|s| (s.step, s.model)).collect();
    assert_eq!(found, [(0, 1), (0, 4), (1000, 0), (2000, 3)]);
    assert!(run.iter().all(|s| s.source == SnapshotSource::File));
    assert!(TrainingRun::<usize>::default().is_empty());
}

#[test]
fn a_manual_order_is_numbered() {
    let run = TrainingRun::in_manual_order(["a", "b", "c", "d"], &['c', 'a'], |name| {
        name.chars().next().expect("a letter")
    });
    let found: Vec<_> = run.iter().map(|s| (s.step, s.model)).collect();
    assert_eq!(found, [(1, "c"), (2, "a"), (3, "b"), (4, "d")]);
    let moved = |place, by| run.order_after_move(place, by, |name| *name).concat();
    assert_eq!(moved(0, 1), "acbd");
    assert_eq!(moved(3, -1), "cadb");
    assert_eq!(moved(3, 1), "cabd");
    assert_eq!(moved(0, -1), "cabd");
    assert_eq!(moved(9, 1), "cabd");
}

#[test]
fn live_snapshots_are_inserted_by_their_steps() {
    let mut run = TrainingRun::from_names(["step-10", "step-5"], |name| name);
    assert_eq!(run.insert(20, "live", MOST_LIVE), Ok(None));
    for step in [5, 10, 20] {
        assert_eq!(run.insert(step, "second", MOST_LIVE), Err("second"));
    }
    // Whatever comes first, the order is that of the steps.
    let mut reversed = TrainingRun::default();
    for step in [20, 0, 10, 5] {
        assert_eq!(reversed.insert(step, step, MOST_LIVE), Ok(None));
    }
    let found: Vec<_> = reversed.iter().map(|s| (s.step, s.model)).collect();
    assert_eq!(found, [(0, 0), (5, 5), (10, 10), (20, 20)]);
    assert_eq!(steps(&run), [5, 10, 20]);
    let last = Snapshot {
        step: 20,
        model: "live",
        source: SnapshotSource::Live,
    };
    assert_eq!(run.get(2), Some(&last));
}

#[test]
fn long_training_keeps_evenly_spaced_snapshots() {
    let mut run = TrainingRun::default();
    for model in 0..2000_u64 {
        let step = 25 * model;
        let removed = run.insert(step, model, MOST_LIVE).expect("steps grow");
        assert_eq!(removed.is_some(), model >= MOST_LIVE as u64);
        assert_eq!(run.get(0).map(|s| s.step), Some(0));
        assert_eq!(run.get(run.len() - 1).map(|s| s.step), Some(step));
        let steps = steps(&run);
        let gaps = steps.windows(2).map(|pair| pair[1] - pair[0]);
        // The last gap grows from nothing.
        let inner: Vec<u64> = gaps.take(steps.len().saturating_sub(3)).collect();
        if let (Some(least), Some(most)) = (inner.iter().min(), inner.iter().max()) {
            assert!(most / least <= 4, "{steps:?}");
        }
    }
    assert_eq!(run.len(), MOST_LIVE);
    assert!(
        run.iter()
            .all(|snapshot| snapshot.step == 25 * snapshot.model)
    );
}

/// Checkpoints beside a run are never removed for it.
#[test]
fn files_stay_beside_live_snapshots() {
    let names: Vec<String> = (0..60).map(|step| format!("step-{step}")).collect();
    let mut run = TrainingRun::from_names(names, |name| name);
    for step in 60..200 {
        run.insert(step, "live".to_owned(), MOST_LIVE)
            .expect("steps grow");
    }
    let files = run.iter().filter(|s| s.source == SnapshotSource::File);
    assert_eq!(files.count(), 60);
    assert_eq!(run.len(), 60 + MOST_LIVE);
}

/// Weights in memory are opened like the files of a checkpoint. Every snapshot is a model of its own, so that two are
/// open at once.
#[test]
fn snapshots_in_memory_are_open_side_by_side() {
    let session: MemorySession = MemorySession::default();
    let mut run = TrainingRun::default();
    for (id, step) in [(1, 100), (2, 2000)] {
        let version = ModelVersion { id, revision: 1 };
        let bytes = std::fs::read(data(&format!("snapshots/checkpoint-{step}.safetensors")));
        let files = vec![(
            "live.safetensors".to_owned(),
            MemorySource::new(bytes.expect("a file")),
        )];
        open_as(&session, version, files, ModelOptions::default()).expect("a snapshot");
        assert_eq!(run.insert(step, version, MOST_LIVE), Ok(None));
    }
    assert_eq!(steps(&run), [100, 2000]);
    let similarity = Similarity::InnerProduct;
    let r2 = |snapshot: &Snapshot<ModelVersion>| {
        let of = snapshot.model;
        let overview = ask(&session, PositionOverview { of, similarity });
        overview.map(|summary| summary.fit.r2)
    };
    let found: Vec<f64> = run.iter().map(|s| r2(s).expect("an overview")).collect();
    assert!(found[0] < found[1], "{found:?}");
    ask(&session, CloseModel { id: 1 }).expect("it closes");
    assert!(run.get(0).is_some_and(|first| r2(first).is_err()));
    assert!(run.get(1).is_some_and(|last| r2(last).is_ok()));
}

proptest! {
    /// A named snapshot is found again, and so is its place when others come or go.
    #[test]
    fn a_step_names_a_snapshot(
        mut steps in proptest::collection::vec(0..20_u64, 1..30),
        at: proptest::sample::Index,
        wanted in (0..25_u64, 0..40_usize),
    ) {
        steps.sort_unstable();
        let run_of = |steps: &[u64]| {
            TrainingRun::from_names(steps.iter().map(|step| format!("step-{step}")), |name| name)
        };
        let run = run_of(&steps);
        let place = at.index(steps.len());
        match run.step_at(place) {
            None => prop_assert_eq!(place, 0),
            Some((step, which)) => {
                prop_assert_eq!(step, steps[place]);
                prop_assert_eq!(run.place_of_step((step, which)), place);
                let others: Vec<u64> = steps.iter().copied().filter(|other| *other == step).collect();
                prop_assert_eq!(run_of(&others).place_of_step((step, which)), which);
            }
        }
        // For any step in a link a snapshot is shown: not a later one, unless all are later.
        let found = run.place_of_step(wanted);
        prop_assert!(found < steps.len());
        prop_assert!(steps[found] <= wanted.0 || found == 0);
        prop_assert_eq!(run_of(&[]).place_of_step(wanted), 0);
        prop_assert_eq!(run.step_at(steps.len()), None);
    }

    #[test]
    fn live_snapshots_stay_in_order(gaps in proptest::collection::vec(1..50_u64, 1..200)) {
        let run = live(gaps.iter().scan(0, |step, gap| {
            *step += gap;
            Some(*step)
        }));
        prop_assert_eq!(run.len(), gaps.len().min(MOST_LIVE));
        prop_assert!(run.iter().zip(run.iter().skip(1)).all(|(a, b)| a.step < b.step && a.model < b.model));
        prop_assert_eq!(run.get(run.len() - 1).map(|last| last.model), Some(gaps.len() - 1));
    }
}
