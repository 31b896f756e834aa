//! Wavelengths of the rotary angles of every layer.

use super::{
    AxisScale, Column, Dots, Ink, Plot, PlotAxis, ScatterPoint, StatedRanges, Table,
    group_thousands, number,
};
use crate::analysis::{AngleSet, ColumnPair, LengthDependence, ModelAngles, RotaryAxis};
use std::{collections::BTreeSet, f64::consts::TAU};

/// Space at either end of the wavelengths, as a factor.
const MARGIN: f64 = 1.6;
/// Maximum number of powers of ten with a tick.
const MOST_TICKS: usize = 12;
/// Radius of the dots of heads, in pixels. A ring of one pixel in the colour of the background separates them.
const CLOUD_RADIUS: f64 = 3.0;
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

/// Wavelengths of the pairs that turn, of a set or of some of its pairs: as the layers use them, and without the change
/// for longer texts.
#[derive(Default)]
struct Wavelengths {
    pairs: Vec<ColumnPair>,
    /// θ as the layers use them, with sign.
    frequencies: Vec<f64>,
    wavelengths: Vec<f64>,
    trained_wavelengths: Vec<f64>,
}

/// Wavelengths that are drawn together, with the name in the legend.
struct NamedWavelengths {
    name: String,
    waves: Wavelengths,
    /// Whether several heads or layers are among them, so that no line joins them.
    is_cloud: bool,
}

/// Plots the wavelength 2π/θ of every pair that turns, in tokens or patches: one line for each set of angles and each
/// axis, thin and dashed before the change for longer texts where that differs; dots where every head has its own. The
/// trained and the claimed length, or the sides of the image, are rules. The table has one row for each turning pair of
/// each layer, both counted from 1: `layer,pair,wavelength,unscaled`; `wavelength` is what the layer uses. Where pairs
/// follow several axes, `axis` is time, row or column. Where every head has its own frequencies, `head` and `frequency`
/// follow, θ in radians with its sign. `None` for models without angles.
#[must_use]
pub fn rotary_angles(angles: &ModelAngles, change: AngleChange) -> Option<Plot> {
    angles.sets.first()?;
    let waves: Vec<Wavelengths> = angles
        .sets
        .iter()
        .enumerate()
        .map(|(at, set)| wavelengths(set, angles, change_of(at, change)))
        .collect();
    let groups = groups(angles, &waves);
    let sides = angles.grid.map(|grid| [grid.height, grid.width]);
    let sides = sides.into_iter().flatten().map(|side| side as f64);
    let lengths = [angles.trained_length, angles.claimed_length].into_iter();
    let values = waves
        .iter()
        .flat_map(|set| set.wavelengths.iter().chain(&set.trained_wavelengths));
    let places = values.copied().chain(lengths.flatten()).chain(sides);
    let places: Vec<f64> = places.filter(|place| place.is_finite()).collect();
    let low = places.iter().copied().reduce(f64::min)? / MARGIN;
    let high = places.iter().copied().reduce(f64::max)? * MARGIN;
    let numbers = waves.iter().flat_map(|set| &set.pairs);
    let pairs = numbers.map(|pair| pair.pair + 1).max()?;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (at, group) in groups.iter().enumerate() {
        let waves = &group.waves;
        let points = |wavelengths: &[f64]| {
            let pairs = waves.pairs.iter().map(|pair| (pair.pair + 1) as f64);
            pairs.zip(wavelengths.iter().copied()).collect::<Vec<_>>()
        };
        if group.is_cloud {
            let points = points(&waves.wavelengths);
            let dots = Dots::new(&group.name, points.into_iter().map(ScatterPoint::new));
            after.push(dots.ink(Ink::Category(at)).radius(CLOUD_RADIUS));
            continue;
        }
        let line = |wavelengths: &[f64]| Dots::path(points(wavelengths)).ink(Ink::Category(at));
        if waves.wavelengths != waves.trained_wavelengths {
            before.push(Dots {
                is_dashed: true,
                ..line(&waves.trained_wavelengths).width(1.1)
            });
        }
        after.push(Dots {
            name: group.name.clone(),
            ..line(&waves.wavelengths).width(2.2)
        });
    }
    let across = PlotAxis::with_name("pair of columns", AxisScale::Whole);
    let across = across.between(0.5, pairs as f64 + 0.5);
    // Untrusted bases may span hundreds of decades.
    let decades = (high / low).log10().max(0.0) as usize;
    let scale = AxisScale::Log(1 + decades / MOST_TICKS);
    let name = match angles.has_patches {
        true => "wavelength in patches",
        false => "wavelength in tokens",
    };
    let down = PlotAxis::with_name(name, scale).between(low, high);
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
    plot = match angles
        .grid
        .map(|grid| (grid.height as f64, grid.width as f64))
    {
        Some((height, width)) if height == width => plot.rule(height, "side of the image"),
        Some((height, width)) => plot.rule(height, "height").rule(width, "width"),
        None => plot,
    };
    Some(
        plot.dots(before)
            .dots(after)
            .with_table(table(angles, &waves))
            .with_summary(summary(angles, &groups)),
    )
}

