//! Figures of the waves of a table: spectra, components, columns, densities, and the comparison with sinusoids.

use crate::{
    analysis::{
        ColumnWave, ComponentSummary, DensitySummary, FEW, SinusoidEvidence, SpectrumSummary,
    },
    figure::{
        Axis, AxisScale, Band, BarRow, Column, Dots, Ink, Plot, PlotAxis, ScatterPoint, Series,
        Share, ShareChart, Table, ValueRaster, number,
    },
    math::{Layout, LayoutDistance, period},
};

/// Share of the spectrum's squares up to the last shown frequency.
const SHOWN: f64 = 0.995;

fn whole(numbers: impl IntoIterator<Item = usize>) -> Column {
    numbers.into_iter().collect()
}

/// Returns the last shown frequency: those beyond have half a percent of the spectrum's squares. At least eight.
fn last_frequency(mean: &[f64]) -> usize {
    let squares = || mean.iter().skip(1).map(|amplitude| amplitude * amplitude);
    let total: f64 = squares().sum();
    let mut sum = 0.0;
    let place = squares().position(|square| {
        sum += square;
        sum >= SHOWN * total
    });
    let last = mean.len().saturating_sub(1);
    (place.map_or(last, |place| place + 1)).max(8).min(last)
}

/// States how many columns are left out, if any.
fn left_out(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => " One column holds something that is no number and is left out.".to_owned(),
        many => format!(" {many} columns hold something that is no number and are left out."),
    }
}

/// Mean and quartiles of a table's amplitude spectra, with the spectrum of the sinusoidal table of the same size,
/// multiplied by ‖E‖/‖S‖ so that both tables have the same norm:
/// `frequency,mean,quartile_low,quartile_high,period,sinusoidal_scaled,sinusoidal_scale`. The last is that factor,
/// equal in every row: `sinusoidal_scaled` divided by it is the spectrum of the sinusoidal table itself.
#[must_use]
pub fn spectrum(found: &SpectrumSummary, all: bool) -> Plot {
    let frequencies = found.mean.len();
    let last = if all {
        frequencies.saturating_sub(1)
    } else {
        last_frequency(&found.mean)
    };
    let periods = (0..frequencies).map(|f| period(found.n, f).unwrap_or(f64::NAN));
    let table = Table::new()
        .with("frequency", whole(0..frequencies))
        .with("mean", Column::Number(found.mean.clone()))
        .with("quartile_low", Column::Number(found.low.clone()))
        .with("quartile_high", Column::Number(found.high.clone()))
        .with("period", periods.collect())
        .with("sinusoidal_scaled", Column::Number(found.control.clone()))
        .with_constant("sinusoidal_scale", found.control_scale);
    let peak = peak(&found.mean);
    let sentence = peak.map_or_else(
        || "Nothing varies along position.".to_owned(),
        |f| {
            let period = period(found.n, f).map_or("–".to_owned(), number);
            format!("The mean spectrum peaks at frequency {f}, a period of {period} tokens.")
        },
    );
    let band = Band {
        first: 0,
        low: found.low.clone(),
        high: found.high.clone(),
    };
    Plot::over(Axis::Frequency)
        .vertical("amplitude")
        .series([
            Series::new("mean of the columns", 0, found.mean.clone())
                .width(2.0)
                .labelled(),
            Series::new(
                format!("sinusoidal table × {}", number(found.control_scale)),
                0,
                found.control.clone(),
            )
            .ink(Ink::Category(1))
            .dashed(true)
            .labelled(),
        ])
        .band(band)
        .horizontal_range((-0.5, last as f64 + 0.5))
        .aspect(0.4)
        .with_table(table)
        .with_summary(format!(
            "{sentence} {}{}",
            control_words(found),
            left_out(found.left_out)
        ))
}

/// Explains the dashed line of a spectrum.
#[must_use]
pub fn control_words(found: &SpectrumSummary) -> String {
    format!(
        "Dashed: the sinusoidal table of this size, multiplied by {} so that both tables have the same norm.",
        number(found.control_scale)
    )
}

/// The frequency of the maximum of a spectrum, without frequency 0.
fn peak(mean: &[f64]) -> Option<usize> {
    let places = (1..mean.len()).filter(|&f| mean[f] > 0.0);
    places.reduce(|most, f| if mean[f] > mean[most] { f } else { most })
}

