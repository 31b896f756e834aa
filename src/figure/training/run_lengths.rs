//! Losses of runs at lengths other than the trained one.

use super::{RunHistory, step_plot::reference_lines};
use crate::{
    figure::{
        Axis, AxisScale, Column, Dots, Ink, Plot, ScatterPoint, StatedRanges, Table, number,
        words::join_words,
    },
    training::LengthScore,
};
use std::collections::BTreeSet;

/// Space at either end of the range of losses, as a share of it.
const MARGIN: f64 = 0.08;

/// Plots the loss of every run by the length of sequences. The trained lengths are marked, and the loss of a predictor
/// that knows a sequence as a bag of symbols is dashed. A length at which a model cannot be evaluated is a gap; see
/// [`length_gaps`]. `None` before the first score. The table is `model,length,loss,accuracy`, NaN at gaps.
#[must_use]
pub fn length_losses(runs: &[RunHistory]) -> Option<Plot> {
    let with_scores = |run: &&RunHistory| run.lengths.iter().any(|score| score.score.is_ok());
    let runs: Vec<RunHistory> = runs.iter().filter(with_scores).cloned().collect();
    let lengths = || runs.iter().flat_map(|run| &run.lengths);
    let places = || lengths().map(|score| score.length as f64);
    let (from, to) = (places().reduce(f64::min)?, places().reduce(f64::max)?);
    let losses = lengths().filter_map(|score| Some(score.score.as_ref().ok()?.0));
    let losses = losses.chain(runs.iter().map(|run| run.bag_loss));
    let losses = losses.filter(|loss| loss.is_finite());
    let (low, high) = losses.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), loss| {
        (low.min(loss), high.max(loss))
    });
    let space = MARGIN * (high - low).max(f64::MIN_POSITIVE);
    let range = (low <= high).then_some((low - space, high + space));
    let bag = ("bag of symbols", Ink::Muted);
    let bag = reference_lines(&runs, bag, (from, to), |run| Some(run.bag_loss));
    let lines = runs.iter().map(|run| {
        let points = (run.lengths.iter())
            .map(|score| ScatterPoint::new((score.length as f64, loss_at(score))));
        Dots::new(&run.name, points)
            .ink(run.ink())
            .with_line()
            .width(2.0)
    });
    let mut plot = Plot::scatter(Axis::Length, Some(Axis::Loss));
    plot.x.scale = AxisScale::Whole;
    plot.ranges = StatedRanges::None;
    let sentences: Vec<String> = runs.iter().map(in_words).collect();
    Some(
        plot.dots(
            range
                .into_iter()
                .flat_map(|range| trained_lengths(&runs, range)),
        )
        .dots(bag.into_iter().chain(lines))
        .values(range)
        .aspect(0.42)
        .with_table(table(&runs))
        .with_summary(sentences.join(" ")),
    )
}

/// The loss at a length; NaN at a gap.
fn loss_at(score: &LengthScore) -> f64 {
    score.score.as_ref().map_or(f64::NAN, |score| score.0)
}

/// Vertical lines at the trained lengths, between two values, of which the first is in the legend.
pub(super) fn trained_lengths<'a>(
    runs: impl IntoIterator<Item = &'a RunHistory>,
    (low, high): (f64, f64),
) -> Vec<Dots> {
    let runs = runs.into_iter();
    let lengths: BTreeSet<usize> = runs.filter_map(RunHistory::trained_length).collect();
    let line = |length: usize| {
        let at = length as f64;
        Dots::path([(at, low), (at, high)])
            .ink(Ink::Band)
            .width(3.0)
    };
    let mut lines: Vec<Dots> = lengths.into_iter().map(line).collect();
    if let Some(first) = lines.first_mut() {
        "trained length".clone_into(&mut first.name);
    }
    lines
}

/// States the loss of a run at each length with a score.
fn in_words(run: &RunHistory) -> String {
    let scores = run.lengths.iter().filter_map(|score| {
        let (loss, _) = score.score.as_ref().ok()?;
        Some(format!("{} at length {}", number(*loss), score.length))
    });
    let scores: Vec<String> = scores.collect();
    let trained = run.trained_length();
    let trained = trained.map_or(String::new(), |length| format!(", trained at {length}"));
    format!(
        "{}{trained}: loss {}; bag of symbols {}.",
        run.name,
        scores.join(", "),
        number(run.bag_loss)
    )
}

/// Returns sentences for each run and reason why lengths have no score.
#[must_use]
pub fn length_gaps(runs: &[RunHistory]) -> Vec<String> {
    runs.iter().flat_map(gaps_of).collect()
}

fn gaps_of(run: &RunHistory) -> Vec<String> {
    // Reasons that differ in the length alone are one; the first stands for all of them.
    let mut gaps: Vec<(String, &str, Vec<String>)> = Vec::new();
    for score in &run.lengths {
        let Err(reason) = &score.score else {
            continue;
        };
        let length = score.length.to_string();
        let key = reason.replace(&length, "");
        match gaps.iter_mut().find(|(other, ..)| *other == key) {
            Some((.., lengths)) => lengths.push(length),
            None => gaps.push((key, reason, vec![length])),
        }
    }
    let sentence = |(_, reason, lengths): (String, &str, Vec<String>)| {
        let word = match lengths.len() {
            1 => "length",
            _ => "lengths",
        };
        let lengths = join_words(&lengths);
        format!("{} has no loss at {word} {lengths}. {reason}", run.name)
    };
    gaps.into_iter().map(sentence).collect()
}

fn table(runs: &[RunHistory]) -> Table {
    let rows: Vec<(&RunHistory, &LengthScore)> = (runs.iter())
        .flat_map(|run| run.lengths.iter().map(move |score| (run, score)))
        .collect();
    let accuracy = |score: &LengthScore| score.score.as_ref().map_or(f64::NAN, |score| score.1);
    let real = |of: &dyn Fn(&LengthScore) -> f64| -> Column {
        rows.iter().map(|(_, score)| of(score)).collect()
    };
    Table::new()
        .with("model", rows.iter().map(|row| row.0.name.clone()).collect())
        .with("length", rows.iter().map(|row| row.1.length).collect())
        .with("loss", real(&loss_at))
        .with("accuracy", real(&accuracy))
}
