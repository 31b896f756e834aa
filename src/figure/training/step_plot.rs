//! Plots over the steps of runs, and dashed lines at values that runs are compared to.

use super::RunHistory;
use crate::figure::{Axis, AxisScale, Dots, Ink, Plot, PlotAxis, StatedRanges, number};

/// Space at the right end of the axis, as a factor of the last step.
const MARGIN: f64 = 1.1;

/// Creates an empty plot over the steps of all runs, with a step marked, and returns the last step with it. `None`
/// before the first loss or report.
pub(super) fn plot_over_steps(
    runs: &[RunHistory],
    y: Axis,
    step: Option<u32>,
) -> Option<(Plot, u32)> {
    let last = runs.iter().filter_map(RunHistory::last_step).max()?;
    let end = MARGIN * f64::from(last.max(1));
    let mut plot = Plot::scatter(Axis::Step, Some(y)).aspect(0.5);
    plot.x = PlotAxis::new(Axis::Step, AxisScale::Steps).between(0.0, end);
    plot.ranges = StatedRanges::None;
    let step = step.filter(|step| *step <= last).map(f64::from);
    Some((plot.mark_place(step), last))
}

/// Draws a value of each run as a dashed line between two places on the horizontal axis. Equal values of all runs are
/// one line with a name and an ink of its own, others a line each in the colour of the run.
pub(super) fn reference_lines(
    runs: &[RunHistory],
    (name, ink): (&str, Ink),
    (from, to): (f64, f64),
    value: impl Fn(&RunHistory) -> Option<f64>,
) -> Vec<Dots> {
    let with_value = runs.iter().filter_map(|run| Some((run, value(run)?)));
    let with_value: Vec<_> = with_value.filter(|(_, value)| value.is_finite()).collect();
    let line = |value: f64| {
        Dots::path([(from, value), (to, value)])
            .with_dashed_line()
            .width(1.2)
    };
    let are_equal = (with_value.windows(2)).all(|two| number(two[0].1) == number(two[1].1));
    match with_value.first() {
        Some((_, value)) if are_equal => {
            vec![Dots {
                name: name.to_owned(),
                ..line(*value).ink(ink)
            }]
        }
        _ => (with_value.iter())
            .map(|(run, value)| line(*value).ink(run.ink()))
            .collect(),
    }
}
