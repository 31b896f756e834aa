//! Distribution of a table's values.

use super::spectra::whole;
use crate::{
    analysis::DensitySummary,
    figure::{
        Axis, AxisScale, Column, Dots, Ink, Plot, PlotAxis, ScatterPoint, Table, ValueRaster,
        number,
    },
};

/// Adds columns on all values together, equal in every row: `mean,deviation,skewness,excess_kurtosis,beyond`, then
/// `skewness_without_position_0,excess_kurtosis_without_position_0` of all values except those of position 0.
fn with_moments(table: Table, found: &DensitySummary) -> Table {
    let rows = table.rows();
    table
        .with_constant("mean", found.mean)
        .with_constant("deviation", found.deviation)
        .with_constant("skewness", found.skewness)
        .with_constant("excess_kurtosis", found.excess)
        .with("beyond", whole(std::iter::repeat_n(found.beyond, rows)))
        .with_constant("skewness_without_position_0", found.skewness_without_first)
        .with_constant(
            "excess_kurtosis_without_position_0",
            found.excess_without_first,
        )
}

/// The density of values at each position: `position,value,density`, and the moments of all values together, equal in
/// every row.
#[must_use]
pub fn density(found: &DensitySummary) -> Plot {
    let bins = found.middles.len();
    // The greatest value is at the top; positions run from left to right.
    let values = (0..bins)
        .rev()
        .flat_map(|bin| found.by_band.iter().map(move |band| band[bin] as f32));
    let cells = || (0..found.bands.len()).flat_map(|band| (0..bins).map(move |bin| (band, bin)));
    let column =
        |of: &dyn Fn(usize, usize) -> f64| cells().map(|(band, bin)| of(band, bin)).collect();
    let table = Table::new()
        .with(
            "position",
            whole(cells().map(|(band, _)| found.bands[band].start)),
        )
        .with("value", column(&|_, bin| found.middles[bin]))
        .with("density", column(&|band, bin| found.by_band[band][bin]));
    let n = found.bands.last().map_or(0, |band| band.end);
    let edge = |at: Option<&f64>| at.copied().unwrap_or_default();
    let (low, high) = (edge(found.edges.first()), edge(found.edges.last()));
    Plot::from_values(
        ValueRaster::new(values.collect(), found.bands.len()),
        PlotAxis::new(Axis::Position, AxisScale::Linear).cells(0, n),
        PlotAxis::new(Axis::Value, AxisScale::Linear).between(low, high),
    )
    .with_table(with_moments(table, found))
    .with_summary(density_words(found))
}

fn density_words(found: &DensitySummary) -> String {
    let rest = match found.left_out {
        0 => String::new(),
        count => format!(" {count} values are not numbers and are omitted."),
    };
    let without_first = if found.skewness_without_first.is_finite() {
        format!(
            "Without position 0, skewness is {} and excess kurtosis {}.",
            number(found.skewness_without_first),
            number(found.excess_without_first)
        )
    } else {
        "Without position 0 nothing varies.".to_owned()
    };
    format!(
        "Mean {}, standard deviation {}, skewness {}, excess kurtosis {} (a normal distribution has 0, a sine −1.5). \
         {without_first} {} values are outside the picture.{rest}",
        number(found.mean),
        number(found.deviation),
        number(found.skewness),
        number(found.excess),
        found.beyond
    )
}

/// The density of all values, with the normal density of the same mean and variance: `value,density,normal`, and the
/// moments of all values together, equal in every row.
#[must_use]
pub fn value_histogram(found: &DensitySummary) -> Plot {
    let table = Table::new()
        .with("value", Column::Number(found.middles.clone()))
        .with("density", Column::Number(found.all.clone()))
        .with("normal", Column::Number(found.normal.clone()));
    let points = |heights: &[f64]| {
        let points = found.middles.iter().zip(heights);
        points
            .map(|(&x, &y)| ScatterPoint::new((x, y)))
            .collect::<Vec<_>>()
    };
    Plot::scatter(Axis::Value, Some(Axis::Density))
        .dots([
            Dots::new("all values", points(&found.all))
                .ink(Ink::Category(0))
                .line(),
            Dots::new("normal", points(&found.normal))
                .ink(Ink::Category(1))
                .with_dashed_line()
                .line(),
        ])
        .aspect(0.4)
        .with_table(with_moments(table, found))
        .with_summary(density_words(found))
}
