//! Wavelengths of the rotary angles of every layer.

use super::{
    AxisScale, Column, Dots, Ink, Plot, PlotAxis, StatedRanges, Table, group_thousands, number,
};
use crate::analysis::{AngleSet, ModelAngles};
use std::f64::consts::TAU;

/// Space at either end of the wavelengths, as a factor.
const MARGIN: f64 = 1.6;
/// Maximum number of powers of ten with a tick.
const MOST_TICKS: usize = 12;
/// Maximum number of ranges of layers that a name lists.
const MOST_RANGES: usize = 4;

/// Numbers that replace those of the file: the factor of the change for longer texts, where there is one, and the base
/// of the first set of angles.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct AngleChange {
    /// Factor.
    pub factor: Option<f64>,
    /// Base.
    pub base: Option<f64>,
}

/// Wavelengths of the pairs of one set that turn: as the layers use them, and without the change for longer texts.
struct Wavelengths {
    wavelengths: Vec<f64>,
    trained_wavelengths: Vec<f64>,
}

/// Plots the wavelength 2π/θ of every pair that turns, in tokens: one line for each set of angles, thin and dashed
/// before the change for longer texts where that differs. The trained and the claimed length are rules. The table has
/// one row for each turning pair of each layer, both counted from 1: `layer,pair,wavelength,unscaled`; `wavelength` is
/// what the layer uses. `None` for models without angles.
#[must_use]
pub fn rotary_angles(angles: &ModelAngles, change: AngleChange) -> Option<Plot> {
    angles.sets.first()?;
    let waves: Vec<Wavelengths> = angles
        .sets
        .iter()
        .enumerate()
        .map(|(at, set)| wavelengths(set, angles, change_of(at, change)))
        .collect();
    let lengths = [angles.trained_length, angles.claimed_length].into_iter();
    let shown = waves
        .iter()
        .flat_map(|set| set.wavelengths.iter().chain(&set.trained_wavelengths));
    let places = shown.copied().chain(lengths.flatten());
    let places: Vec<f64> = places.filter(|place| place.is_finite()).collect();
    let low = places.iter().copied().reduce(f64::min)? / MARGIN;
    let high = places.iter().copied().reduce(f64::max)? * MARGIN;
    let pairs = waves.iter().map(|set| set.wavelengths.len()).max()?;
    let lines = waves.iter().zip(&angles.sets).enumerate();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (at, (waves, set)) in lines {
        let line = |wavelengths: &[f64]| {
            let points = (1..)
                .zip(wavelengths)
                .map(|(pair, wave)| (f64::from(pair), *wave));
            Dots::path(points).ink(Ink::Category(at))
        };
        if waves.wavelengths != waves.trained_wavelengths {
            before.push(Dots {
                is_dashed: true,
                ..line(&waves.trained_wavelengths).width(1.1)
            });
        }
        after.push(Dots {
            name: set_name(set, angles),
            ..line(&waves.wavelengths).width(2.2)
        });
    }
    let across = PlotAxis::with_name("pair of columns", AxisScale::Whole);
    let across = across.between(0.5, pairs as f64 + 0.5);
    // Untrusted bases may span hundreds of decades.
    let decades = (high / low).log10().max(0.0) as usize;
    let scale = AxisScale::Log(1 + decades / MOST_TICKS);
    let down = PlotAxis::with_name("wavelength in tokens", scale).between(low, high);
    let mut plot = Plot::new(across, down).aspect(0.5);
    plot.ranges = StatedRanges::None;
    match (angles.trained_length, angles.claimed_length) {
        (Some(trained), Some(claimed)) if trained != claimed => {
            plot = plot.rule(trained, "trained").rule(claimed, "claimed");
        }
        (Some(trained), Some(_)) => plot = plot.rule(trained, "trained and claimed"),
        (Some(trained), None) => plot = plot.rule(trained, "trained"),
        (None, Some(claimed)) => plot = plot.rule(claimed, "claimed"),
        (None, None) => {}
    }
    Some(
        plot.dots(before)
            .dots(after)
            .with_table(table(angles, &waves))
            .with_summary(summary(angles, &waves)),
    )
}

/// The change of one set: another base is that of the first alone.
fn change_of(at: usize, change: AngleChange) -> AngleChange {
    AngleChange {
        base: change.base.filter(|_| at == 0),
        ..change
    }
}

fn wavelengths(set: &AngleSet, angles: &ModelAngles, change: AngleChange) -> Wavelengths {
    let in_tokens = |angles: Vec<f64>| angles.into_iter().map(|angle| TAU / angle).collect();
    let unscaled = set.trained_frequencies(change.base);
    let used = match angles.is_scaled {
        true => set.frequencies_as_configured(angles.length, change.factor, change.base),
        false => unscaled.clone(),
    };
    Wavelengths {
        wavelengths: in_tokens(used),
        trained_wavelengths: in_tokens(unscaled),
    }
}

