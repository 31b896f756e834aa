//! Summary and table of the map of heads and wavelengths.

use super::{FrequencyColours, FrequencyLook, HeadRow, compare_numbers, head_rows::head_rows};
use crate::{
    analysis::{RotaryLayers, RotaryValues},
    figure::{Cursor, group_thousands, number, words::format_count},
};
use std::collections::BTreeSet;

/// Most layers that a sentence lists.
const MOST_LISTED: usize = 8;

pub(super) fn summary(
    rows: &[HeadRow],
    layers: &RotaryLayers,
    look: FrequencyLook,
    heads_per_line: usize,
) -> String {
    let mut sentences = vec![counts(rows)];
    match look.colours {
        FrequencyColours::Bound => sentences.extend(bounds(rows, layers.trained_length)),
        FrequencyColours::Concentration if concentration(rows).is_some() => {
            sentences.extend(effective_pairs(rows));
            sentences.extend(concentration(rows));
        }
        _ => {
            sentences.extend(effective_pairs(rows));
            sentences.extend(concentration(rows));
            sentences.extend(wavelengths(rows, layers.trained_length));
            sentences.extend(unrotated_columns(rows));
        }
    }
    sentences.extend(unrotated_layers(layers));
    if heads_per_line > 1 {
        sentences.push(format!(
            "Each line is the mean of up to {heads_per_line} heads."
        ));
    }
    sentences.join(" ")
}

/// States the effective number of pairs of a head, layer and head from 0. `None` if it has not arrived or has no pairs.
#[must_use]
pub fn pairs_in_use(
    layers: &RotaryLayers,
    look: FrequencyLook,
    (layer, head): (usize, usize),
) -> Option<String> {
    let row = row_of(layers, look, (layer, head))?;
    (!row.effective.is_nan()).then(|| {
        format!(
            "Head {} of layer {}: {} of {} pairs in use.",
            head + 1,
            layer + 1,
            number(row.effective),
            row.pairs.len()
        )
    })
}

/// States the wavelength of the pair at the cursor and its share or bound. `None` if the cursor is at no pair that has
/// arrived.
#[must_use]
pub fn pair_reading(
    layers: &RotaryLayers,
    look: FrequencyLook,
    cursor: Option<Cursor>,
) -> Option<String> {
    let Some(Cursor::Pair { layer, head, pair }) = cursor else {
        return None;
    };
    let row = row_of(layers, look, (layer, head))?;
    let at = row.pairs.iter().position(|own| own.index == pair)?;
    let value = row.values[at];
    let value = match look.colours {
        FrequencyColours::Bound => format!("at most {} of a score", number(value)),
        FrequencyColours::Concentration if !row.concentrations.is_empty() => {
            format!("concentration {}", number(value))
        }
        _ => format!("share {:.1} %", 100.0 * value),
    };
    let wavelength = row.pairs[at].wavelength;
    let turns = match layers.trained_length {
        Some(length) => format!(
            ", {} turns in the trained length",
            number(length / wavelength)
        ),
        None => String::new(),
    };
    let wavelength = match wavelength < 100.0 {
        true => number(wavelength),
        false => group_thousands(wavelength.round() as u64),
    };
    Some(format!(
        "Layer {}, head {}, pair {}: wavelength {wavelength} tokens{turns}; {value}.",
        layer + 1,
        head + 1,
        pair + 1,
    ))
}

/// The row of a head, layer and head from 0.
fn row_of(
    layers: &RotaryLayers,
    look: FrequencyLook,
    (layer, head): (usize, usize),
) -> Option<HeadRow> {
    let of_layer = layers.layers.iter().filter(|other| other.layer == layer);
    let alone = RotaryLayers {
        layers: of_layer.cloned().collect(),
        ..*layers
    };
    let mut rows = head_rows(&alone, look.colours).into_iter();
    rows.find(|row| row.head == head)
}

