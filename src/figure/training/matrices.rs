//! Position matrices and position tables of runs side by side, on one colour scale.

use super::{RunHistory, report_ranges::RangeLook};
use crate::{
    analysis::Brief,
    figure::{
        ColorMap, Column, Heatmap, MatrixPanel, MatrixPanels, Table, ValueRange, group_thousands,
        number, panel_letter, short_r2,
    },
    math::Tile,
    training::{PositionReport, TrainingReport},
};
use std::sync::Arc;

/// A matrix of a run's positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunMatrix {
    /// Inner products P.
    InnerProducts,
    /// Cosines.
    Cosines,
    /// Inner products minus the mean of their diagonal.
    Residual,
}

impl RunMatrix {
    /// The words in summaries.
    fn name(self) -> &'static str {
        match self {
            Self::InnerProducts => "Inner products of positions",
            Self::Cosines => "Cosines of positions",
            Self::Residual => "Inner products of positions minus the means of their diagonals",
        }
    }

    fn brief(self, positions: &PositionReport) -> &Brief {
        match self {
            Self::InnerProducts | Self::Residual => &positions.inner_products,
            Self::Cosines => &positions.cosines,
        }
    }

    /// Draws the matrix. Scores by offset have queries and keys, tables have positions.
    fn heatmap(self, positions: &PositionReport, map: ColorMap, clip: f64) -> Heatmap {
        let brief = self.brief(positions);
        let tile = match self {
            Self::InnerProducts | Self::Cosines => brief.tile.clone(),
            Self::Residual => residual(brief),
        };
        let heatmap = Heatmap::matrix(Arc::new(tile), map, clip);
        match positions.table {
            Some(_) => heatmap.of_positions(),
            None => heatmap,
        }
    }
}

/// The matrix minus the mean of each diagonal. Matrices of runs are small enough that every block is a cell.
fn residual(brief: &Brief) -> Tile {
    let tile = &brief.tile;
    let rows = tile.window.rows.clone().step_by(tile.row_step);
    let cells = rows.flat_map(|i| {
        let cols = tile.window.cols.clone().step_by(tile.col_step);
        cols.map(move |j| (i, j))
    });
    let mean = |(i, j): (usize, usize)| brief.fit.f.at(j as i64 - i as i64).unwrap_or(f64::NAN);
    let values = cells.zip(&tile.values);
    let values = values.map(|(cell, value)| (f64::from(*value) - mean(cell)) as f32);
    Tile {
        window: tile.window.clone(),
        values: values.collect(),
        cells: None,
        ..*tile
    }
}

/// Draws a matrix of every run's positions at its current step. Runs with a table share one colour scale, and so do runs
/// with scores by offset if there are no others; beside tables each of them has its own, since scores are in other units.
/// Scales of inner products and cosines span all reports, so that colours mean the same at every step; those of residuals
/// span the current ones. `None` if no run has positions now. The table has a row for each panel:
/// `panel,model,step,n,r2,r2_off_diagonal,least,greatest,scale_least,scale_greatest`.
#[must_use]
pub fn run_matrices(
    runs: &[RunHistory],
    part: RunMatrix,
    map: ColorMap,
    clip: f64,
) -> Option<MatrixPanels> {
    let draw = |positions: &PositionReport| Some(part.heatmap(positions, map, clip));
    let range = |run: &RunHistory| matrix_range(std::slice::from_ref(run), part, map, clip);
    panels(runs, range, draw, (part, part.name()))
}

/// Draws the position table of every run at its current step, on one colour scale over all reports of all runs. `None`
/// if no run has a table now. The table of numbers is like that of [`run_matrices`].
#[must_use]
pub fn run_tables(runs: &[RunHistory], map: ColorMap, clip: f64) -> Option<MatrixPanels> {
    let draw = |positions: &PositionReport| table_heatmap(positions, map, clip);
    let range = |run: &RunHistory| table_range(std::slice::from_ref(run), map, clip);
    let subject = (RunMatrix::InnerProducts, "Position tables");
    panels(runs, range, draw, subject)
}

/// Returns the colour range that [`run_matrices`] shares. `None` if no run has positions.
#[must_use]
pub fn matrix_range(
    runs: &[RunHistory],
    part: RunMatrix,
    map: ColorMap,
    clip: f64,
) -> Option<ValueRange> {
    let range = |report: &TrainingReport| {
        let positions = report.positions.as_ref()?;
        Some(part.heatmap(positions, map, clip).range())
    };
    match part {
        RunMatrix::InnerProducts | RunMatrix::Cosines => {
            range_of_states(runs, (Some(part), map, clip), range)
        }
        RunMatrix::Residual => {
            let current = runs.iter().filter_map(|run| run.current.as_deref());
            ValueRange::union(current.filter_map(range))
        }
    }
}

