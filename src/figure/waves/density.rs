//! Distribution of a table's values.

use super::spectra::whole;
use crate::{
    analysis::DensitySummary,
    figure::{
        Axis, AxisScale, Column, Dots, Ink, Plot, PlotAxis, PlotMark, ScatterPoint, Table,
        ValueRaster, number,
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

/// Number of rows of [`density_between`].
const ROWS: usize = 128;

/// The density of values at each position, over a range of values other than its own: for tables that share an axis. Its
/// table and its description are those of [`density`].
#[must_use]
pub fn density_between(found: &DensitySummary, (low, high): (f64, f64)) -> Plot {
    let sums: Vec<Vec<f64>> = (found.by_band.iter())
        .map(|band| shares_below(&found.edges, band))
        .collect();
    let step = (high - low) / ROWS as f64;
    let edge = |row: usize| low + row as f64 * step;
    let rows = (0..ROWS).rev().flat_map(|row| {
        let share = move |sums: &Vec<f64>| {
            let below = |value| share_below(&found.edges, sums, value);
            ((below(edge(row + 1)) - below(edge(row))) / step) as f32
        };
        sums.iter().map(share)
    });
    let raster = ValueRaster::new(rows.collect(), sums.len());
    let mut plot = density(found);
    plot.marks = vec![PlotMark::Raster(raster)];
    plot.values((low, high))
}

/// The share of values below each edge of the bins.
fn shares_below(edges: &[f64], densities: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let shares = edges.windows(2).zip(densities).map(|(ends, density)| {
        sum += density * (ends[1] - ends[0]);
        sum
    });
    std::iter::once(0.0).chain(shares).collect()
}

/// The share of values below a value, linear within each bin.
fn share_below(edges: &[f64], sums: &[f64], value: f64) -> f64 {
    let bin = edges.partition_point(|edge| *edge <= value);
    let at = |place: usize| Some((*edges.get(place)?, *sums.get(place)?));
    match (bin.checked_sub(1).and_then(at), at(bin)) {
        (Some((low, before)), Some((high, after))) => {
            before + (after - before) * (value - low) / (high - low)
        }
        (Some((_, all)), None) => all,
        (None, _) => 0.0,
    }
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
