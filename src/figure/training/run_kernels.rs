//! TISA kernels of runs: the function of every head now, and the centres of its kernels by step.

use super::{RunHistory, report_rows::ReportRows, step_plot::plot_over_steps};
use crate::{
    figure::{Axis, Dots, Plot, ScatterPoint, Series, Table, group_thousands, number},
    training::{KernelSource, TisaKernel, TrainingReport},
};
use std::collections::BTreeMap;

/// Greatest offset of the functions.
const REACH: usize = 30;
/// Least and greatest radius of a kernel's dot, in pixels.
const RADII: (usize, usize) = (2, 6);

/// Layer, head and index of a kernel.
type KernelPlace = (usize, usize, usize);

/// Plots the function f(k) = Σ a·exp(−b(k − c)²) of every head at the current step (TISA paper, equation 5), in the
/// colour of its run, for |k| of at most 30. Kernels that were fitted are those of the last snapshot until then. `None` if
/// no run has kernels now. The table is [`kernels_table`].
#[must_use]
pub fn kernel_functions(runs: &[RunHistory]) -> Option<Plot> {
    let current = runs
        .iter()
        .filter_map(|run| Some((run, report_with_kernels(run)?)));
    let current: Vec<(&RunHistory, &TrainingReport)> = current.collect();
    let lengths = current.iter().filter_map(|(run, _)| run.trained_length());
    let reach = REACH.min(lengths.max()?.saturating_sub(1)) as i64;
    let lines = current.iter().flat_map(|(run, report)| {
        let mut lines = head_functions(run, report, reach);
        if let Some(first) = lines.first_mut() {
            // The legend has one entry for each run.
            *first = Series {
                name: run.name.clone(),
                ..first.clone().in_legend()
            };
        }
        lines
    });
    let lines: Vec<Series> = lines.collect();
    let sentences = current.iter().map(|(run, report)| {
        let source = match report.kernel_source {
            KernelSource::Parameters => "",
            KernelSource::Fits => ", fitted to F̂_P",
        };
        format!(
            "{}: {} kernels of {} heads at step {}{source}.",
            run.name,
            report.kernels.len(),
            heads_of(report).len(),
            group_thousands(report.step.into())
        )
    });
    let sentences: Vec<String> = sentences.collect();
    Some(
        Plot::over(Axis::Offset)
            .vertical("f(k)")
            .series(lines)
            .aspect(0.42)
            .with_table(kernels_table(runs))
            .with_summary(sentences.join(" ")),
    )
}

/// The current report of a run, or the last snapshot before it, whichever has kernels: only those of snapshots are
/// fitted.
fn report_with_kernels(run: &RunHistory) -> Option<&TrainingReport> {
    let current = run.current.as_deref()?;
    let earlier = run.reports.iter().rev().map(|report| &**report);
    let earlier = earlier.filter(|report| report.step <= current.step);
    let mut reports = std::iter::once(current).chain(earlier);
    reports.find(|report| !report.kernels.is_empty())
}

/// The kernels of each head, by layer and head.
fn heads_of(report: &TrainingReport) -> BTreeMap<(usize, usize), Vec<TisaKernel>> {
    let mut heads = BTreeMap::<_, Vec<TisaKernel>>::new();
    for kernel in &report.kernels {
        let place = (kernel.layer, kernel.head);
        heads.entry(place).or_default().push(*kernel);
    }
    heads
}

/// The function of each head of a run, for |k| of at most `reach`.
fn head_functions(run: &RunHistory, report: &TrainingReport, reach: i64) -> Vec<Series> {
    let function = |((layer, head), kernels): (&(usize, usize), &Vec<TisaKernel>)| {
        let f = |k: i64| {
            let kernels = kernels.iter();
            let values = kernels.map(|kernel| value_at(kernel, k as f64));
            values.sum::<f64>()
        };
        let name = format!("{}, layer {}, head {}", run.name, layer + 1, head + 1);
        Series::new(name, -reach, (-reach..=reach).map(f).collect()).ink(run.ink())
    };
    heads_of(report).iter().map(function).collect()
}

/// The value of a kernel at an offset.
fn value_at(kernel: &TisaKernel, k: f64) -> f64 {
    kernel.a * (-kernel.b * (k - kernel.c).powi(2)).exp()
}