/// Number of heads, layers and pairs: “48 heads of 4 layers, 32 rotated pairs each.”
fn counts(rows: &[HeadRow]) -> String {
    let layers: BTreeSet<usize> = rows.iter().map(|row| row.layer).collect();
    let pairs: BTreeSet<usize> = rows.iter().map(|row| row.pairs.len()).collect();
    let pairs = match (pairs.first(), pairs.last()) {
        (Some(least), Some(most)) if least != most => {
            format!("{least} to {most} rotated pairs each")
        }
        (Some(1), _) => "one rotated pair each".to_owned(),
        (Some(pairs), _) => format!("{pairs} rotated pairs each"),
        _ => String::new(),
    };
    format!(
        "{} of {}, {pairs}.",
        format_count(rows.len(), "head", "heads"),
        format_count(layers.len(), "layer", "layers")
    )
}

fn place(row: &HeadRow) -> String {
    format!("head {} of layer {}", row.head + 1, row.layer + 1)
}

/// Median of the numbers that are some.
fn median(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let mut numbers: Vec<f64> = numbers.filter(|number| !number.is_nan()).collect();
    numbers.sort_by(f64::total_cmp);
    let (low, high) = (numbers.len().checked_sub(1)? / 2, numbers.len() / 2);
    Some(f64::midpoint(*numbers.get(low)?, *numbers.get(high)?))
}

/// The rows with the least and the greatest number, and the numbers.
fn ends(rows: &[HeadRow], of: impl Fn(&HeadRow) -> f64) -> Option<[(&HeadRow, f64); 2]> {
    let numbers = rows.iter().map(|row| (row, of(row)));
    let numbers: Vec<_> = numbers.filter(|(_, number)| !number.is_nan()).collect();
    let compare = |a: &&(&HeadRow, f64), b: &&(&HeadRow, f64)| compare_numbers(a.1, b.1);
    let (least, most) = (
        numbers.iter().min_by(compare)?,
        numbers.iter().max_by(compare)?,
    );
    Some([*least, *most])
}

fn effective_pairs(rows: &[HeadRow]) -> Option<String> {
    let Some(median) = median(rows.iter().map(|row| row.effective)) else {
        return Some("No head has energy in its pairs.".to_owned());
    };
    let [(least, low), (most, high)] = ends(rows, |row| row.effective)?;
    let missing = rows.iter().filter(|row| row.effective.is_nan()).count();
    let missing = match missing {
        0 => String::new(),
        count => format!(
            " {} no energy.",
            format_count(count, "head has", "heads have")
        ),
    };
    Some(format!(
        "Effective number of pairs: median {}, from {} ({}) to {} ({}).{missing}",
        number(median),
        number(low),
        place(least),
        number(high),
        place(most)
    ))
}

/// States how alike the queries of heads are; `None` without statistics of them.
fn concentration(rows: &[HeadRow]) -> Option<String> {
    let median = median(rows.iter().map(HeadRow::concentration))?;
    let [(least, low), (most, high)] = ends(rows, HeadRow::concentration)?;
    Some(format!(
        "Concentration of queries, |E q| / E|q| weighted by the shares of pairs: median {median:.2}, from {low:.2} ({}) to {high:.2} ({}).",
        place(least),
        place(most)
    ))
}