/// A sentence for the caption on changes that depend on the length of the text, and on the length that is drawn; `None`
/// for all others.
#[must_use]
pub fn length_words(angles: &ModelAngles) -> Option<String> {
    if !angles.is_scaled {
        return None;
    }
    let text = group_thousands(angles.length as u64);
    let mut changes = angles.sets.iter();
    let change = changes.find_map(|set| set.angles.length_dependence())?;
    Some(match change {
        LengthDependence::Lists(trained) => {
            let (which, than) = match angles.length as f64 > trained {
                true => ("long", "more than"),
                false => ("short", "at most"),
            };
            format!(
                "LongRoPE divides each angle by a number of its own, from one list for short and one for long texts. Drawn is the list for {which} texts, of {than} {} tokens.",
                group_thousands(trained as u64)
            )
        }
        LengthDependence::Base(trained) => format!(
            "The base grows with texts of more than {} tokens. Drawn is a text of {text} tokens.",
            group_thousands(trained as u64)
        ),
    })
}

/// The wavelengths that are drawn together: those of a set along one axis, or, where every head has its own, those of
/// all layers along one axis.
fn groups(angles: &ModelAngles, waves: &[Wavelengths]) -> Vec<NamedWavelengths> {
    let is_cloud = waves.iter().any(Wavelengths::has_heads);
    let axes: BTreeSet<Option<RotaryAxis>> = waves
        .iter()
        .flat_map(|waves| waves.pairs.iter().map(|pair| pair.axis))
        .collect();
    let group_of =
        |name: String, axis: Option<RotaryAxis>, sets: &[Wavelengths]| NamedWavelengths {
            name: match axis {
                Some(axis) => format!("{name}, {}", axis_names(axis)[1]),
                None => name,
            },
            waves: Wavelengths::along(axis, sets),
            is_cloud,
        };
    let groups: Vec<_> = if is_cloud {
        let axes = axes.iter();
        axes.map(|axis| group_of("all heads".to_owned(), *axis, waves))
            .collect()
    } else {
        let sets = angles.sets.iter().zip(waves);
        sets.flat_map(|(set, waves)| {
            let waves = std::slice::from_ref(waves);
            let name = set_name(set, angles);
            let groups = axes
                .iter()
                .map(move |axis| group_of(name.clone(), *axis, waves));
            groups.collect::<Vec<_>>()
        })
        .collect()
    };
    groups
        .into_iter()
        .filter(|group| !group.waves.pairs.is_empty())
        .collect()
}

/// Names of an axis, in the table and in the legend.
fn axis_names(axis: RotaryAxis) -> [&'static str; 2] {
    match axis {
        RotaryAxis::Time => ["time", "time"],
        RotaryAxis::Row => ["row", "rows"],
        RotaryAxis::Column => ["column", "columns"],
    }
}

impl Wavelengths {
    /// Whether heads have frequencies of their own.
    fn has_heads(&self) -> bool {
        self.pairs.iter().any(|pair| pair.head.is_some())
    }

