//! Waves of the position tables of runs, side by side on the same axes, by the figures of the waves view.

use super::RunHistory;
use crate::{
    analysis::{ColumnWave, DensitySummary, SnapshotWaves, SpectrumSummary},
    figure::{
        Plot, PlotMark, PlotPanel, PlotPanels, Table, group_thousands, model_comparison, number,
        waves,
    },
    math::{Tile, period},
    training::{PositionReport, TrainingReport},
};

/// Number of columns that are drawn of each table, as in the waves view.
const COLUMNS: usize = 3;
/// Space above the greatest value, and at either end of the values of columns, as a share of the range.
const MARGIN: f64 = 0.05;

/// A picture of the waves of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WavePicture {
    /// The mean spectrum of the columns.
    #[default]
    Spectrum,
    /// The columns with the strongest waves, along position.
    Columns,
    /// The mean autocorrelation of the columns, by lag.
    Autocorrelation,
    /// The density of the values at each position.
    Density,
}

/// A run with the table that figures show now.
struct RunTable<'a> {
    run: &'a RunHistory,
    step: u32,
    positions: &'a PositionReport,
    table: &'a Tile,
    waves: &'a SnapshotWaves,
}

/// A plot of a table, what is written above it besides the step, and the numbers of it.
type TablePlot = (Plot, String, Table);