/// The spectrum of every column, with columns from top to bottom and frequencies from left to right.
#[must_use]
pub fn spectrum_columns(found: &SpectrumSummary, all: bool) -> Plot {
    let heat = &found.heat;
    let (rows, width) = (heat.height(), heat.width());
    let frequencies = found.mean.len();
    let last = if all {
        frequencies.saturating_sub(1)
    } else {
        last_frequency(&found.mean)
    };
    // The number of blocks up to the last frequency.
    let shown = (last / heat.col_step + 1).min(width);
    let values = heat
        .values
        .chunks_exact(width.max(1))
        .flat_map(|row| row[..shown].iter().copied());
    let reach = (shown * heat.col_step).min(frequencies);
    let columns = heat.window.rows.len();
    let table = heat.values.chunks_exact(width.max(1)).enumerate();
    let table = table.flat_map(|(row, values)| {
        values
            .iter()
            .enumerate()
            .map(move |(at, value)| (row, at, f64::from(*value)))
    });
    let cells: Vec<(usize, usize, f64)> = table.collect();
    let table = Table::new()
        .with(
            "column",
            whole(cells.iter().map(|(row, ..)| row * heat.row_step)),
        )
        .with(
            "frequency",
            whole(cells.iter().map(|(_, at, _)| at * heat.col_step)),
        )
        .with(
            "amplitude",
            cells.iter().map(|(.., value)| *value).collect(),
        );
    let blocks = if rows == columns {
        String::new()
    } else {
        format!(" Means of {} columns a row.", heat.row_step)
    };
    Plot::from_values(
        ValueRaster::new(values.collect(), shown),
        PlotAxis::new(Axis::Frequency, AxisScale::Linear).cells(0, reach),
        PlotAxis::named("column", AxisScale::Linear)
            .cells(0, columns)
            .reversed(),
    )
    .with_table(table)
    .with_summary(format!(
        "Amplitude of {columns} columns by frequency.{blocks}"
    ))
}

/// The shares of variance of the components: `component,share,cumulative`.
#[must_use]
pub fn component_shares(found: &ComponentSummary) -> Plot {
    let count = found.shares.len();
    let table = Table::new()
        .with("component", whole(1..=count))
        .with("share", Column::Number(found.shares.clone()))
        .with("cumulative", Column::Number(found.cumulative.clone()));
    let ninety = found.count_for(0.9);
    let shown = found.count_for(0.99).max(8).min(count.max(1));
    Plot::over(Axis::Component)
        .vertical("share of the variance")
        .series([
            Series::new("cumulative", 1, found.cumulative.clone())
                .width(2.0)
                .labelled(),
            Series::new("each", 1, found.shares.clone())
                .ink(Ink::Category(1))
                .labelled(),
        ])
        .horizontal_range((0.5, shown as f64 + 0.5))
        .values((0.0, 1.0))
        .aspect(0.4)
        .with_table(table)
        .with_summary(format!(
            "{ninety} of {count} components explain 90 % of the variance.{}",
            left_out(found.left_out)
        ))
}

/// Coordinates of the positions along the leading components: `position` and one column per component.
#[must_use]
pub fn component_waves(found: &ComponentSummary, count: usize) -> Plot {
    let shown = found.along.iter().take(count).enumerate();
    let n = found.along.first().map_or(0, Vec::len);
    let mut table = Table::new().with("position", whole(0..n));
    for (at, along) in found.along.iter().enumerate() {
        table = table.with(
            format!("component_{}", at + 1),
            Column::Number(along.clone()),
        );
    }
    Plot::over(Axis::Position)
        .vertical("coordinate")
        .series(shown.map(|(at, along)| {
            Series::new(format!("component {}", at + 1), 0, along.clone())
                .ink(Ink::Category(at))
                .labelled()
        }))
        .aspect(0.4)
        .with_table(table)
        .with_summary("Coordinates of the positions along the leading components.")
}

/// The path of the positions in the plane of two components, counted from 0. `None` if one of them is missing.
#[must_use]
pub fn component_path(found: &ComponentSummary, of: (usize, usize)) -> Option<Plot> {
    let (x, y) = (found.along.get(of.0)?, found.along.get(of.1)?);
    let table = Table::new()
        .with("position", whole(0..x.len()))
        .with("x", Column::Number(x.clone()))
        .with("y", Column::Number(y.clone()));
    let points = || x.iter().zip(y).map(|(&x, &y)| ScatterPoint::new((x, y)));
    let first = points().take(1);
    Some(
        Plot::scatter(Axis::Component, Some(Axis::OtherComponent))
            .dots([
                Dots::new("path of the positions", points())
                    .ink(Ink::Category(0))
                    .line(),
                Dots::new("position 0", first).ink(Ink::Category(1)),
            ])
            .aspect(0.8)
            .with_table(table)
            .with_summary(format!(
                "The positions in the plane of components {} and {}.",
                of.0 + 1,
                of.1 + 1
            )),
    )
}

/// Columns along position: `position` and one column per dimension.
#[must_use]
pub fn columns(found: &[ColumnWave]) -> Plot {
    let n = found.first().map_or(0, |column| column.values.len());
    let mut table = Table::new().with("position", whole(0..n));
    let wide = |values: &[f32]| values.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
    for column in found {
        let name = format!("dimension_{}", column.column);
        table = table.with(name, Column::Number(wide(&column.values)));
    }
    let names: Vec<String> = found
        .iter()
        .map(|column| column.column.to_string())
        .collect();
    Plot::over(Axis::Position)
        .vertical("value")
        .series(found.iter().enumerate().map(|(at, column)| {
            Series::new(
                format!("dimension {}", column.column),
                0,
                wide(&column.values),
            )
            .ink(Ink::Category(at))
            .labelled()
        }))
        .aspect(0.4)
        .with_table(table)
        .with_summary(format!("Dimensions {} along position.", names.join(", ")))
}

