//! R² of the positions of runs by step.

use super::{
    RunHistory, curves_table,
    step_plot::{plot_over_steps, reference_lines},
};
use crate::{
    figure::{
        Axis, Dots, Ink, Plot, ScatterPoint, group_thousands, short_r2,
        training_timeline::SnapshotScores,
    },
    math::OffsetR2,
    training::TrainingReport,
};

/// Plots R² of the inner products of positions by step: without k = 0 as dots, with k = 0 as a thin line, and dashed
/// the R² of a random table, with k = 0 and without. `step` is marked. The table is [`curves_table`]. `None` if no run has
/// positions; a run without positions has no line.
#[must_use]
pub fn r2_curves(runs: &[RunHistory], step: Option<u32>) -> Option<Plot> {
    let scores: Vec<(&RunHistory, Vec<(u32, SnapshotScores)>)> = (runs.iter())
        .map(|run| {
            let reports = run.reports.iter();
            let scores = reports.filter_map(|report| Some((report.step, scores_of(report)?)));
            (run, scores.collect::<Vec<_>>())
        })
        .filter(|(_, scores)| !scores.is_empty())
        .collect();
    if scores.is_empty() {
        return None;
    }
    let (plot, last) = plot_over_steps(runs, Axis::ToeplitzR2, step)?;
    let chance = |name: &str, score: fn(&OffsetR2) -> f64| {
        let ends = (0.0, f64::from(last));
        reference_lines(runs, (name, Ink::Muted), ends, |run| {
            let mut scores = run.reports.iter().filter_map(|report| scores_of(report));
            Some(score(&scores.find_map(|scores| scores.random)?))
        })
    };
    let chances = [
        chance("chance, with k = 0", |r2| r2.all),
        chance("without k = 0", |r2| r2.off_diagonal),
    ];
    let points = |scores: &[(u32, SnapshotScores)], of: fn(&SnapshotScores) -> f64| {
        let points = scores.iter();
        let points = points.map(|(step, scores)| (f64::from(*step), of(scores)));
        points.collect::<Vec<_>>()
    };
    let all = scores.iter().map(|(run, scores)| {
        Dots::path(points(scores, |scores| scores.r2.all))
            .ink(run.ink())
            .width(0.8)
    });
    let off_diagonal = scores.iter().map(|(run, scores)| {
        let points = points(scores, |scores| scores.r2.off_diagonal).into_iter();
        Dots::new(&run.name, points.map(ScatterPoint::new))
            .ink(run.ink())
            .with_line()
            .width(2.0)
            .radius(3.0)
    });
    let sentences = scores
        .iter()
        .map(|(run, scores)| in_words(&run.name, scores));
    let sentences: Vec<String> = sentences.collect();
    Some(
        plot.dots(chances.into_iter().flatten().chain(all).chain(off_diagonal))
            .values((0.0, 1.02))
            .with_table(curves_table(runs))
            .with_summary(sentences.join(" ")),
    )
}

/// Returns the scores of a snapshot's positions. `None` if it has none.
fn scores_of(report: &TrainingReport) -> Option<SnapshotScores> {
    let positions = report.positions.as_ref()?;
    Some(SnapshotScores::new(&positions.inner_products))
}

/// States R² without k = 0 from the first snapshot to the last, and the reason if one is missing.
fn in_words(name: &str, scores: &[(u32, SnapshotScores)]) -> String {
    let at = |(step, scores): &(u32, SnapshotScores)| {
        let step = group_thousands((*step).into());
        match scores.r2.missing_reason {
            None => format!("{} at step {step}", short_r2(scores.r2.off_diagonal)),
            Some(why) => format!("none at step {step} ({})", why.name()),
        }
    };
    match scores {
        [first, .., last] => format!(
            "{name}: R² without k = 0 from {} to {}.",
            at(first),
            at(last)
        ),
        [one] => format!("{name}: R² without k = 0 {}.", at(one)),
        [] => String::new(),
    }
}
