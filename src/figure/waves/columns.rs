//! Chosen columns of a table, and their spectra.

use super::spectra::{last_frequency, whole};
use crate::{
    analysis::ColumnWave,
    figure::{Axis, Column, Ink, Plot, Series, Table, number},
    math::period,
};

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
            .in_legend()
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
            .in_legend()
        }))
        .horizontal_range((-0.5, last as f64 + 0.5))
        .aspect(0.4)
        .with_table(table)
        .with_summary(format!(
            "Periods of their highest peaks in tokens: {}.",
            peaks.join(", ")
        ))
}
