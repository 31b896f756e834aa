//! Snapshots of a training run: the step in a name, and a run's numbers against numpy's for the same tables
//! (`tests/data/snapshots/golden.json`).

use crate::{
    encoding::relative::golden,
    support::{
        models::data,
        questions::{FIRST, ask, open},
    },
};
use diagonal::{
    analysis::{Brief, MemorySession, ModelOverview, Similarity, TrainingRun, step_of},
    checkpoint::MemorySource,
    figure::{
        Figure,
        model_comparison::{ComparedModel, autocorrelation},
        training_timeline::{RunPoint, SnapshotScores, training},
    },
    model::ModelOptions,
};
use proptest::prelude::*;
use std::sync::Arc;

const STEPS: [u64; 5] = [0, 100, 500, 1000, 2000];

fn file(step: u64) -> String {
    format!("checkpoint-{step}.safetensors")
}

/// The brief of a model, as the worker sends it.
pub(crate) fn brief(path: &str, similarity: Similarity) -> Brief {
    let folder = data(path);
    let config = folder.parent().expect("a folder").join("config.json");
    let weights = std::fs::read(&folder).expect(path);
    let mut files = vec![(path.to_owned(), MemorySource::new(weights))];
    if let Ok(config) = std::fs::read(&config) {
        let name = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        files.push((format!("{name}/config.json"), MemorySource::new(config)));
    }
    let session = MemorySession::default();
    open(&session, files, ModelOptions::default()).expect(path);
    let of = FIRST;
    ask(&session, ModelOverview { of, similarity }).expect(path)
}

#[test]
fn steps_are_read_from_the_names_that_trainers_give() {
    for (name, step) in [
        ("checkpoint-1000", 1000),
        ("checkpoint-1000/model.safetensors", 1000),
        ("out/checkpoint_500.pt", 500),
        ("step_2000", 2000),
        ("EleutherAI/pythia-70m@step143000", 143_000),
        ("google/multiberts-seed_0-step_100k", 100_000),
        ("bert-step100k.npy", 100_000),
        ("bert-100k-steps", 100_000),
        ("bert-100ksteps", 100_000),
        ("run-1.5m-steps", 1_500_000),
        ("olmo-step1.25k", 1250),
        ("iter-500", 500),
        ("iter_0000500", 500),
        ("ckpt-7.safetensors", 7),
        ("epoch_3", 3),
        ("epoch=3-step=1200.ckpt", 1200),
        ("checkpoint-100/epoch-2", 100),
        ("global_step2000", 2000),
        ("globalstep500", 500),
        ("Checkpoint-0", 0),
        ("model-00002000", 2000),
        ("checkpoint-20/checkpoint-40", 40),
        ("albert-base-v2-step-10", 10),
    ] {
        assert_eq!(step_of(name), Some(step), "{name}");
    }
    for name in [
        "",
        "model.safetensors",
        "model-00001-of-00007.safetensors",
        "bert-base-uncased",
        "albert-base-v2",
        "albert-base-v2-checkpoint",
        "minilm-l6",
        "checkpoint",
        "step-v2",
        "vit-b16-224",
        "run-2026",
        "footstep-12",
        "step99999999999999999999",
    ] {
        assert_eq!(step_of(name), None, "{name}");
    }
}

