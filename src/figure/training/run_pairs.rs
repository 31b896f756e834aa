//! Energy of the pairs of numbers that rotary heads turn, by wavelength.

use super::{RunHistory, report_rows::ReportRows, run_lengths::trained_lengths};
use crate::{
    figure::{
        Axis, AxisScale, Dots, Plot, ScatterPoint, StatedRanges, Table, group_thousands, number,
    },
    training::{PairEnergy, TrainingReport},
};
use std::collections::BTreeMap;

/// Space at either end of the wavelengths, as a factor, and above the greatest share.
const MARGIN: f64 = 1.25;
const MARGIN_ABOVE: f64 = 1.08;
/// A place that is always on the axis of wavelengths, so that it has a tick.
const FIRST_TICK: f64 = 10.0;

/// A run with pairs at its current step.
type RunPairs<'a> = (&'a RunHistory, &'a TrainingReport);

/// Plots the share of a head's energy in each pair of numbers that turn together, over the pair's wavelength: thin lines
/// for the heads of every run at its current step, a thick line for their mean, and a dashed one for the mean at the first
/// snapshot. Shares are over all numbers of a head's queries and keys, see [`PairEnergy::share`]; the axis of shares is
/// that of all steps. The trained lengths are marked. `None` if no run has pairs now. The table is [`pairs_table`].
#[must_use]
pub fn pair_energies(runs: &[RunHistory]) -> Option<Plot> {
    let current: Vec<RunPairs<'_>> = (runs.iter())
        .filter_map(|run| {
            let report = run.current.as_deref()?;
            (!report.pairs.is_empty()).then_some((run, report))
        })
        .collect();
    current.first()?;
    let states = || current.iter().flat_map(|(run, _)| run.states());
    let pairs = || states().flat_map(|report| &report.pairs);
    let lengths = current.iter().filter_map(|(run, _)| run.trained_length());
    let places = (lengths.map(|n| n as f64)).chain(pairs().map(|pair| pair.wavelength));
    let places: Vec<f64> = places.chain([FIRST_TICK]).collect();
    let from = places.iter().copied().reduce(f64::min)? / MARGIN;
    let to = places.iter().copied().reduce(f64::max)? * MARGIN;
    let shares = pairs().map(|pair| pair.share);
    let shares = shares.filter(|share| share.is_finite());
    let top = MARGIN_ABOVE * shares.reduce(f64::max).unwrap_or(1.0);
    let lengths = trained_lengths(current.iter().map(|(run, _)| *run), (0.0, top));
    let heads = current.iter().flat_map(head_lines);
    let starts = current.iter().filter_map(start_line);
    let means = current.iter().map(mean_line);
    let mut plot = Plot::scatter(Axis::Wavelength, None).vertical("share of energy");
    plot.x.scale = AxisScale::Log(1);
    plot.x.range = Some((from, to));
    plot.ranges = StatedRanges::None;
    let sentences: Vec<String> = current.iter().map(in_words).collect();
    Some(
        plot.dots(lengths)
            .dots(heads.chain(starts).chain(means))
            .values((0.0, top))
            .aspect(0.42)
            .with_table(pairs_table(runs))
            .with_summary(sentences.join(" ")),
    )
}

/// The mean share of each wavelength over heads, by wavelength.
fn mean_shares(report: &TrainingReport) -> Vec<(f64, f64)> {
    let mut by_pair = BTreeMap::<usize, Vec<&PairEnergy>>::new();
    for pair in &report.pairs {
        by_pair.entry(pair.pair).or_default().push(pair);
    }
    let mean = |pairs: Vec<&PairEnergy>| {
        let sum: f64 = pairs.iter().map(|pair| pair.share).sum();
        Some((pairs.first()?.wavelength, sum / pairs.len() as f64))
    };
    by_pair.into_values().filter_map(mean).collect()
}

/// The shares of each head of a run.
fn head_lines((run, report): &RunPairs<'_>) -> Vec<Dots> {
    let is_same =
        |one: &PairEnergy, other: &PairEnergy| (one.layer, one.head) == (other.layer, other.head);
    let line = |pairs: &[PairEnergy]| {
        Dots::path(pairs.iter().map(|pair| (pair.wavelength, pair.share)))
            .ink(run.ink())
            .width(0.7)
    };
    report.pairs.chunk_by(is_same).map(line).collect()
}

/// The mean shares of a run, with its name in the legend.
fn mean_line((run, report): &RunPairs<'_>) -> Dots {
    let points = mean_shares(report).into_iter().map(ScatterPoint::new);
    Dots::new(&run.name, points)
        .ink(run.ink())
        .with_line()
        .width(2.2)
        .radius(3.0)
}

/// The mean shares of a run at its first snapshot, unless that is the current step.
fn start_line((run, report): &RunPairs<'_>) -> Option<Dots> {
    let start = run.reports.first()?;
    let line = || {
        Dots::path(mean_shares(start))
            .ink(run.ink())
            .with_dashed_line()
            .width(1.3)
    };
    (start.step != report.step).then(line)
}

/// States the pair with the most energy, the shortest of several, and the share of those up to the trained length, now
/// and at the start.
fn in_words((run, report): &RunPairs<'_>) -> String {
    let shares = mean_shares(report);
    let step = group_thousands(report.step.into());
    let most = (shares.iter()).reduce(|best, pair| if pair.1 > best.1 { pair } else { best });
    let most = most.map_or(String::new(), |(wavelength, share)| {
        format!(
            "the pair at wavelength {} has the most energy, {} on average over heads",
            number(*wavelength),
            percent(*share)
        )
    });
    let within = run.trained_length().map_or(String::new(), |n| {
        let within = |shares: &[(f64, f64)]| {
            let near = shares
                .iter()
                .filter(|(wavelength, _)| *wavelength <= n as f64);
            percent(near.map(|(_, share)| share).sum())
        };
        let start = run.reports.first();
        let start = start.filter(|start| start.step != report.step);
        let start = start.map_or(String::new(), |start| {
            let step = group_thousands(start.step.into());
            format!(", {} at step {step}", within(&mean_shares(start)))
        });
        format!(
            "; wavelengths up to the trained length, {n} tokens, have {}{start}",
            within(&shares)
        )
    });
    format!("{}: at step {step} {most}{within}.", run.name)
}

/// Formats a share: 12 %.
fn percent(share: f64) -> String {
    match share.is_finite() {
        true => format!("{:.0} %", 100.0 * share),
        false => number(share),
    }
}

/// Every pair of every report: `model,step,layer,head,pair,wavelength,query,key,share`, with layers, heads and pairs from
/// 1. Wavelengths are in tokens; `query` and `key` are mean squared lengths.
#[must_use]
pub fn pairs_table(runs: &[RunHistory]) -> Table {
    let rows = ReportRows::new(runs, |report| &report.pairs);
    rows.table(|pair| (pair.layer, pair.head))
        .with("pair", rows.ordinals(|pair| pair.pair))
        .with("wavelength", rows.reals(|pair| pair.wavelength))
        .with("query", rows.reals(|pair| pair.query))
        .with("key", rows.reals(|pair| pair.key))
        .with("share", rows.reals(|pair| pair.share))
}