/// Spectra of columns, one below the other: `dimension,frequency,period,amplitude`.
#[must_use]
pub fn column_spectra(found: &[ColumnWave]) -> Plot {
    let wide = |values: &[f32]| values.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
    let last = found
        .iter()
        .map(|column| last_frequency(&wide(&column.amplitudes)));
    let last = last.max().unwrap_or(0);
    let n = found.first().map_or(0, |column| column.values.len());
    let rows = || {
        found.iter().flat_map(|column| {
            let amplitudes = column.amplitudes.iter().enumerate();
            amplitudes.map(move |(f, &amplitude)| (column.column, f, f64::from(amplitude)))
        })
    };
    let periods = rows().map(|(_, f, _)| period(n, f).unwrap_or(f64::NAN));
    let amplitudes = rows().map(|(.., amplitude)| amplitude);
    let table = Table::new()
        .with("dimension", whole(rows().map(|(dimension, ..)| dimension)))
        .with("frequency", whole(rows().map(|(_, f, _)| f)))
        .with("period", periods.collect())
        .with("amplitude", amplitudes.collect());
    let peaks: Vec<String> = found
        .iter()
        .filter_map(|column| Some(number(period(n, column.peak?)?)))
        .collect();
    Plot::over(Axis::Frequency)
        .vertical("amplitude |DFT|")
        .series(found.iter().enumerate().map(|(at, column)| {
            Series::new(
                format!("dimension {}", column.column),
                0,
                wide(&column.amplitudes),
            )
            .ink(Ink::Category(at))
            .labelled()
        }))
        .horizontal_range((-0.5, last as f64 + 0.5))
        .aspect(0.4)
        .with_table(table)
        .with_summary(format!(
            "Periods of their highest peaks in tokens: {}.",
            peaks.join(", ")
        ))
}

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
        count => format!(" {count} values are no numbers and are left out."),
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
         {without_first} {} values lie beyond the picture.{rest}",
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
                .dashed()
                .line(),
        ])
        .aspect(0.4)
        .with_table(with_moments(table, found))
        .with_summary(density_words(found))
}

/// The distance of the table from each computed layout, and the share that sinusoids explain, equal in every row:
/// `layout,distance,distance_in_order,few_count,few_share,few_random,own_share,own_random`. A bar is 1 − distance, or a
/// share: of a few sinusoids common to all columns, or of one sinusoid per column; of this table, or of random numbers.
#[must_use]
pub fn sinusoid_test(found: &SinusoidEvidence) -> ShareChart {
    let distances = &found.distances;
    // A table with values that are not finite has no distance from any layout. The shares of sinusoids are still known,
    // and have a row.
    let rows = distances.len().max(1);
    let column = |of: &dyn Fn(usize) -> f64| (0..rows).map(of).collect();
    let distance =
        |of: fn(&LayoutDistance) -> f64| column(&|at| distances.get(at).map_or(f64::NAN, of));
    let name = |at| {
        distances
            .get(at)
            .map_or("none", |found: &LayoutDistance| found.layout.name())
    };
    let few = found.shared.len().min(FEW);
    let table = Table::new()
        .with("layout", (0..rows).map(|at| name(at).to_owned()).collect())
        .with("distance", distance(|found| found.distance))
        .with("distance_in_order", distance(|found| found.in_order))
        .with("few_count", whole(std::iter::repeat_n(few, rows)))
        .with("few_share", column(&|_| found.few()))
        .with("few_random", column(&|_| found.random_few))
        .with("own_share", column(&|_| found.own))
        .with("own_random", column(&|_| found.random_own));
    let share = |value: f64, chance: Option<f64>| Share { value, chance };
    let none = share(f64::NAN, None);
    let few = share(found.few(), Some(found.random_few));
    let own = share(found.own, Some(found.random_own));
    let shared = [
        BarRow::new(format!("{FEW} shared sinusoids"), [few, none]),
        BarRow::new("one sinusoid a column", [own, none]),
    ];
    let layouts = distances.iter().map(|found| {
        let layout = match found.layout {
            Layout::Whisper => "Whisper",
            other => other.name(),
        };
        let alike = [found.distance, found.in_order].map(|distance| share(1.0 - distance, None));
        BarRow::new(format!("1 − distance, {layout}"), alike)
    });
    ShareChart::new(
        ["share", "in order"],
        Some("random numbers"),
        shared.into_iter().chain(layouts),
    )
    .with_table(table)
    .with_summary(found.sentence())
}
