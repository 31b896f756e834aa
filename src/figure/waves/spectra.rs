//! Spectra of a table's columns.

use crate::{
    analysis::SpectrumSummary,
    figure::{
        Axis, AxisScale, Band, Column, Ink, Plot, PlotAxis, Series, Table, ValueRaster, number,
    },
    math::period,
};

/// Share of the spectrum's squares up to the last shown frequency.
const VISIBLE_SHARE: f64 = 0.995;

pub(super) fn whole(numbers: impl IntoIterator<Item = usize>) -> Column {
    numbers.into_iter().collect()
}

/// Returns the last shown frequency: those beyond have half a percent of the spectrum's squares. At least eight.
pub(in crate::figure) fn last_frequency(mean: &[f64]) -> usize {
    let squares = || mean.iter().skip(1).map(|amplitude| amplitude * amplitude);
    let total: f64 = squares().sum();
    let mut sum = 0.0;
    let place = squares().position(|square| {
        sum += square;
        sum >= VISIBLE_SHARE * total
    });
    let last = mean.len().saturating_sub(1);
    (place.map_or(last, |place| place + 1)).max(8).min(last)
}

/// States how many columns are left out, if any.
pub(super) fn left_out(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => " One column has values that are not numbers and is omitted.".to_owned(),
        many => format!(" {many} columns have values that are not numbers and are omitted."),
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
    let peak = peak_frequency(&found.mean);
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
                .in_legend(),
            Series::new(
                format!("sinusoidal table × {}", number(found.control_scale)),
                0,
                found.control.clone(),
            )
            .ink(Ink::Category(1))
            .with_dashes(true)
            .in_legend(),
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

/// The frequency of the maximum of a spectrum, without frequency 0. `None` if nothing varies.
pub(in crate::figure) fn peak_frequency(mean: &[f64]) -> Option<usize> {
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
    let drawn_columns = (last / heat.col_step + 1).min(width);
    let values = heat
        .values
        .chunks_exact(width.max(1))
        .flat_map(|row| row[..drawn_columns].iter().copied());
    let reach = (drawn_columns * heat.col_step).min(frequencies);
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
        format!(" Each row is the mean of {} columns.", heat.row_step)
    };
    Plot::from_values(
        ValueRaster::new(values.collect(), drawn_columns),
        PlotAxis::new(Axis::Frequency, AxisScale::Linear).cells(0, reach),
        PlotAxis::with_name("column", AxisScale::Linear)
            .cells(0, columns)
            .reverse(),
    )
    .with_table(table)
    .with_summary(format!(
        "Amplitude of {columns} columns by frequency.{blocks}"
    ))
}