/// Name of a set in the legend: “layers 1–5, 7–11 (local)”.
fn set_name(set: &AngleSet, angles: &ModelAngles) -> String {
    let has_kinds = angles.sets.iter().any(|set| set.is_local);
    let kind = match (has_kinds, set.is_local) {
        (false, _) => None,
        (true, true) => Some("local"),
        (true, false) => Some("global"),
    };
    let layers = match set.layers.len() {
        0 => match kind {
            Some(kind) => return format!("{kind} layers"),
            None => return "every layer".to_owned(),
        },
        count if count == angles.layers => "all layers".to_owned(),
        1 => format!("layer {}", ranges_of(&set.layers)),
        _ => format!("layers {}", ranges_of(&set.layers)),
    };
    match kind {
        Some(kind) => format!("{layers} ({kind})"),
        None => layers,
    }
}

/// Layers, counted from 1, as ranges: “1–5, 7–11”. Long lists end in an ellipsis.
fn ranges_of(layers: &[usize]) -> String {
    let mut ranges: Vec<String> = layers
        .chunk_by(|a, b| a + 1 == *b)
        .map(|range| match range {
            [first, .., last] => format!("{}–{}", first + 1, last + 1),
            [only] => (only + 1).to_string(),
            [] => String::new(),
        })
        .collect();
    if ranges.len() > MOST_RANGES {
        ranges.truncate(MOST_RANGES);
        ranges.push("…".to_owned());
    }
    ranges.join(", ")
}

fn summary(angles: &ModelAngles, waves: &[Wavelengths]) -> String {
    let mut sentences: Vec<String> = angles
        .sets
        .iter()
        .zip(waves)
        .filter_map(|(set, waves)| describe(&set_name(set, angles), waves))
        .collect();
    let lengths = [
        ("trained", angles.trained_length),
        ("offered", angles.claimed_length),
    ];
    for (verb, length) in lengths {
        if let Some(length) = length {
            let tokens = group_thousands(length as u64);
            sentences.push(format!("The model is {verb} for {tokens} tokens."));
        }
    }
    for (layers, have) in [
        (&angles.unrotated_layers, "rotate nothing"),
        (&angles.without_attention, "have no attention that rotates"),
    ] {
        if let Some(sentence) = list_layers(layers, have) {
            sentences.push(sentence);
        }
    }
    sentences.join(" ")
}

/// A sentence on layers that differ from the others; `None` without any.
fn list_layers(layers: &[usize], have: &str) -> Option<String> {
    let listed = ranges_of(layers);
    match layers.len() {
        0 => None,
        1 => {
            let has = have
                .replacen("rotate ", "rotates ", 1)
                .replacen("have ", "has ", 1);
            Some(format!("Layer {listed} {has}."))
        }
        _ => Some(format!("Layers {listed} {have}.")),
    }
}

/// A sentence on the wavelengths of a set.
fn describe(name: &str, waves: &Wavelengths) -> Option<String> {
    let (shortest, longest) = (waves.wavelengths.first()?, waves.wavelengths.last()?);
    let pairs = waves.wavelengths.len();
    let words = if pairs == 1 { "pair" } else { "pairs" };
    let both = waves.wavelengths.iter().zip(&waves.trained_wavelengths);
    let changed = both.filter(|(used, unscaled)| used != unscaled).count();
    let changed = match changed {
        0 => String::new(),
        _ => format!(
            "; the change for longer texts applies to {changed} of them, of which the slowest had {}",
            waves
                .trained_wavelengths
                .last()
                .map_or_else(String::new, |wave| number(*wave))
        ),
    };
    let mut first = name.chars();
    let name: String = first.next()?.to_uppercase().chain(first).collect();
    Some(format!(
        "{name}: {pairs} {words} with wavelengths from {} to {} tokens{changed}.",
        number(*shortest),
        number(*longest)
    ))
}

/// All turning pairs of all layers.
fn table(angles: &ModelAngles, waves: &[Wavelengths]) -> Table {
    // A model whose number of layers is unknown has its angles once, as those of layer 1.
    let mut layers: Vec<(usize, usize)> = angles
        .sets
        .iter()
        .enumerate()
        .flat_map(|(at, set)| match set.layers.is_empty() {
            true => vec![(at, at)],
            false => set.layers.iter().map(|layer| (*layer, at)).collect(),
        })
        .collect();
    layers.sort_unstable();
    let rows = || {
        layers.iter().flat_map(|(layer, at)| {
            let waves = waves.get(*at);
            let used = waves.map_or(&[][..], |waves| &waves.wavelengths);
            let unscaled = waves.map_or(&[][..], |waves| &waves.trained_wavelengths);
            (1_usize..)
                .zip(used.iter().zip(unscaled))
                .map(move |(pair, (used, unscaled))| (layer + 1, pair, *used, *unscaled))
        })
    };
    Table::new()
        .with("layer", rows().map(|row| row.0).collect::<Column>())
        .with("pair", rows().map(|row| row.1).collect::<Column>())
        .with("wavelength", rows().map(|row| row.2).collect::<Column>())
        .with("unscaled", rows().map(|row| row.3).collect::<Column>())
}
