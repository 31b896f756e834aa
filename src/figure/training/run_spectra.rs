//! Spectra of the position tables of runs over steps.

use super::{
    RunHistory,
    run_waves::{share_colours, spectrum_of},
};
use crate::{
    analysis::SpectrumSummary,
    figure::{
        Axis, AxisScale, Column, Dots, Ink, Plot, PlotAxis, PlotPanel, PlotPanels, StatedRanges,
        Table, ValueRaster, group_thousands, number, waves::peak_frequency,
    },
    math::period,
};

/// Number of columns of a picture.
const COLUMNS: usize = 240;
/// Space at the right end of the axis, as a factor of the last step.
const MARGIN: f64 = 1.1;
/// Greatest ratio of a step to that of the snapshot whose spectrum is drawn there. Neighbouring snapshots are up to a
/// factor of 2 apart; where they are farther apart, the picture has a gap.
const REACH: f64 = 1.5;

/// Height of a panel over its width.
const ASPECT: f64 = 0.42;

/// A run with the spectra of its snapshots, by step.
struct TableSpectra<'a> {
    run: &'a RunHistory,
    spectra: Vec<(u32, &'a SpectrumSummary)>,
}

/// Draws the mean spectrum of the columns of every run's position table over steps: frequencies from bottom to top,
/// brightness for amplitude. A snapshot is drawn up to halfway to the next one; where no weights are stored there is a gap.
/// All panels have the same axes and colours, and `step` is marked. `None` if no run has a table with spectra. The table is
/// `model,step,frequency,period,mean`.
#[must_use]
pub fn run_spectra(runs: &[RunHistory], step: Option<u32>) -> Option<PlotPanels> {
    let runs: Vec<TableSpectra<'_>> = runs.iter().filter_map(TableSpectra::new).collect();
    let snapshots = || runs.iter().flat_map(|run| &run.spectra);
    let last = snapshots().map(|(step, _)| *step).max()?;
    let frequencies = snapshots().map(|(_, found)| found.mean.len()).max()?;
    let x =
        PlotAxis::new(Axis::Step, AxisScale::Steps).between(0.0, MARGIN * f64::from(last.max(1)));
    let y = PlotAxis::new(Axis::Frequency, AxisScale::Linear).cells(0, frequencies);
    let marked = step.filter(|step| *step <= last).map(f64::from);
    let plots = runs.iter().map(|run| {
        let raster = ValueRaster::new(run.values(&x, frequencies), COLUMNS);
        let mut plot = Plot::from_values(raster, x.clone(), y.clone())
            .dots(
                marked
                    .into_iter()
                    .flat_map(|step| step_line(step, frequencies)),
            )
            .aspect(ASPECT);
        plot.ranges = StatedRanges::None;
        plot
    });
    let mut plots: Vec<Plot> = plots.collect();
    share_colours(plots.iter_mut());
    let sentences: Vec<String> = runs.iter().map(TableSpectra::in_words).collect();
    let panels = runs.iter().zip(plots).map(|(run, plot)| PlotPanel {
        title: run.run.name.clone(),
        note: run.note(),
        plot,
    });
    let table = spectra_table(&runs);
    Some(PlotPanels::new(
        panels.collect(),
        table,
        sentences.join(" "),
    ))
}

/// A line at a step, visible on every colour: between lighter or darker edges.
fn step_line(step: f64, frequencies: usize) -> [Dots; 2] {
    let ends = [(step, -0.5), (step, frequencies as f64 - 0.5)];
    [(Ink::Paper, 4.0), (Ink::Ink, 1.6)].map(|(ink, width)| Dots::path(ends).ink(ink).width(width))
}

impl<'a> TableSpectra<'a> {
    fn new(run: &'a RunHistory) -> Option<Self> {
        let spectra = run.reports.iter();
        let spectra = spectra.filter_map(|report| Some((report.step, spectrum_of(report)?)));
        let spectra: Vec<_> = spectra.collect();
        (!spectra.is_empty()).then_some(Self { run, spectra })
    }

    /// The amplitudes as rows from the highest frequency down, NaN at gaps.
    fn values(&self, x: &PlotAxis, frequencies: usize) -> Vec<f32> {
        let columns = x.values_across(COLUMNS);
        let shown: Vec<Option<&SpectrumSummary>> = columns.map(|step| self.nearest(step)).collect();
        let rows = (0..frequencies).rev().flat_map(|frequency| {
            shown.iter().map(move |found| {
                let amplitude = found.and_then(|found| found.mean.get(frequency));
                amplitude.map_or(f32::NAN, |amplitude| *amplitude as f32)
            })
        });
        rows.collect()
    }

    /// The spectrum of the snapshot that is nearest to a place on the axis of steps, unless that is too far away.
    fn nearest(&self, step: f64) -> Option<&'a SpectrumSummary> {
        let distance = |other: &u32| {
            let place = |step: f64| PlotAxis::step_place(step).ln();
            (place(f64::from(*other)) - place(step)).abs()
        };
        let distances = self
            .spectra
            .iter()
            .map(|(step, found)| (distance(step), *found));
        let nearest = distances.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (nearest.0 <= REACH.ln()).then_some(nearest.1)
    }

    /// The period of the peak at a snapshot.
    fn peak((step, found): &(u32, &SpectrumSummary)) -> String {
        let peak = peak_frequency(&found.mean);
        let period = peak.and_then(|frequency| period(found.n, frequency));
        let period = period.map_or("–".to_owned(), number);
        format!(
            "{period} tokens at step {}",
            group_thousands((*step).into())
        )
    }

    fn note(&self) -> String {
        let last = self.spectra.last().map(Self::peak);
        format!("peak at {}", last.unwrap_or_default())
    }

    /// States the period of the highest peak at the first snapshot and at the last.
    fn in_words(&self) -> String {
        let peaks = match self.spectra.as_slice() {
            [first, .., last] => format!("{}, and of {}", Self::peak(first), Self::peak(last)),
            [one] => Self::peak(one),
            [] => String::new(),
        };
        let name = &self.run.name;
        format!("{name}: the mean spectrum peaks at a period of {peaks}.")
    }
}

/// A row for each frequency of each snapshot.
fn spectra_table(runs: &[TableSpectra<'_>]) -> Table {
    let rows = runs.iter().flat_map(|run| {
        let frequencies = run.spectra.iter().flat_map(|(step, found)| {
            let means = found.mean.iter().enumerate();
            means.map(move |(frequency, mean)| (*step, *found, frequency, *mean))
        });
        frequencies.map(|row| (run.run.name.as_str(), row))
    });
    let rows: Vec<_> = rows.collect();
    let periods = (rows.iter()).map(|(_, (_, found, frequency, _))| period(found.n, *frequency));
    let periods: Column = periods.map(|period| period.unwrap_or(f64::NAN)).collect();
    Table::new()
        .with("model", rows.iter().map(|(name, _)| *name).collect())
        .with(
            "step",
            rows.iter().map(|(_, row)| i64::from(row.0)).collect(),
        )
        .with("frequency", rows.iter().map(|(_, row)| row.2).collect())
        .with("period", periods)
        .with("mean", rows.iter().map(|(_, row)| row.3).collect())
}