/// Formats a share: 12 %.
fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn wavelengths(rows: &[HeadRow], trained: Option<f64>) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some([(fast, short), (slow, long)]) = ends(rows, HeadRow::mean_wavelength)
        && short < long
    {
        sentences.push(format!(
            "The fastest pairs have the most weight in {} (mean wavelength {} tokens), the slowest in {} ({}).",
            place(fast),
            group_thousands(short.round() as u64),
            place(slow),
            group_thousands(long.round() as u64)
        ));
    }
    let Some(length) = trained else {
        return sentences;
    };
    let tokens = group_thousands(length as u64);
    let has_slow = |row: &HeadRow| row.pairs.iter().any(|pair| pair.wavelength > length);
    if !rows.iter().any(has_slow) {
        sentences.push(format!(
            "Every pair turns fully within the trained length, {tokens} tokens."
        ));
        return sentences;
    }
    let beyond = |row: &HeadRow| row.share_beyond(length);
    if let (Some(median), Some([_, (most, share)])) =
        (median(rows.iter().map(beyond)), ends(rows, beyond))
    {
        sentences.push(format!(
            "Pairs that never turn fully within the trained length, {tokens} tokens, have {} in the median head and {} in {}.",
            percent(median),
            percent(share),
            place(most)
        ));
    }
    sentences
}

fn unrotated_columns(rows: &[HeadRow]) -> Option<String> {
    let part = |side: usize| median(rows.iter().map(|row| row.unrotated_shares[side]));
    let (query, key) = (part(0)?, part(1)?);
    (query > 0.0 || key > 0.0).then(|| {
        format!(
            "Columns that do not rotate have {} of the energy of queries and {} of that of keys in the median head; shares leave them out.",
            percent(query),
            percent(key)
        )
    })
}

fn bounds(rows: &[HeadRow], trained: Option<f64>) -> Vec<String> {
    let pairs = || {
        rows.iter().flat_map(|row| {
            let values = row.pairs.iter().zip(&row.values);
            values.map(move |(pair, bound)| (row, pair, *bound))
        })
    };
    let greatest = pairs().max_by(|a, b| compare_numbers(a.2, b.2));
    let mut sentences = Vec::new();
    if let (Some((row, pair, bound)), Some(median)) = (greatest, median(pairs().map(|of| of.2))) {
        sentences.push(format!(
            "By its norms a pair adds at most {} to a score (median {}): pair {} of {}, wavelength {} tokens.",
            number(bound),
            number(median),
            pair.index + 1,
            place(row),
            group_thousands(pair.wavelength.round() as u64)
        ));
    }
    let slow = |length: f64| {
        let slow = pairs().filter(|(_, pair, _)| pair.wavelength > length);
        slow.map(|of| of.2).reduce(f64::max)
    };
    if let Some(most) = trained.and_then(slow) {
        sentences.push(format!(
            "Pairs that never turn fully within the trained length add at most {} each.",
            number(most)
        ));
    }
    sentences
}

/// Names the layers that have arrived and do not rotate, and for bounds those without norms.
fn unrotated_layers(layers: &RotaryLayers) -> Vec<String> {
    let named = |is_named: fn(&RotaryValues) -> bool, one: &str, many: &str| {
        let named = layers.layers.iter().filter(|layer| is_named(&layer.values));
        let numbers: Vec<usize> = named.map(|layer| layer.layer + 1).collect();
        let listed: Vec<String> = (numbers.iter().take(MOST_LISTED))
            .map(usize::to_string)
            .collect();
        let listed = listed.join(", ");
        match numbers.len() {
            0 => None,
            1 => Some(format!("Layer {listed} {one}.")),
            count if count > MOST_LISTED => {
                Some(format!("{count} layers {many}: {listed} and others."))
            }
            _ => Some(format!("Layers {listed} {many}.")),
        }
    };
    let still = |values: &RotaryValues| match values {
        RotaryValues::Energies(energies) => energies.pairs.is_empty(),
        RotaryValues::Queries(queries) => queries.pairs.is_empty(),
        RotaryValues::Bounds(bounds) => bounds.as_ref().is_some_and(|b| b.pairs.is_empty()),
    };
    let plain = |values: &RotaryValues| matches!(values, RotaryValues::Bounds(None));
    let sentences = [
        named(still, "does not rotate", "do not rotate"),
        named(
            plain,
            "has no norms on queries and keys",
            "have no norms on queries and keys",
        ),
    ];
    sentences.into_iter().flatten().collect()
}
