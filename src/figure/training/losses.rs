//! Losses of runs by step, and the table of all numbers by step.

use super::{
    RunHistory,
    step_plot::{plot_over_steps, reference_lines},
};
use crate::{
    figure::{
        Axis, Column, Dots, Ink, Plot, ScatterPoint, Table, group_thousands, number,
        training_timeline::SnapshotScores,
    },
    training::TrainingReport,
};

/// Greatest number of points of a training curve.
const MOST_POINTS: f64 = 200.0;

/// Plots the losses of runs by step: of each step as a thin line, on held-out sequences as dots, and dashed those of
/// the best possible predictor and of one that knows a sequence as a bag of symbols. `step` is marked. The table is
/// [`curves_table`]. `None` before the first loss or report.
#[must_use]
pub fn loss_curves(runs: &[RunHistory], step: Option<u32>) -> Option<Plot> {
    let (plot, last) = plot_over_steps(runs, Axis::Loss, step)?;
    let ends = (0.0, f64::from(last));
    let best = ("best possible", Ink::Ink);
    let bag = ("bag of symbols", Ink::Muted);
    let references = reference_lines(runs, best, ends, |run| run.best_loss)
        .into_iter()
        .chain(reference_lines(runs, bag, ends, |run| Some(run.bag_loss)));
    let training = runs.iter().map(|run| {
        Dots::path(mean_losses(&run.losses))
            .ink(run.ink())
            .width(0.8)
    });
    let held_out = runs.iter().map(|run| {
        let points = (run.reports.iter())
            .map(|report| ScatterPoint::new((f64::from(report.step), report.held_out_loss)));
        Dots::new(&run.name, points)
            .ink(run.ink())
            .with_line()
            .width(2.0)
            .radius(3.0)
    });
    let sentences: Vec<String> = runs.iter().map(in_words).collect();
    Some(
        plot.dots(references.chain(training).chain(held_out))
            .with_table(curves_table(runs))
            .with_summary(sentences.join(" ")),
    )
}

/// Means of the losses over bins that are equally wide on the axis of steps, as step and loss.
fn mean_losses(losses: &[f64]) -> Vec<(f64, f64)> {
    let points: Vec<(f64, f64)> = (1..).map(f64::from).zip(losses.iter().copied()).collect();
    let width = (losses.len() as f64).ln() / MOST_POINTS;
    // A run of one step has bins of no width, so its bin is 0.
    let bin = |point: &(f64, f64)| (point.0.ln() / width) as usize;
    let bins = points.chunk_by(|a, b| bin(a) == bin(b));
    let mean = |points: &[(f64, f64)]| {
        let count = points.len() as f64;
        let sum = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
        (sum(|point| point.0) / count, sum(|point| point.1) / count)
    };
    bins.map(mean).collect()
}

/// States the held-out loss of a run from its first snapshot to its last, and the losses that it is compared to.
fn in_words(run: &RunHistory) -> String {
    let references = match run.best_loss {
        Some(best) => format!(
            "best possible {}, bag of symbols {}",
            number(best),
            number(run.bag_loss)
        ),
        None => format!("bag of symbols {}", number(run.bag_loss)),
    };
    let (Some(first), Some(last)) = (run.reports.first(), run.reports.last()) else {
        return format!("{}: no snapshot yet; {references}.", run.name);
    };
    let at = |report: &TrainingReport| {
        let step = group_thousands(report.step.into());
        format!("{} at step {step}", number(report.held_out_loss))
    };
    let held_out = match first.step == last.step {
        true => at(first),
        false => format!("from {} to {}", at(first), at(last)),
    };
    format!(
        "{}: held-out loss {held_out}, accuracy {:.1} %; {references}.",
        run.name,
        100.0 * last.held_out_accuracy
    )
}

/// Numbers of every snapshot of runs, losses in nats:
/// `step,model,r2,mean_autocorrelation,r2_off_diagonal,r2_random,r2_off_diagonal_random,train_loss,held_out_loss,held_out_accuracy,best_loss,tokens`.
/// R² is that of the inner products of positions.
#[must_use]
pub fn curves_table(runs: &[RunHistory]) -> Table {
    let rows: Vec<(&RunHistory, &TrainingReport, Option<SnapshotScores>)> = (runs.iter())
        .flat_map(|run| run.reports.iter().map(move |report| (run, &**report)))
        .map(|(run, report)| {
            let positions = report.positions.as_ref();
            let scores = positions.map(|positions| SnapshotScores::new(&positions.inner_products));
            (run, report, scores)
        })
        .collect();
    let score = |of: &dyn Fn(SnapshotScores) -> Option<f64>| -> Column {
        let numbers = rows.iter().map(|(.., scores)| scores.and_then(of));
        numbers.map(|value| value.unwrap_or(f64::NAN)).collect()
    };
    let real = |of: fn(&TrainingReport) -> f64| -> Column {
        rows.iter().map(|(_, report, _)| of(report)).collect()
    };
    let best = rows.iter().map(|(run, ..)| run.best_loss);
    let tokens = rows.iter().map(|(_, report, _)| report.tokens);
    Table::new()
        .with(
            "step",
            rows.iter().map(|row| i64::from(row.1.step)).collect(),
        )
        .with("model", rows.iter().map(|row| row.0.name.clone()).collect())
        .with("r2", score(&|scores| Some(scores.r2.all)))
        .with(
            "mean_autocorrelation",
            score(&|scores| scores.mean_autocorrelation),
        )
        .with(
            "r2_off_diagonal",
            score(&|scores| Some(scores.r2.off_diagonal)),
        )
        .with("r2_random", score(&|scores| Some(scores.random?.all)))
        .with(
            "r2_off_diagonal_random",
            score(&|scores| Some(scores.random?.off_diagonal)),
        )
        .with(
            "train_loss",
            real(|report| report.train_loss.unwrap_or(f64::NAN)),
        )
        .with("held_out_loss", real(|report| report.held_out_loss))
        .with("held_out_accuracy", real(|report| report.held_out_accuracy))
        .with(
            "best_loss",
            best.map(|loss| loss.unwrap_or(f64::NAN)).collect(),
        )
        .with(
            "tokens",
            tokens
                .map(|tokens| i64::try_from(tokens).unwrap_or(i64::MAX))
                .collect(),
        )
}