proptest! {
    #[test]
    fn a_step_is_read_whatever_stands_around_it(
        step in 0u64..1_000_000_000,
        word in prop::sample::select(vec!["step", "checkpoint", "iter", "epoch", "ckpt", "global_step"]),
        between in prop::sample::select(vec!["", "-", "_", "="]),
        after in prop::sample::select(vec!["", ".safetensors", "/model.safetensors", "-hf"]),
    ) {
        prop_assert_eq!(step_of(&format!("bert-base/{word}{between}{step}{after}")), Some(step));
        prop_assert_eq!(step_of(&format!("{word}{between}{step}k{after}")), Some(1000 * step));
    }

    #[test]
    fn any_name_is_read_without_harm(names in prop::collection::vec("\\PC{0,40}|(step|epoch|[0-9km._=é-]){0,12}", 0..8)) {
        let run = TrainingRun::from_names(names.iter().enumerate(), |(_, name)| name);
        let ordered: Vec<_> = run.iter().map(|snapshot| (snapshot.step, snapshot.model.0)).collect();
        for (step, at) in &ordered {
            prop_assert_eq!(step_of(&names[*at]), Some(*step));
        }
        prop_assert_eq!(ordered.len(), names.iter().filter(|name| step_of(name).is_some()).count());
        // By step; models of the same step keep their order.
        prop_assert!(ordered.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

#[test]
fn a_run_has_the_numbers_that_numpy_finds() {
    let golden = golden("snapshots");
    let mut means = Vec::new();
    let snapshots: Vec<ComparedModel> = STEPS
        .iter()
        .enumerate()
        .map(|(at, &step)| {
            let golden = &golden["steps"][step.to_string()];
            let near = |value: f64, expected: &serde_json::Value, what: &str| {
                let expected = expected.as_f64().expect("a number");
                assert!(
                    (value - expected).abs() < 1e-4,
                    "{step}, {what}: {value} {expected}"
                );
            };
            let inner = brief(
                &format!("snapshots/{}", file(step)),
                Similarity::InnerProduct,
            );
            near(inner.fit.r2, &golden["inner_product_r2"], "R²");
            let means_wanted = golden["inner_product_diagonal_mean"]
                .as_array()
                .expect("a list");
            assert_eq!(inner.fit.f.len(), means_wanted.len());
            for (f, expected) in inner.fit.f.iter().zip(means_wanted) {
                near(*f, expected, "a diagonal mean");
            }
            let lags = golden["mean_absolute_autocorrelation"]
                .as_array()
                .expect("a list");
            assert!(
                lags.len() > 20
                    && inner
                        .autocorrelation
                        .as_ref()
                        .is_ok_and(|lags| lags.mean.len() == 48)
            );
            for (lag, expected) in lags.iter().enumerate() {
                near(
                    inner.autocorrelation.as_ref().expect("lags").mean[lag],
                    expected,
                    "an autocorrelation",
                );
            }
            means.push(
                inner.autocorrelation.as_ref().expect("lags").mean[1..]
                    .iter()
                    .sum::<f64>()
                    / 47.0,
            );
            let cosine = brief(&format!("snapshots/{}", file(step)), Similarity::Cosine);
            near(cosine.fit.r2, &golden["cosine_r2"], "R² of cosines");
            assert!(
                cosine.tile.is_exact()
                    && (cosine.tile.at(7, 7).expect("a cell") - 1.0).abs() < 1e-5
            );
            ComparedModel {
                number: at + 1,
                name: file(step),
                brief: Arc::new(inner),
            }
        })
        .collect();

    let run: Vec<(u64, &ComparedModel)> = STEPS.iter().copied().zip(&snapshots).collect();
    let points: Vec<RunPoint> = run
        .iter()
        .map(|(step, model)| RunPoint {
            step: *step,
            name: model.name.clone(),
            scores: SnapshotScores::new(&model.brief),
        })
        .collect();
    let figure = training(&points, Some(500)).expect("a figure");
    let csv = figure.table().csv();
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some("step,model,r2,mean_autocorrelation,r2_off_diagonal,r2_random,r2_off_diagonal_random")
    );
    for ((step, model), mean) in run.iter().zip(&means) {
        let fields: Vec<&str> = lines.next().expect("a line").split(',').collect();
        assert_eq!(fields[..2], [step.to_string(), file(*step)]);
        assert_eq!(fields[2].parse(), Ok(model.brief.fit.r2));
        assert_eq!(
            fields[3].parse::<f64>().map(|v| (v - mean).abs() < 1e-12),
            Ok(true)
        );
    }
    assert_eq!(lines.next(), None);
    assert!(training(&[], None).is_none());
}

#[test]
fn autocorrelation_is_a_mean_and_its_quartiles_by_lag() {
    let brief = brief(
        "snapshots/checkpoint-2000.safetensors",
        Similarity::InnerProduct,
    );
    let csv = autocorrelation(&brief, true)
        .expect("a figure")
        .table()
        .csv();
    assert!(
        csv.starts_with("lag,mean_absolute,quartile_low,quartile_high\n0,1,1,1\n1,0.64"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 49);
    let without = Brief {
        autocorrelation: Err("There is none.".into()),
        ..brief
    };
    assert!(autocorrelation(&without, true).is_err());
    assert_eq!(without.mean_autocorrelation(), None);
}
