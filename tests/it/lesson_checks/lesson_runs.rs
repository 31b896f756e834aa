//! Numbers that lessons read from runs that ship with the page, and their claims: the figures of the training view are
//! made here from the records.

use super::lessons::{lessons, states};
use crate::training::shipped_runs::{record, reports};
use diagonal::{
    figure::{
        ColorMap, Figure, Table,
        training::{
            ReportRanges, RunHistory, curves_table, kernels_table, length_losses, pairs_table,
            run_heads,
        },
    },
    lesson_checks::{ClaimResult, LessonValue, judge, read},
    training::{SHIPPED_RUNS, TrainingRecipe, TrainingReport},
    url_state::{Link, View},
};
use lesson_format::{Number, NumberSource};
use std::{collections::BTreeMap, sync::Arc};

/// Minimum numbers and claims checked here; those of matrices are left to the browser tests.
const FEWEST_NUMBERS: usize = 60;
const FEWEST_CLAIMS: usize = 40;

/// The runs of a link at its step, if all of them ship.
fn histories(
    link: &Link,
    reports_of: &mut BTreeMap<String, Vec<Arc<TrainingReport>>>,
) -> Option<Vec<RunHistory>> {
    let recipes = TrainingRecipe::from_link(link.training.recipes.as_ref()?).ok()?;
    let step = link.training.looked_at.map(|(step, _)| step);
    let history = |(color, recipe): (usize, &TrainingRecipe)| {
        let name = recipe.to_string();
        SHIPPED_RUNS.contains(&&*name).then(|| {
            let all = reports_of
                .entry(name.clone())
                .or_insert_with(|| reports(&name).into_iter().map(Arc::new).collect());
            let record = record(&name);
            let is_current = |report: &&Arc<TrainingReport>| {
                step.is_none_or(|step| u64::from(report.step) == step)
            };
            let current = all.iter().rev().find(is_current).cloned();
            let others = record.evaluations.into_iter();
            let others = others.map(|state| Arc::new(TrainingReport::new(state, None)));
            let mut reports: Vec<_> = others.chain(all.iter().cloned()).collect();
            reports.sort_by_key(|report| report.step);
            RunHistory {
                name: format!("{} · {}", recipe.task, recipe.encoding),
                color,
                best_loss: record.description.best_loss,
                bag_loss: record.description.bag_loss,
                losses: record.losses,
                reports,
                current,
                lengths: record.lengths,
                ranges: ReportRanges::default(),
            }
        })
    };
    recipes.iter().enumerate().map(history).collect()
}

/// The table behind a figure of the training view; `None` for figures that are not made here.
fn table(figure: &str, runs: &[RunHistory]) -> Option<Table> {
    match figure {
        "training-losses" | "training-curves" => Some(curves_table(runs)),
        "training-heads" => Some(run_heads(runs, ColorMap::Diverging)?.table()),
        "training-frequencies" => Some(pairs_table(runs)),
        "training-kernels" | "training-kernel-paths" => Some(kernels_table(runs)),
        "training-lengths" => Some(length_losses(runs)?.table()),
        _ => None,
    }
}

fn value(number: &Number, runs: &[RunHistory]) -> Option<Result<LessonValue, String>> {
    match &number.of {
        NumberSource::Model(_) => None,
        NumberSource::Figure {
            figure,
            reading,
            rows,
        } => Some(read(reading, rows, &table(figure, runs)?)),
    }
}

#[test]
fn numbers_of_runs_are_there_and_their_claims_hold() {
    let mut reports_of = BTreeMap::new();
    let (mut numbers, mut claims) = (0, 0);
    for (id, lesson) in lessons() {
        for (at, (step, state)) in lesson.steps.iter().zip(states(&lesson)).enumerate() {
            let place = format!("{id}, step {}", at + 1);
            let (link, _) = Link::parse(state.expect("a state"));
            if link.view != View::Training {
                continue;
            }
            let Some(runs) = histories(&link, &mut reports_of) else {
                panic!("{place}: a run that does not ship");
            };
            for number in step.numbers() {
                match value(number, &runs) {
                    Some(Ok(_)) => numbers += 1,
                    Some(Err(why)) => panic!("{place}: {number:?}: {why}"),
                    None => {}
                }
            }
            for claim in &step.claims {
                if claim.numbers().any(|number| value(number, &runs).is_none()) {
                    continue;
                }
                let judged = judge(claim, |number| value(number, &runs)?.ok());
                assert_eq!(judged, ClaimResult::Holds, "{place}: {claim:?}");
                claims += 1;
            }
        }
    }
    assert!(numbers >= FEWEST_NUMBERS, "{numbers} numbers");
    assert!(claims >= FEWEST_CLAIMS, "{claims} claims");
}