/// Plots the centre of every kernel by step, a line for each kernel in the colour of its run. The area of a dot grows
/// with |a|. `step` is marked. Kernels that were fitted are left out if their centre is at no offset of the sequences: such
/// a kernel is the slope of a profile. `None` if no run has kernels. The table is [`kernels_table`].
#[must_use]
pub fn kernel_paths(runs: &[RunHistory], step: Option<u32>) -> Option<Plot> {
    let amplitudes = (runs.iter())
        .flat_map(|run| &run.reports)
        .flat_map(|report| drawn_kernels(report))
        .map(|kernel| kernel.a.abs());
    let greatest = amplitudes.reduce(f64::max)?;
    let (plot, _) = plot_over_steps(runs, Axis::Centre, step)?;
    let dots = runs.iter().flat_map(|run| {
        let mut marks = paths_of(run);
        marks.extend(dots_by_radius(run, greatest));
        if let Some(first) = marks.first_mut() {
            first.name.clone_from(&run.name);
        }
        marks
    });
    let dots: Vec<Dots> = dots.collect();
    let sentences = runs.iter().filter_map(path_words);
    let sentences: Vec<String> = sentences.collect();
    Some(
        plot.dots(dots)
            .with_table(kernels_table(runs))
            .with_summary(sentences.join(" ")),
    )
}

/// The centres of each kernel by step, as lines. Kernels that were fitted have none: from one snapshot to the next, any
/// of them may take the place of another.
fn paths_of(run: &RunHistory) -> Vec<Dots> {
    let mut centres = BTreeMap::<KernelPlace, Vec<(f64, f64)>>::new();
    let reports = run.reports.iter();
    for report in reports.filter(|report| report.kernel_source == KernelSource::Parameters) {
        for kernel in &report.kernels {
            let place = (kernel.layer, kernel.head, kernel.kernel);
            let point = (f64::from(report.step), kernel.c);
            centres.entry(place).or_default().push(point);
        }
    }
    let path = |points: Vec<(f64, f64)>| Dots::path(points).ink(run.ink()).width(1.0);
    centres.into_values().map(path).collect()
}

/// The kernels of a report that have dots, see [`kernel_paths`].
fn drawn_kernels(report: &TrainingReport) -> impl Iterator<Item = &TisaKernel> {
    let attention = report.heads.first().map(|head| head.attention.len());
    let n = attention.map_or(f64::INFINITY, |offsets| offsets.div_ceil(2) as f64);
    let is_fit = report.kernel_source == KernelSource::Fits;
    let kernels = report.kernels.iter();
    kernels.filter(move |kernel| !is_fit || kernel.c.abs() < n)
}

/// The centres of all kernels as dots, in groups of equal radius.
fn dots_by_radius(run: &RunHistory, greatest: f64) -> impl Iterator<Item = Dots> {
    let (least, most) = RADII;
    let radius = move |kernel: &TisaKernel| {
        let share = kernel.a.abs() / greatest.max(f64::MIN_POSITIVE);
        least + (share.sqrt() * (most - least) as f64).round() as usize
    };
    (least..=most).filter_map(move |size| {
        let points = run.reports.iter().flat_map(|report| {
            let kernels = drawn_kernels(report).filter(|kernel| radius(kernel) == size);
            kernels.map(|kernel| ScatterPoint::new((f64::from(report.step), kernel.c)))
        });
        let points: Vec<ScatterPoint> = points.collect();
        (!points.is_empty()).then(|| Dots::new("", points).ink(run.ink()).radius(size as f64))
    })
}

/// States the kernel of a run with the greatest amplitude at its last snapshot.
fn path_words(run: &RunHistory) -> Option<String> {
    let report = run.reports.last()?;
    let kernels = report.kernels.iter();
    let strongest = kernels.max_by(|a, b| a.a.abs().total_cmp(&b.a.abs()))?;
    Some(format!(
        "{}: at step {} the kernel with the greatest |a| is in head {} of layer {}, with a = {}, b = {} and c = {}.",
        run.name,
        group_thousands(report.step.into()),
        strongest.head + 1,
        strongest.layer + 1,
        number(strongest.a),
        number(strongest.b),
        number(strongest.c)
    ))
}

/// Every kernel of every report: `model,step,layer,head,kernel,a,b,c,source`, with layers, heads and kernels from 1; the
/// source is `parameters` or `fit`.
#[must_use]
pub fn kernels_table(runs: &[RunHistory]) -> Table {
    let rows = ReportRows::new(runs, |report| &report.kernels);
    let sources = rows
        .iter()
        .map(|(_, report, _)| match report.kernel_source {
            KernelSource::Parameters => "parameters",
            KernelSource::Fits => "fit",
        });
    rows.table(|kernel| (kernel.layer, kernel.head))
        .with("kernel", rows.ordinals(|kernel| kernel.kernel))
        .with("a", rows.reals(|kernel| kernel.a))
        .with("b", rows.reals(|kernel| kernel.b))
        .with("c", rows.reals(|kernel| kernel.c))
        .with("source", sources.collect())
}