/// Draws the waves of every run's table at its current step, each as the waves view does, and all on the same axes, which
/// span all steps. Columns are those with the highest peaks at the run's last step, so that they can be followed from step
/// to step. `None` if no run has a table with waves now. The table has the columns `model,step`, and those of the picture:
/// of [`waves::spectrum`], `position,dimension,value`, of [`model_comparison::autocorrelation`], or of [`waves::density`].
#[must_use]
pub fn run_waves(runs: &[RunHistory], picture: WavePicture) -> Option<PlotPanels> {
    let tables: Vec<RunTable<'_>> = runs.iter().filter_map(RunTable::new).collect();
    let plots: Vec<Option<TablePlot>> = match picture {
        WavePicture::Spectrum => spectra(&tables),
        WavePicture::Columns => columns(&tables),
        WavePicture::Autocorrelation => tables.iter().map(autocorrelation).collect(),
        WavePicture::Density => densities(&tables),
    };
    let plots: Vec<(&RunTable<'_>, TablePlot)> = (tables.iter().zip(plots))
        .filter_map(|(table, plot)| Some((table, plot?)))
        .collect();
    plots.first()?;
    let numbers = plots.iter().map(|(table, (.., numbers))| {
        let rows = numbers.rows();
        let names = std::iter::repeat_n(table.run.name.as_str(), rows);
        let steps = std::iter::repeat_n(i64::from(table.step), rows);
        let run = Table::new().with("model", names.collect());
        run.with("step", steps.collect()).beside(numbers.clone())
    });
    let numbers = Table::stack(numbers);
    let sentences = plots.iter().map(|(table, (plot, ..))| {
        let step = group_thousands(table.step.into());
        let words = crate::figure::Figure::summary(plot);
        format!("{} at step {step}: {words}", table.run.name)
    });
    let sentences: Vec<String> = sentences.collect();
    let panels = plots.into_iter().map(|(table, (plot, words, _))| {
        let step = group_thousands(table.step.into());
        PlotPanel {
            title: table.run.name.clone(),
            note: format!("step {step}{words}"),
            plot,
        }
    });
    let panels = panels.collect();
    Some(PlotPanels::new(panels, numbers, sentences.join(" ")))
}

impl<'a> RunTable<'a> {
    fn new(run: &'a RunHistory) -> Option<Self> {
        let report = run.current.as_deref()?;
        let positions = report.positions.as_ref()?;
        Some(Self {
            run,
            step: report.step,
            positions,
            table: positions.table.as_ref()?,
            waves: positions.waves.as_ref()?,
        })
    }

    /// The tables of all steps, with their waves.
    fn states(&self) -> impl Iterator<Item = (&'a Tile, &'a SnapshotWaves)> {
        self.run.states().filter_map(|report| {
            let positions = report.positions.as_ref()?;
            Some((positions.table.as_ref()?, positions.waves.as_ref()?))
        })
    }
}

/// The mean spectrum of the report's table; `None` if it has none.
pub(super) fn spectrum_of(report: &TrainingReport) -> Option<&SpectrumSummary> {
    let waves = report.positions.as_ref()?.waves.as_ref()?;
    waves.spectrum.as_ref().ok()
}

fn greatest(values: impl Iterator<Item = f64>) -> f64 {
    values.filter(|value| value.is_finite()).fold(0.0, f64::max)
}

fn spectra(tables: &[RunTable<'_>]) -> Vec<Option<TablePlot>> {
    let states = || tables.iter().flat_map(RunTable::states);
    let spectra = || states().filter_map(|(_, waves)| waves.spectrum.as_ref().ok());
    let lines = |found: &SpectrumSummary| {
        let lines = [&found.mean, &found.high, &found.control];
        greatest(lines.into_iter().flatten().copied())
    };
    let top = (1.0 + MARGIN) * greatest(spectra().map(lines));
    let frequencies = spectra().map(|found| found.mean.len()).max().unwrap_or(0);
    let end = frequencies as f64 - 0.5;
    let plot = |table: &RunTable<'_>| {
        let found = table.waves.spectrum.as_ref().ok()?;
        let plot = waves::spectrum(found, true)
            .values((top > 0.0).then_some((0.0, top)))
            .horizontal_range((-0.5, end));
        let peak = waves::peak_frequency(&found.mean);
        let peak = peak.and_then(|frequency| period(found.n, frequency));
        let words = peak.map(|period| format!(", peak at a period of {}", number(period)));
        let numbers = plot.table.clone();
        Some((plot, words.unwrap_or_default(), numbers))
    };
    tables.iter().map(plot).collect()
}

fn columns(tables: &[RunTable<'_>]) -> Vec<Option<TablePlot>> {
    let drawn: Vec<Vec<usize>> = tables.iter().map(drawn_columns).collect();
    let values = || {
        let of_run = |(table, columns): (&RunTable<'_>, &Vec<usize>)| {
            let states = table.states().map(|(tile, _)| tile);
            let extents =
                states.flat_map(|tile| columns.iter().map(|column| extent(tile, *column)));
            extents.collect::<Vec<_>>()
        };
        tables.iter().zip(&drawn).flat_map(of_run)
    };
    let low = values().map(|(low, _)| low).fold(f64::INFINITY, f64::min);
    let high = values()
        .map(|(_, high)| high)
        .fold(f64::NEG_INFINITY, f64::max);
    let space = MARGIN * (high - low);
    let range = (low < high).then_some((low - space, high + space));
    let plot = |(table, columns): (&RunTable<'_>, &Vec<usize>)| {
        let spectrum = table.waves.spectrum.as_ref().ok()?;
        let wave = |column: &usize| ColumnWave::from_tiles(*column, table.table, spectrum);
        let found: Vec<ColumnWave> = columns.iter().filter_map(wave).collect();
        found.first()?;
        let plot = waves::columns(&found).values(range);
        Some((plot, String::new(), columns_table(&found)))
    };
    tables.iter().zip(&drawn).map(plot).collect()
}

/// The columns with the highest peaks at the last step of a run.
fn drawn_columns(table: &RunTable<'_>) -> Vec<usize> {
    let spectra = table.run.states().filter_map(|report| {
        let spectrum = spectrum_of(report)?;
        Some((report.step, spectrum))
    });
    let last = spectra.max_by_key(|(step, _)| *step);
    last.map_or_else(Vec::new, |(_, found)| found.strongest_columns(COLUMNS))
}

/// The least and the greatest value of a column.
fn extent(tile: &Tile, column: usize) -> (f64, f64) {
    let values = tile.window.rows.clone();
    let values = values.filter_map(|row| tile.at(row, column)).map(f64::from);
    let values = values.filter(|value| value.is_finite());
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

/// Columns along position: `position,dimension,value`.
fn columns_table(found: &[ColumnWave]) -> Table {
    let cells = || {
        found.iter().flat_map(|wave| {
            let values = wave.values.iter().enumerate();
            values.map(|(position, value)| (position, wave.column, f64::from(*value)))
        })
    };
    Table::new()
        .with("position", cells().map(|(position, ..)| position).collect())
        .with("dimension", cells().map(|(_, column, _)| column).collect())
        .with("value", cells().map(|(.., value)| value).collect())
}

fn autocorrelation(table: &RunTable<'_>) -> Option<TablePlot> {
    let brief = &table.positions.inner_products;
    let plot = model_comparison::autocorrelation(brief, true).ok()?;
    let mean = brief.mean_autocorrelation();
    let words = mean.map(|mean| format!(", mean {} without lag 0", number(mean)));
    let numbers = plot.table.clone();
    Some((plot.aspect(0.4), words.unwrap_or_default(), numbers))
}

fn densities(tables: &[RunTable<'_>]) -> Vec<Option<TablePlot>> {
    let states = || tables.iter().flat_map(RunTable::states);
    let edges = || {
        let densities = states().filter_map(|(_, waves)| waves.density.as_ref().ok());
        densities.flat_map(|found: &DensitySummary| found.edges.iter().copied())
    };
    let low = edges().fold(f64::INFINITY, f64::min);
    let high = edges().fold(f64::NEG_INFINITY, f64::max);
    let plot = |table: &RunTable<'_>| {
        let found = table.waves.density.as_ref().ok()?;
        let plot = waves::density_between(found, (low, high)).aspect(0.42);
        let words = format!(", standard deviation {}", number(found.deviation));
        let numbers = plot.table.clone();
        Some((plot, words, numbers))
    };
    let mut plots: Vec<Option<TablePlot>> = tables.iter().map(plot).collect();
    share_colours(plots.iter_mut().flatten().map(|(plot, ..)| plot));
    plots
}

/// Gives the matrices of plots the same colours: those of the widest range.
pub(super) fn share_colours<'a>(plots: impl Iterator<Item = &'a mut Plot>) {
    let mut rasters: Vec<_> = plots
        .flat_map(|plot| &mut plot.marks)
        .filter_map(|mark| match mark {
            PlotMark::Raster(raster) => Some(raster),
            _ => None,
        })
        .collect();
    let ends = rasters
        .iter()
        .filter_map(|raster| Some(raster.range()?.ends));
    let ends = ends.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)));
    if let Some(ends) = ends {
        for raster in &mut rasters {
            **raster = raster.clone().with_ends(ends);
        }
    }
}