    /// The wavelengths of pairs along an axis.
    fn along(axis: Option<RotaryAxis>, sets: &[Self]) -> Self {
        let mut along = Self::default();
        for waves in sets {
            for (at, pair) in waves.pairs.iter().enumerate() {
                if pair.axis == axis {
                    along.pairs.push(*pair);
                    along.frequencies.push(waves.frequencies[at]);
                    along.wavelengths.push(waves.wavelengths[at]);
                    along
                        .trained_wavelengths
                        .push(waves.trained_wavelengths[at]);
                }
            }
        }
        along
    }
}

/// The change of one set: another base is that of the first alone.
fn change_of(at: usize, change: AngleChange) -> AngleChange {
    AngleChange {
        base: change.base.filter(|_| at == 0),
        ..change
    }
}

fn wavelengths(set: &AngleSet, angles: &ModelAngles, change: AngleChange) -> Wavelengths {
    let lengths = |angles: &[f64]| angles.iter().map(|angle| TAU / angle.abs()).collect();
    let unscaled = set.trained_frequencies(change.base);
    let used = match angles.is_scaled {
        true => set.frequencies_as_configured(angles.length, change.factor, change.base),
        false => unscaled.clone(),
    };
    let mut pairs = set.pairs();
    pairs.truncate(used.len());
    Wavelengths {
        pairs,
        wavelengths: lengths(&used),
        trained_wavelengths: lengths(&unscaled),
        frequencies: used,
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

fn summary(angles: &ModelAngles, groups: &[NamedWavelengths]) -> String {
    let unit = if angles.has_patches {
        "patches"
    } else {
        "tokens"
    };
    let sentences = groups.iter().filter_map(|group| describe(group, unit));
    let mut sentences: Vec<String> = sentences.collect();
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
    if let Some(grid) = angles.grid {
        sentences.push(format!(
            "The image has {} rows and {} columns of patches.",
            grid.height, grid.width
        ));
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

/// A sentence on wavelengths that are drawn together.
fn describe(group: &NamedWavelengths, unit: &str) -> Option<String> {
    let waves = &group.waves;
    let ends = match group.is_cloud {
        true => {
            let all = waves.wavelengths.iter().copied();
            all.clone().reduce(f64::min).zip(all.reduce(f64::max))
        }
        false => waves
            .wavelengths
            .first()
            .copied()
            .zip(waves.wavelengths.last().copied()),
    };
    let (shortest, longest) = ends?;
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
    let mut first = group.name.chars();
    let name: String = first.next()?.to_uppercase().chain(first).collect();
    Some(format!(
        "{name}: {pairs} {words} with wavelengths from {} to {} {unit}{changed}.",
        number(shortest),
        number(longest)
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
    let rows: Vec<TableRow> = layers
        .iter()
        .filter_map(|(layer, at)| Some((layer, waves.get(*at)?)))
        .flat_map(|(layer, waves)| {
            (0..waves.pairs.len()).map(move |at| TableRow {
                layer: layer + 1,
                pair: waves.pairs[at],
                wavelength: waves.wavelengths[at],
                trained_wavelength: waves.trained_wavelengths[at],
                frequency: waves.frequencies[at],
            })
        })
        .collect();
    let pairs = || rows.iter().map(|row| row.pair);
    let numbers = |number: fn(&TableRow) -> f64| rows.iter().map(number).collect::<Column>();
    let counts = |count: fn(&TableRow) -> usize| rows.iter().map(count).collect::<Column>();
    let mut table = Table::new()
        .with("layer", counts(|row| row.layer))
        .with("pair", counts(|row| row.pair.pair + 1))
        .with("wavelength", numbers(|row| row.wavelength))
        .with("unscaled", numbers(|row| row.trained_wavelength));
    if pairs().any(|pair| pair.axis.is_some()) {
        let axis = |pair: ColumnPair| pair.axis.map_or("", |axis| axis_names(axis)[0]);
        table = table.with("axis", pairs().map(axis).collect());
    }
    if waves.iter().any(Wavelengths::has_heads) {
        table = table
            .with(
                "head",
                counts(|row| row.pair.head.map_or(1, |head| head + 1)),
            )
            .with("frequency", numbers(|row| row.frequency));
    }
    table
}

/// A row of the table.
struct TableRow {
    layer: usize,
    pair: ColumnPair,
    wavelength: f64,
    trained_wavelength: f64,
    frequency: f64,
}
