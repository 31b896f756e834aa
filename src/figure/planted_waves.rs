//! Waves planted in queries and keys: their columns along position, and their attention.

use super::{
    Axis, AxisScale, ColorMap, Heatmap, Ink, PlotAxis, Series, StackedPlot, Strip, Table,
    format_signed, number,
};
use crate::{
    analysis::planted_waves::{PlantedWaves, WaveBasis, WaveTurn},
    math::{AttentionMask, Tile, Window},
};
use std::sync::Arc;

/// Greatest number of offsets that a sentence lists.
const MOST_LISTED: usize = 4;

/// Plots one column of queries and keys for each wave, along position: in the basis of the waves its cosine, in a random
/// basis the column with the same number. `position,column,query,key`, with columns counted from 1.
#[must_use]
pub fn planted_waves(waves: &PlantedWaves) -> StackedPlot {
    let [queries, keys] = waves.queries_and_keys();
    let columns: Vec<usize> = (0..waves.frequencies.len()).map(|wave| 2 * wave).collect();
    let most = |column: usize| {
        let values = queries
            .column(column)
            .into_iter()
            .chain(keys.column(column));
        values.fold(f64::MIN_POSITIVE, |most, value| most.max(value.abs()))
    };
    let shifts = waves.shifts();
    let strip = |(wave, &column): (usize, &usize)| {
        let line = |name: &str, values: Vec<f64>| {
            let line = Series::new(name, 0, values).width(1.4).in_legend();
            line.with_dashes(name == "key")
        };
        let shift = format!("Δ = {}", number(shifts[wave]));
        let (name, note) = match waves.basis {
            WaveBasis::Own => (format!("f = {}", waves.frequencies[wave]), shift),
            WaveBasis::Random(_) => (format!("column {}", column + 1), "all waves".to_owned()),
        };
        let most = most(column);
        Strip {
            name,
            note,
            lines: vec![
                line("query", queries.column(column).to_vec()).ink(Ink::Category(0)),
                line("key", keys.column(column).to_vec()).ink(Ink::Category(1)),
            ],
            range: (-1.1 * most, 1.1 * most),
            ticks: vec![(0.0, String::new())],
        }
    };
    let cells: Vec<(usize, usize)> = (columns.iter())
        .flat_map(|&column| (0..waves.length).map(move |position| (position, column)))
        .collect();
    let table = Table::new()
        .with("position", cells.iter().map(|cell| cell.0).collect())
        .with("column", cells.iter().map(|cell| cell.1 + 1).collect())
        .with("query", cells.iter().map(|cell| queries[*cell]).collect())
        .with("key", cells.iter().map(|cell| keys[*cell]).collect());
    let last = waves.length.saturating_sub(1) as f64;
    StackedPlot {
        x: PlotAxis::with_name(Axis::Position.title(), AxisScale::Whole).between(0.0, last),
        strips: columns.iter().enumerate().map(strip).collect(),
        strip_height: StackedPlot::STRIP_HEIGHT,
        table,
        summary: shift_words(waves),
    }
}

/// How far the waves of the keys are moved, in sentences.
#[must_use]
pub fn shift_words(waves: &PlantedWaves) -> String {
    let shifts: Vec<String> = waves.shifts().into_iter().map(number).collect();
    let shifts = shifts.join(", ");
    match (waves.turn, waves.basis) {
        (WaveTurn::OneShift(shift), basis) => {
            let distance = match shift {
                0.0 => "at the same position".to_owned(),
                ahead if ahead > 0.0 => format!("{ahead} positions later"),
                behind => format!("{} positions earlier", -behind),
            };
            let columns = match basis {
                WaveBasis::Own => {
                    "Angles grow with the frequency, so every wave of the keys is that of the queries"
                }
                WaveBasis::Random(_) => {
                    "In a random basis every column mixes all waves, and the keys are still the queries"
                }
            };
            let error = waves.shift_error().map_or_else(String::new, |error| {
                format!(
                    " The greatest difference of a query from its key there is {}.",
                    number(error)
                )
            });
            format!("{columns}, {distance}.{error}")
        }
        (WaveTurn::OneAngle(_), WaveBasis::Own) => format!(
            "One angle moves slow waves farther than fast ones: the shifts are {shifts} positions. No Δ fits all."
        ),
        (WaveTurn::OneAngle(_), WaveBasis::Random(_)) => format!(
            "The waves in each column are moved by {shifts} positions. So no column of the keys is a moved column of the queries."
        ),
    }
}

/// The attention softmax(s·Q·Kᵀ) as a matrix.
#[must_use]
pub fn planted_attention(waves: &PlantedWaves, sharpness: f64, map: ColorMap) -> Heatmap {
    let n = waves.length;
    let weights = waves.attention(sharpness);
    let tile = Tile {
        window: Window::whole(n, n),
        row_step: 1,
        col_step: 1,
        values: weights.iter().map(|&weight| weight as f32).collect(),
        cells: None,
    };
    Heatmap::attention(Arc::new(tile), map, n, AttentionMask::Whole)
}

/// Which offset has the greatest attention, how well the waves agree there, and its weight, in sentences.
#[must_use]
pub fn peak_words(waves: &PlantedWaves, sharpness: f64) -> String {
    let peak = waves.peak();
    let offsets = peak.offsets.iter().take(MOST_LISTED);
    let offsets: Vec<String> = offsets.map(|&k| format_signed(k)).collect();
    let first = peak.offsets.first().copied().unwrap_or_default();
    let key = first.rem_euclid(waves.length.max(1) as i64) as usize;
    let weight = waves.attention(sharpness)[[0, key]];
    let count = waves.frequencies.len();
    let agreement = format!(
        "The score there is {} of at most {count}, and the weight is {}.",
        number(peak.score),
        number(weight)
    );
    match (&offsets[..], peak.offsets.len()) {
        ([offset], _) => {
            format!("Every query attends most to the key at offset {offset}. {agreement}")
        }
        (_, many) => {
            let more = if many > MOST_LISTED { ", …" } else { "" };
            format!(
                "Every query attends equally to {many} keys, at offsets {}{more}. {agreement}",
                offsets.join(", ")
            )
        }
    }
}