/// Returns the colour range that [`run_tables`] shares. `None` if no run has a table.
#[must_use]
pub fn table_range(runs: &[RunHistory], map: ColorMap, clip: f64) -> Option<ValueRange> {
    range_of_states(runs, (None, map, clip), |report| {
        let positions = report.positions.as_ref()?;
        Some(table_heatmap(positions, map, clip)?.range())
    })
}

/// Returns the range of all reports, each of which `compute` is called with once.
fn range_of_states(
    runs: &[RunHistory],
    look: RangeLook,
    compute: impl Fn(&TrainingReport) -> Option<ValueRange>,
) -> Option<ValueRange> {
    let ranges = runs.iter().flat_map(|run| {
        let states = run.states();
        states.filter_map(|report| run.ranges.range(report, look, &compute))
    });
    ValueRange::union(ranges)
}

fn table_heatmap(positions: &PositionReport, map: ColorMap, clip: f64) -> Option<Heatmap> {
    let table = Arc::new(positions.table.clone()?);
    Some(Heatmap::table(table, map, clip))
}

/// The picture of a run at its current step.
struct RunPanel<'a> {
    run: &'a RunHistory,
    step: u32,
    brief: &'a Brief,
    heatmap: Heatmap,
    has_table: bool,
    /// Range of the run's values, at all steps.
    range: ValueRange,
}

impl RunPanel<'_> {
    /// States R² and the step.
    fn note(&self) -> String {
        let r2 = short_r2(self.brief.r2().off_diagonal);
        format!("R² {r2} at step {}", group_thousands(self.step.into()))
    }
}

/// Arranges the pictures of all runs that have one, see [`run_matrices`]. `range` is that of a run's values. R² is that of
/// a matrix.
fn panels(
    runs: &[RunHistory],
    range: impl Fn(&RunHistory) -> Option<ValueRange>,
    draw: impl Fn(&PositionReport) -> Option<Heatmap>,
    (part, subject): (RunMatrix, &str),
) -> Option<MatrixPanels> {
    let pictures = runs.iter().filter_map(|run| {
        let report = run.current.as_deref()?;
        let positions = report.positions.as_ref()?;
        Some(RunPanel {
            run,
            step: report.step,
            brief: part.brief(positions),
            heatmap: draw(positions)?,
            has_table: positions.table.is_some(),
            range: range(run)?,
        })
    });
    let mut pictures: Vec<RunPanel<'_>> = pictures.collect();
    let has_tables = pictures.iter().any(|picture| picture.has_table);
    let is_shared = |picture: &RunPanel<'_>| picture.has_table == has_tables;
    let sharing = pictures.iter().filter(|picture| is_shared(picture));
    let shared = ValueRange::union(sharing.map(|picture| picture.range))?;
    for picture in pictures.iter_mut().filter(|picture| is_shared(picture)) {
        picture.range = shared;
    }
    let panels = pictures.iter().map(|picture| MatrixPanel {
        title: picture.run.name.clone(),
        note: picture.note(),
        matrix: picture.heatmap.clone().with_range(picture.range.ends),
        source: None,
        term: None,
    });
    let panels = MatrixPanels::new(panels.collect())
        .with_shared_range(shared.ends, |at| is_shared(&pictures[at]));
    let words = pictures.iter().map(|picture| {
        let (low, high) = picture.heatmap.range().values;
        format!(
            "{}: {}, values from {} to {}",
            picture.run.name,
            picture.note(),
            number(low),
            number(high)
        )
    });
    let words: Vec<String> = words.collect();
    let scales = match pictures.iter().all(is_shared) {
        true => "on one colour scale",
        false => "those of tables on one colour scale",
    };
    let summary = format!("{subject}, {scales}. {}.", words.join("; "));
    let table = panel_table(&pictures);
    Some(panels.with_table(table).with_summary(summary))
}

fn panel_table(pictures: &[RunPanel<'_>]) -> Table {
    let real = |of: &dyn Fn(&RunPanel<'_>) -> f64| -> Column { pictures.iter().map(of).collect() };
    let whole = |of: &dyn Fn(&RunPanel<'_>) -> i64| -> Column { pictures.iter().map(of).collect() };
    let names = pictures.iter().map(|picture| picture.run.name.clone());
    Table::new()
        .with("panel", (0..pictures.len()).map(panel_letter).collect())
        .with("model", names.collect())
        .with("step", whole(&|picture| picture.step.into()))
        .with("n", whole(&|picture| picture.brief.fit.f.n() as i64))
        .with("r2", real(&|picture| picture.brief.r2().all))
        .with(
            "r2_off_diagonal",
            real(&|picture| picture.brief.r2().off_diagonal),
        )
        .with("least", real(&|picture| picture.heatmap.range().values.0))
        .with(
            "greatest",
            real(&|picture| picture.heatmap.range().values.1),
        )
        .with("scale_least", real(&|picture| picture.range.ends.0))
        .with("scale_greatest", real(&|picture| picture.range.ends.1))
}
