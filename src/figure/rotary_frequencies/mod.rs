//! Heads of a rotary model by wavelength: how much each uses the pairs of columns that rotary positions rotate.

mod frequency_map;
mod head_rows;
mod head_ticks;
mod words;

pub use frequency_map::FrequencyMap;
use frequency_map::PairPlaces;
pub use words::{pair_reading, pairs_in_use};

use super::{
    Axis, AxisScale, Column, Dots, Ink, Plot, PlotAxis, Table, ValueRaster, group_thousands,
};
use crate::analysis::RotaryLayers;
use head_rows::{HeadRow, head_rows};
use std::cmp::Ordering;

/// The numbers that colours stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FrequencyColours {
    /// Shares of pairs in the maps to queries and keys, with the scales of norms.
    #[default]
    Share,
    /// The same of the stored maps alone.
    StoredShare,
    /// The greatest scores that norms on queries and keys allow.
    Bound,
    /// |E q| / E|q| of the pairs of queries, from statistics over a text: 1 if all queries are alike. Shares for other
    /// models.
    Concentration,
}

/// How the map of heads and wavelengths is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrequencyLook {
    /// The colours.
    pub colours: FrequencyColours,
    /// Whether heads with the fewest effective pairs come first, instead of those of the first layer. Bounds are always
    /// in the order of layers.
    pub by_effective_pairs: bool,
}

/// Number of columns of the picture, at which each pair has some.
const COLUMNS: usize = 512;
/// Maximum number of rows of the picture, more than a screen has pixels.
const MOST_ROWS: usize = 1024;
/// Maximum number of labelled wavelengths, which fit into a narrow figure.
const MOST_TICKS: f64 = 8.0;
/// Space beside a trained length at the end of the axis, as a factor.
const MARGIN: f64 = 1.25;

/// Maps heads (rows) and wavelengths (columns, logarithmic): the colour is the share of a pair, see
/// [`pair_shares`](crate::math::pair_shares), or its bound. The trained length is a vertical line. Beside shares, bars
/// have the effective number of pairs of each head.
///
/// Layers and heads that have not arrived, and layers that do not rotate, are empty. The table has every pair, in the
/// order of layers, with layers, heads and pairs from 1: `layer,head,pair,wavelength,query,key,share`, where wavelengths
/// are in tokens, and `query` and `key` energies; of bounds it is `layer,head,pair,wavelength,bound`, of
/// statistics of queries `layer,head,pair,wavelength,size,mean,concentration,share` with E|q|, |E q|, their quotient and
/// the share of E|q|² in its head. `None` before the
/// first head.
#[must_use]
pub fn frequency_map(layers: &RotaryLayers, look: FrequencyLook) -> Option<FrequencyMap> {
    let rows = head_rows(layers, look.colours);
    let mut places = rows.iter().flat_map(HeadRow::edges);
    let first = places.next()?;
    let (low, high) = places.fold(first, |(low, high), (from, to)| {
        (low.min(from), high.max(to))
    });
    let trained = layers
        .trained_length
        .filter(|length| *length >= 1.0 && length.is_finite());
    let low = trained.map_or(low, |length| low.min(length / MARGIN));
    let high = trained.map_or(high, |length| high.max(length * MARGIN));
    let is_sorted = look.by_effective_pairs && look.colours != FrequencyColours::Bound;
    let order = if is_sorted {
        HeadOrder::by_effective_pairs(&rows)
    } else {
        HeadOrder::by_layer(&rows, layers)
    };
    let values = order.lines.iter().flat_map(|heads| {
        let heads: Vec<&HeadRow> = heads.iter().filter_map(|at| rows.get(*at)).collect();
        line(&heads, (low, high))
    });
    let (top, bottom) = order.range;
    let decades = ((high / low).log10() / MOST_TICKS).ceil().max(1.0) as usize;
    let mut plot = Plot::from_values(
        ValueRaster::new(values.collect(), COLUMNS),
        PlotAxis::new(Axis::Wavelength, AxisScale::Log(decades)).between(low, high),
        PlotAxis::with_name(order.name, AxisScale::Marked(head_ticks::ticks(bottom)))
            .between(bottom, top),
    )
    .aspect(0.95)
    .with_table(table(&rows, look.colours))
    .with_summary(words::summary(&rows, layers, look, order.heads_per_line));
    if let Some(length) = trained {
        let name = format!("trained length, {} tokens", group_thousands(length as u64));
        let ends = [(length, top), (length, bottom)];
        // Visible on every colour: a line between lighter or darker edges.
        let edges = Dots::path(ends).ink(Ink::Paper).width(4.0);
        let mut rule = Dots::path(ends).ink(Ink::Ink).width(1.6);
        rule.name = name;
        plot = plot.dots([edges, rule]);
    }
    let effective = order.lines.iter().map(|heads| {
        let heads = heads.iter().filter_map(|at| rows.get(*at));
        mean(heads.map(|head| head.effective))
    });
    let effective: Vec<f64> = match look.colours {
        FrequencyColours::Bound => Vec::new(),
        _ => effective.collect(),
    };
    let most = rows.iter().map(|head| head.pairs.len()).max()?;
    let places = PairPlaces {
        lines: order.lines,
        rows,
        wavelengths: (low, high),
    };
    Some(FrequencyMap::new(plot, effective, most, places))
}

