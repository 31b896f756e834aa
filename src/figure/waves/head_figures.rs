//! Figures of the waves of heads: cross-correlations, rotations, spectra by layer.

use super::spectra::peak_frequency;
use crate::{
    analysis::{
        ANGLE_BINS, Eigenvector, HeadPart, HeadWaveDetail, LEAST_COHERENCE, LayerSpectrum, REACH,
        RotationDetail,
    },
    figure::{
        Axis, AxisScale, Column, Dots, Ink, Plot, PlotAxis, Series, Table, ValueRaster,
        format_signed, number,
    },
    math::PhaseLine,
};
use std::f64::consts::{PI, TAU};

/// Labelled angles of the angle axis.
const ANGLES: &[(f64, &str)] = &[
    (PI, "π"),
    (PI / 2.0, "π/2"),
    (0.0, "0"),
    (-PI / 2.0, "−π/2"),
    (-PI, "−π"),
];

/// Share of the squared weight up to the last shown frequency.
const VISIBLE_SHARE: f64 = 0.99;

/// Cross-correlations of the leading columns (eq. 20, Figs. 7 and 9): `component,singular_value,offset,correlation`.
#[must_use]
pub fn head_correlations(found: &HeadWaveDetail) -> Plot {
    let correlations: Vec<(usize, &Vec<f64>)> = found
        .correlations
        .iter()
        .enumerate()
        .filter_map(|(at, correlation)| Some((at, correlation.as_ref()?)))
        .collect();
    let first = |values: &[f64]| -(values.len() as i64 / 2);
    let rows: Vec<(usize, i64, f64)> = correlations
        .iter()
        .flat_map(|(at, values)| {
            let offsets = first(values)..;
            values
                .iter()
                .zip(offsets)
                .map(|(value, t)| (*at, t, *value))
        })
        .collect();
    let table = Table::new()
        .with("component", rows.iter().map(|row| row.0 + 1).collect())
        .with(
            "singular_value",
            rows.iter()
                .map(|row| found.singular_values[row.0])
                .collect(),
        )
        .with("offset", rows.iter().map(|row| row.1).collect())
        .with("correlation", rows.iter().map(|row| row.2).collect());
    let top = found.singular_values.first().copied().unwrap_or(1.0);
    let series = correlations.iter().map(|(at, values)| {
        // Columns with greater singular values have wider lines.
        let width = 0.6 + 1.8 * found.singular_values[*at] / top;
        let series = Series::new(format!("{}", at + 1), first(values), (*values).clone());
        // Lines beyond the eight colours of the palette are dashed.
        series
            .ink(Ink::Category(*at))
            .with_dashes(*at >= 8)
            .width(width)
            .in_legend()
    });
    Plot::over(Axis::Offset)
        .vertical("cross-correlation")
        .series(series)
        .aspect(0.4)
        .with_table(table)
        .with_summary(format!(
            "Cross-correlations of the {} leading columns of queries and keys, wider lines for greater singular values.",
            correlations.len()
        ))
}

/// The sum of the cross-covariances of all columns, weighted by singular values (eq. 23, Fig. 8):
/// `offset,sum,identity_error`. The last is equal in every row: the difference of the sums from the diagonal sums of
/// the scores, as a share of the largest.
#[must_use]
pub fn head_covariance(found: &HeadWaveDetail, all: bool) -> Plot {
    let offsets = found.weighted_sum.by_offset();
    let table = Table::new()
        .with("offset", offsets.map(|(k, _)| k).collect())
        .with("sum", Column::Number(found.weighted_sum.values().to_vec()))
        .with_constant("identity_error", found.identity_error);
    let edge = found.weighted_sum.n() as f64 - 0.5;
    let reach = if all {
        edge
    } else {
        edge.min(REACH as f64 + 0.5)
    };
    Plot::over(Axis::Offset)
        .vertical("Σ s · cross-covariance")
        .series([Series::from_profile("weighted sum", &found.weighted_sum).width(2.0)])
        .horizontal_range((-reach, reach))
        .aspect(0.3)
        .with_table(table)
        .with_summary(format!(
            "Near the diagonal the sum is greatest at offset {}. It equals the diagonal sums of the scores to {:.0e} of \
             the largest.",
            format_signed(found.peak()),
            found.identity_error.max(1e-16)
        ))
}

/// A shift below this many tokens is described as none.
const IN_STEP: f64 = 0.05;