/// The heads in each line of the picture.
struct HeadOrder {
    /// Indices of rows; several where there are more heads than lines.
    lines: Vec<Vec<usize>>,
    /// Name of the vertical axis, and the numbers at its upper and lower end.
    name: &'static str,
    range: (f64, f64),
    heads_per_line: usize,
}

impl HeadOrder {
    /// Every layer has the same height, that of the heads of the layer with the most.
    fn by_layer(rows: &[HeadRow], layers: &RotaryLayers) -> Self {
        let count = layers.total
            - layers
                .unread
                .map_or(0, |(unread, _)| unread)
                .min(layers.total);
        let last = rows.iter().map(|row| row.layer + 1).max().unwrap_or(1);
        let count = count.clamp(last, last.max(MOST_ROWS));
        let heads = rows.iter().map(|row| row.head + 1).max().unwrap_or(1);
        let heads_per_line = (count * heads).div_ceil(MOST_ROWS);
        let height = heads.div_ceil(heads_per_line);
        let mut lines = vec![Vec::new(); count * height];
        for of_layer in rows.chunk_by(|a, b| a.layer == b.layer) {
            let first = rows.iter().position(|row| row.layer == of_layer[0].layer);
            let (first, own) = (first.unwrap_or(0), of_layer.len());
            for at in 0..height {
                // With fewer heads than lines, a head has several.
                let from = at * own / height;
                let to = ((at + 1) * own).div_ceil(height).max(from + 1);
                lines[of_layer[0].layer * height + at] =
                    (first + from..first + to.min(own)).collect();
            }
        }
        Self {
            lines,
            name: "layer",
            range: (0.5, count as f64 + 0.5),
            heads_per_line,
        }
    }

    /// Heads without a number come last.
    fn by_effective_pairs(rows: &[HeadRow]) -> Self {
        let mut sorted: Vec<usize> = (0..rows.len()).collect();
        sorted.sort_by(|a, b| compare_numbers(rows[*a].effective, rows[*b].effective));
        let heads_per_line = rows.len().div_ceil(MOST_ROWS).max(1);
        Self {
            lines: sorted
                .chunks(heads_per_line)
                .map(<[usize]>::to_vec)
                .collect(),
            name: "head, fewest pairs first",
            range: (0.5, rows.len() as f64 + 0.5),
            heads_per_line,
        }
    }
}

/// Orders numbers; those that are none come last.
fn compare_numbers(one: f64, other: f64) -> Ordering {
    let missing = one.is_nan().cmp(&other.is_nan());
    missing.then(one.total_cmp(&other))
}

/// Mean of the numbers; NaN of none.
fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for number in numbers {
        sum += number;
        count += 1.0;
    }
    sum / count
}

/// Colours of a line of the picture, from the shortest wavelength to the longest: the mean over its heads, and NaN where
/// no pair has its wavelength.
fn line(heads: &[&HeadRow], (low, high): (f64, f64)) -> Vec<f32> {
    let mut sums = vec![0.0; COLUMNS];
    let mut counts = vec![0.0; COLUMNS];
    let place = |wavelength: f64| {
        let share = (wavelength / low).ln() / (high / low).ln();
        ((share * COLUMNS as f64).round().max(0.0) as usize).min(COLUMNS)
    };
    for head in heads {
        for (value, (from, to)) in head.values_by_wavelength().zip(head.edges()) {
            for at in place(from)..place(to) {
                sums[at] += value;
                counts[at] += 1.0;
            }
        }
    }
    let means = sums.into_iter().zip(counts);
    means
        .map(|(sum, count): (f64, f64)| (sum / count) as f32)
        .collect()
}

fn table(rows: &[HeadRow], colours: FrequencyColours) -> Table {
    let pairs = || {
        rows.iter()
            .flat_map(|head| (0..head.pairs.len()).map(move |at| (head, at)))
    };
    let whole = |of: fn(&HeadRow, usize) -> usize| -> Column {
        pairs().map(|(head, at)| of(head, at) + 1).collect()
    };
    let real = |of: fn(&HeadRow, usize) -> f64| -> Column {
        pairs().map(|(head, at)| of(head, at)).collect()
    };
    let table = Table::new()
        .with("layer", whole(|head, _| head.layer))
        .with("head", whole(|head, _| head.head))
        .with("pair", whole(|head, at| head.pairs[at].index))
        .with("wavelength", real(|head, at| head.pairs[at].wavelength));
    match colours {
        FrequencyColours::Bound => table.with("bound", real(|head, at| head.values[at])),
        _ if rows.iter().any(|head| !head.concentrations.is_empty()) => table
            .with("size", real(|head, at| head.query[at].sqrt()))
            .with("mean", real(|head, at| head.key[at].sqrt()))
            .with("concentration", real(|head, at| head.concentrations[at]))
            .with(
                "share",
                real(|head, at| head.query[at] / head.query.iter().sum::<f64>()),
            ),
        _ => table
            .with("query", real(|head, at| head.query[at]))
            .with("key", real(|head, at| head.key[at]))
            .with("share", real(|head, at| head.values[at])),
    }
}