/// Sentences on a head's angles, for caption and summary.
#[derive(Debug, Clone, PartialEq)]
pub struct RotationWords {
    /// The one shift that describes the head, or that there is none, and the peak of the profile.
    pub line: String,
    /// Exact angles of the strongest eigenvectors. Empty if nothing varies along position.
    pub strongest: String,
    /// How the rotation was completed.
    pub completion: String,
}

impl RotationWords {
    /// Returns all sentences, joined by spaces.
    #[must_use]
    pub fn text(&self) -> String {
        let parts = [&self.line, &self.strongest, &self.completion];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// States, for a shift Δ in tokens, whether keys run ahead of queries and where scores peak.
fn direction(delta: f64) -> String {
    let size = number(delta.abs());
    let run = if delta.abs() < IN_STEP {
        "Its keys and queries are in phase".to_owned()
    } else if delta > 0.0 {
        format!("Its keys are {size} tokens ahead of its queries")
    } else {
        format!("Its keys are {size} tokens behind its queries")
    };
    format!("{run}, so scores peak at k = {}.", number(-delta))
}

/// States the exact angles of the eigenvectors with the greatest weight in the line.
fn strongest_words(found: &RotationDetail) -> String {
    let each: Vec<String> = (found.strongest.iter())
        .map(|vector| {
            format!(
                "θ = {} at f = {}, a shift of {} tokens",
                number(vector.angle),
                vector.frequency,
                number(vector.shift(found.n))
            )
        })
        .collect();
    match each.is_empty() {
        true => String::new(),
        false => format!(
            "The eigenvectors with the most weight in the line have {}.",
            each.join("; ")
        ),
    }
}

/// States the median and the 95 % range of the coherence of heads with random angles.
fn chance_words(line: PhaseLine) -> String {
    let random = line.random;
    format!(
        "randomly turned heads give {:.2} ({:.2} to {:.2})",
        random.median, random.low, random.high
    )
}

/// Describes a rotation. One shift is named only if it is beyond chance and agrees with the head's profile.
#[must_use]
pub fn rotation_words(found: &RotationDetail) -> RotationWords {
    let peak = format_signed(found.peak);
    let line = match (found.line, found.shift()) {
        (Some(line), Some(delta)) => format!(
            "All frequencies of this head are shifted by the same Δ = {} tokens, with coherence {:.3}; {} and reach {:.3}. {} The profile \
             peaks at k = {peak}.",
            number(delta),
            line.coherence,
            chance_words(line),
            line.chance,
            direction(delta)
        ),
        (Some(line), None) => {
            let than = if line.is_beyond_chance() {
                "more than"
            } else {
                "no more than"
            };
            let weak = if line.coherence < LEAST_COHERENCE {
                format!(" and less than {LEAST_COHERENCE}")
            } else {
                String::new()
            };
            format!(
                "No single shift describes this head. The best shift, Δ = {} tokens, has a coherence of {:.3}, {than} the {:.3} that randomly turned heads reach{weak}; {}. It would put the peak of the scores at k = {}. The profile peaks at k = {peak}.",
                number(line.delta),
                line.coherence,
                line.chance,
                chance_words(line),
                number(-line.delta)
            )
        }
        (None, _) => "Nothing varies along position, so there are no peaks.".to_owned(),
    };
    RotationWords {
        line,
        strongest: strongest_words(found),
        completion: format!(
            "The weights determine the rotation in {} dimensions; the rest is completed by the smallest rotation, and {} unused dimensions are omitted.",
            found.rank, found.idle
        ),
    }
}

/// g(f, θ) with the line through its peaks (eqs. 26–27, Fig. 10):
/// `angle,frequency,weight,shift,coherence,decided_dimensions,idle_dimensions,best_shift,chance_coherence,`
/// `profile_peak,eigenvector_angle,eigenvector_amplitude,eigenvector_shift,chance_median,chance_low,chance_high`.
///
/// The first three are the middle of a bin of angles in radians, a frequency, and Σ g over the eigenvectors of the bin.
/// The eigenvector is the strongest of that bin at that frequency: its exact angle in radians, its
/// g, and its shift in tokens (eq. 27; NaN at frequency 0). They are NaN if the bin is empty. The others are equal in
/// every row: Δ in tokens if one shift describes the head, otherwise NaN; the coherence of the best line; the number of
/// dimensions whose rotation the weights determine, and of those that nothing reads; Δ of the best line, whether or not
/// it describes the head; the coherence that random angles reach, its median over them, and the range of 95 % of them; the
/// offset of the peak of the head's profile.
#[must_use]
pub fn rotation(found: &RotationDetail, all: bool) -> Plot {
    let frequencies = found.frequencies.max(1);
    let by_frequency = |f: usize| {
        found
            .weights
            .iter()
            .skip(f)
            .step_by(frequencies)
            .map(|&w| f64::from(w).powi(2))
            .sum::<f64>()
    };
    let totals: Vec<f64> = (0..found.frequencies).map(by_frequency).collect();
    let total: f64 = totals.iter().skip(1).sum();
    let mut sum = 0.0;
    let place = totals.iter().skip(1).position(|weight| {
        sum += weight;
        sum >= VISIBLE_SHARE * total
    });
    let columns = match place {
        Some(place) if !all => (place + 2).max(9).min(found.frequencies),
        _ => found.frequencies,
    };
    let picture = found.picture(columns);
    let cells = || (0..ANGLE_BINS).flat_map(|bin| (0..found.frequencies).map(move |f| (bin, f)));
    let table = Table::new()
        .with(
            "angle",
            cells().map(|(bin, _)| RotationDetail::angle(bin)).collect(),
        )
        .with("frequency", cells().map(|(_, f)| f).collect())
        .with(
            "weight",
            found
                .weights
                .iter()
                .map(|&weight| f64::from(weight))
                .collect(),
        );
    let rows = table.rows();
    let whole_in_all = |value: usize| Column::Whole(vec![value as i64; rows]);
    let of_line = |of: fn(PhaseLine) -> f64| found.line.map_or(f64::NAN, of);
    let strongest = found.strongest_by_bin();
    let of_strongest = |of: &dyn Fn(&Eigenvector) -> f64| {
        let cells = strongest.iter();
        cells
            .map(|cell| cell.as_ref().map_or(f64::NAN, of))
            .collect()
    };
    let table = table
        .with_constant("shift", found.shift().unwrap_or(f64::NAN))
        .with_constant("coherence", of_line(|line| line.coherence))
        .with("decided_dimensions", whole_in_all(found.rank))
        .with("idle_dimensions", whole_in_all(found.idle))
        .with_constant("best_shift", of_line(|line| line.delta))
        .with_constant("chance_coherence", of_line(|line| line.chance))
        .with("profile_peak", Column::Whole(vec![found.peak; rows]))
        .with("eigenvector_angle", of_strongest(&|vector| vector.angle))
        .with(
            "eigenvector_amplitude",
            of_strongest(&|vector| f64::from(vector.amplitude)),
        )
        .with(
            "eigenvector_shift",
            of_strongest(&|vector| match vector.frequency {
                0 => f64::NAN,
                _ => vector.shift(found.n),
            }),
        )
        .with_constant("chance_median", of_line(|line| line.random.median))
        .with_constant("chance_low", of_line(|line| line.random.low))
        .with_constant("chance_high", of_line(|line| line.random.high));
    let line = line_through(found, columns);
    let edges = (!line.is_empty()).then_some([(Ink::Black, 3.2), (Ink::White, 1.6)]);
    let lines = edges.into_iter().flatten();
    let lines = lines.map(|(ink, width)| Dots::path(line.iter().copied()).ink(ink).width(width));
    Plot::from_values(
        ValueRaster::new(picture.values, columns),
        PlotAxis::with_name("frequency f", AxisScale::Linear)
            .cells(0, columns)
            .with_quantity(Axis::Frequency),
        PlotAxis::with_name("angle θ", AxisScale::Marked(ANGLES)).between(-PI, PI),
    )
    .dots(lines)
    .with_table(table)
    .with_summary(rotation_words(found).text())
}

/// θ = 2πf·Δ/n of the shift that describes the head, wrapped into −π … π and interrupted where it wraps. Empty if no
/// shift describes the head.
fn line_through(found: &RotationDetail, frequencies: usize) -> Vec<(f64, f64)> {
    let Some(delta) = found.shift() else {
        return Vec::new();
    };
    const STEPS: usize = 16;
    let mut points: Vec<(f64, f64)> = Vec::new();
    for step in 0..=(frequencies.saturating_sub(1)) * STEPS {
        let f = step as f64 / STEPS as f64;
        let angle = TAU * f * delta / found.n as f64;
        let wrapped = angle - TAU * (angle / TAU).round();
        if points
            .last()
            .is_some_and(|last| (last.1 - wrapped).abs() > PI)
        {
            points.push((f64::NAN, f64::NAN));
        }
        points.push((f, wrapped));
    }
    points
}

/// The maximum over the heads of each layer at each frequency, for queries or keys (eq. 18, Fig. 6), with layers from
/// top to bottom, under that over the columns of the position table, `of_table`, which is empty without one:
/// `layer,part,frequency,maximum`, both parts. The table is layer 0 and part `table`. Its row is drawn in units that give
/// it the greatest amplitude of the layers, since hidden states have other units. `None` before the first layer.
#[must_use]
pub fn layer_spectrum(
    layers: &[LayerSpectrum],
    of_table: &[f64],
    part: HeadPart,
    all: bool,
) -> Option<Plot> {
    let of = |layer: &LayerSpectrum, part| match part {
        HeadPart::Query => layer.query.clone(),
        HeadPart::Key => layer.key.clone(),
    };
    let frequencies = layers
        .iter()
        .map(|layer| layer.query.len())
        .max()
        .filter(|count| *count > 0)?;
    // Frequency 0 is the mean of the columns, not a wave.
    let greatest = |row: &[f64]| row.iter().skip(1).copied().fold(0.0, f64::max);
    let mut rows: Vec<Vec<f64>> = layers.iter().map(|layer| of(layer, part)).collect();
    let top = rows.iter().map(|row| greatest(row)).fold(0.0, f64::max);
    let has_table = greatest(of_table) > 0.0;
    if has_table {
        let unit = top / greatest(of_table);
        rows.insert(
            0,
            of_table.iter().map(|amplitude| unit * amplitude).collect(),
        );
    }
    let last = (0..frequencies)
        .rfind(|f| {
            let mut heights = rows.iter().filter_map(|row| row.get(*f));
            heights.any(|height| *height >= 0.02 * top)
        })
        .unwrap_or(0);
    let visible_frequencies = if all {
        frequencies
    } else {
        (last + 1).max(9).min(frequencies)
    };
    let values = rows.iter().flat_map(|row| {
        (0..visible_frequencies).map(|f| {
            if f == 0 {
                f32::NAN
            } else {
                row.get(f).map_or(f32::NAN, |v| *v as f32)
            }
        })
    });
    let left_out: usize = layers
        .iter()
        .filter_map(|layer| Some(layer.left_out.as_ref()?.0))
        .sum();
    let without = match left_out {
        0 => String::new(),
        count => format!(" {count} heads have no spectra."),
    };
    let layer_axis = match has_table {
        true => PlotAxis::with_name("layer", AxisScale::Layers("table")).cells(0, layers.len() + 1),
        false => PlotAxis::with_name("layer", AxisScale::Linear).cells(1, layers.len()),
    };
    let edge = has_table.then(|| {
        let ends = [(-0.5, 0.5), (visible_frequencies as f64 - 0.5, 0.5)];
        Dots::path(ends).ink(Ink::Paper).width(3.0)
    });
    let above = match peak_frequency(of_table).filter(|_| has_table) {
        Some(f) => format!(" The row above is the table, highest at frequency {f}."),
        None => String::new(),
    };
    Some(
        Plot::from_values(
            ValueRaster::new(values.collect(), visible_frequencies),
            PlotAxis::new(Axis::Frequency, AxisScale::Linear).cells(0, visible_frequencies),
            layer_axis.reverse(),
        )
        .dots(edge)
        .aspect(0.5)
        .with_table(maxima_table(layers, of_table))
        .with_summary(format!(
            "The greatest amplitude of any head’s {} by layer and frequency, without frequency 0.{above}{without}",
            part.name()
        )),
    )
}

/// The numbers of [`layer_spectrum`], those of the table first.
fn maxima_table(layers: &[LayerSpectrum], of_table: &[f64]) -> Table {
    let of_table = [(0, "table", of_table)].into_iter();
    let of_layers = layers.iter().flat_map(|layer| {
        [
            (layer.layer + 1, HeadPart::Query.name(), &*layer.query),
            (layer.layer + 1, HeadPart::Key.name(), &*layer.key),
        ]
    });
    let rows = of_table.chain(of_layers).flat_map(|(layer, part, maxima)| {
        let maxima = maxima.iter().enumerate();
        maxima.map(move |(frequency, maximum)| (layer, part, frequency, *maximum))
    });
    let rows: Vec<(usize, &str, usize, f64)> = rows.collect();
    Table::new()
        .with("layer", rows.iter().map(|row| row.0).collect())
        .with("part", rows.iter().map(|row| row.1).collect())
        .with("frequency", rows.iter().map(|row| row.2).collect())
        .with("maximum", rows.iter().map(|row| row.3).collect())
}
