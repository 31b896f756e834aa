//! Lists of a configuration with another number of entries than layers or pairs of columns.

use serde_json::Value;

use super::{
    Finding, FindingKind, FindingNumber,
    finding::{count_text, number_text},
    rotary_config::{AngleSection, RotaryConfig, value_text},
};
use crate::checkpoint::CleanText;

/// Kinds of layers that the transformers library lists, version 5.24, and older names.
const LAYER_TYPES: &[&str] = &[
    "full_attention",
    "sliding_attention",
    "chunked_attention",
    "window_attention",
    "indexed_attention",
    "compressed_sparse_attention",
    "heavily_compressed_attention",
    "minimax_m3_sparse",
    "conv",
    "moe",
    "hybrid",
    "hybrid_sliding",
    "reference_sliding_attention",
    "linear_attention",
    "sparse",
    "dense",
    "attention",
    "mamba",
    "mamba2",
    "recurrent",
    "deepseek_sparse_attention",
    "qwen_sparse_attention",
];
/// Greatest divisor, far beyond every published model.
const MOST_DIVISOR: f64 = 1e4;

/// Adds findings on lists.
pub(super) fn check(config: &RotaryConfig<'_>, findings: &mut Vec<Finding>) {
    findings.extend(layer_types(config));
    findings.extend(unknown_layer_type(config));
    findings.extend(unrotated_layers(config));
    findings.extend(layer_bases(config));
    for place in &config.places {
        findings.extend(axes(config, place));
    }
    let is_long = |place: &&AngleSection<'_>| matches!(place.kind, Some("longrope" | "su"));
    for place in config.changes().filter(is_long) {
        for key in ["short_factor", "long_factor"] {
            findings.extend(divisors(config, place, key));
        }
    }
}

/// Number of layers that a list may describe: those of the model, with or without those that predict further words.
fn has_layers(config: &RotaryConfig<'_>, count: usize) -> bool {
    let Some(layers) = config.part.layers else {
        return true;
    };
    let further = ["num_nextn_predict_layers", "mtp_num_layers"]
        .iter()
        .find_map(|key| config.part.count(key))
        .unwrap_or(0);
    let layers = u64::from(layers);
    [layers, layers + u64::from(further)].contains(&(count as u64))
}

fn layers_text(config: &RotaryConfig<'_>) -> String {
    count_text(config.part.layers.unwrap_or(0) as usize, "layer")
}

fn layer_types(config: &RotaryConfig<'_>) -> Option<Finding> {
    let count = config.part.entry("layer_types")?.as_array()?.len();
    if has_layers(config, count) {
        return None;
    }
    let sentence = format!(
        "The list “layer_types” has {} for {}; give each layer one.",
        entries_text(count),
        layers_text(config)
    );
    let finding = Finding::fault(FindingKind::LayerTypesLength, &sentence);
    Some(finding.with(&lengths(count, config.part.layers)))
}

fn unknown_layer_type(config: &RotaryConfig<'_>) -> Option<Finding> {
    let list = config.part.entry("layer_types")?.as_array()?;
    let is_known = |value: &Value| {
        let word = value.as_str();
        word.is_some_and(|word| LAYER_TYPES.contains(&word))
    };
    let at = list.iter().position(|value| !is_known(value))?;
    let count = list.iter().filter(|value| !is_known(value)).count();
    let sentence = format!(
        "Entry {} of “layer_types” is {}, which is no kind of layer that this page knows; {count} of {} entries are unknown, and those layers count as rotating nothing.",
        at + 1,
        list.get(at).map_or_else(String::new, value_text),
        list.len()
    );
    let numbers = [
        (FindingNumber::Layers, count as f64),
        (FindingNumber::AllLayers, list.len() as f64),
    ];
    Some(Finding::caution(FindingKind::UnknownLayerType, &sentence).with(&numbers))
}

/// The list with 1 for each layer that rotates and 0 for each that does not. An empty one stands for the usual layers.
fn unrotated_layers(config: &RotaryConfig<'_>) -> Option<Finding> {
    let value = config.part.entry("no_rope_layers")?;
    let Some(list) = value.as_array() else {
        let sentence = format!(
            "The entry “no_rope_layers” is {}, but it must be a list with 1 for each layer that rotates and 0 for each that does not.",
            value_text(value)
        );
        return Some(Finding::fault(FindingKind::UnrotatedListLength, &sentence));
    };
    if !list.is_empty() && !has_layers(config, list.len()) {
        let sentence = format!(
            "The list “no_rope_layers” has {} for {}; it has one for each layer, 1 with rotation and 0 without, and is no list of the layers' numbers.",
            entries_text(list.len()),
            layers_text(config)
        );
        let finding = Finding::fault(FindingKind::UnrotatedListLength, &sentence);
        return Some(finding.with(&lengths(list.len(), config.part.layers)));
    }
    let is_flag = |value: &&Value| {
        value.is_boolean()
            || matches!(value.as_f64(), Some(number) if number == 0.0 || number == 1.0)
    };
    let at = list.iter().position(|value| !is_flag(&value))?;
    let value = list.get(at)?;
    let sentence = format!(
        "Number {} of “no_rope_layers” is {}, but it must be 1 for a layer that rotates or 0 for one that does not.",
        at + 1,
        value_text(value)
    );
    let numbers = [(FindingNumber::Value, value.as_f64().unwrap_or(f64::NAN))];
    Some(Finding::fault(FindingKind::UnrotatedListValue, &sentence).with(&numbers))
}

/// The list with the base of each layer.
fn layer_bases(config: &RotaryConfig<'_>) -> Option<Finding> {
    let count = config.part.entry("layer_rope_theta")?.as_array()?.len();
    if count == 0 || has_layers(config, count) {
        return None;
    }
    let sentence = format!(
        "The list “layer_rope_theta” has {} for {}; give each layer its base, and 0 to a layer that does not rotate.",
        entries_text(count),
        layers_text(config)
    );
    let finding = Finding::fault(FindingKind::LayerBasesLength, &sentence);
    Some(finding.with(&lengths(count, config.part.layers)))
}

/// Sections of several axes, which share the pairs of columns.
fn axes(config: &RotaryConfig<'_>, place: &AngleSection<'_>) -> Option<Finding> {
    let list = place.section.numbers("mrope_section");
    let pairs = config.description?.angles.first()?.tensors.angles.pairs;
    let sum: f64 = list.iter().sum();
    // A file without axes may have zeros.
    if list.is_empty() || sum == 0.0 || sum == pairs as f64 {
        return None;
    }
    let listed: Vec<String> = list.iter().take(4).map(|n| number_text(*n)).collect();
    let sentence = format!(
        "The list {} is {}, which sums to {}, but the heads have {pairs} rotated pairs of columns to share out among the axes.",
        place.entry_text("mrope_section"),
        CleanText(&listed.join(" + ")),
        number_text(sum)
    );
    let numbers = [
        (FindingNumber::Value, sum),
        (FindingNumber::Expected, pairs as f64),
    ];
    Some(Finding::fault(FindingKind::AxesSum, &sentence).with(&numbers))
}

/// A list with a divisor for each pair of columns.
fn divisors(config: &RotaryConfig<'_>, place: &AngleSection<'_>, key: &str) -> Option<Finding> {
    let value = place.section.entry(key)?;
    let pairs = config.description?.angles.first()?.tensors.angles.pairs;
    let Some(list) = value.as_array() else {
        let sentence = format!(
            "The entry {} is {}, but it must be a list of {pairs} numbers, one for each pair of columns.",
            place.entry_text(key),
            value_text(value)
        );
        return Some(Finding::fault(FindingKind::DivisorListLength, &sentence));
    };
    if list.len() != pairs {
        let sentence = format!(
            "The list {} has {}, but the heads have {pairs} rotated pairs of columns; the list may belong to another model.",
            place.entry_text(key),
            entries_text(list.len())
        );
        let finding = Finding::fault(FindingKind::DivisorListLength, &sentence);
        return Some(finding.with(&lengths(list.len(), u32::try_from(pairs).ok())));
    }
    let is_usable = |value: &Value| {
        let number = value.as_f64();
        number.is_some_and(|number| number > 0.0 && number <= MOST_DIVISOR)
    };
    let at = list.iter().position(|value| !is_usable(value))?;
    let value = list.get(at)?;
    let sentence = format!(
        "Number {} of {} is {}, but angles are divided by it, so it must be above 0 and at most {}.",
        at + 1,
        place.entry_text(key),
        value_text(value),
        number_text(MOST_DIVISOR)
    );
    let numbers = [(FindingNumber::Value, value.as_f64().unwrap_or(f64::NAN))];
    Some(Finding::fault(FindingKind::UnusableDivisor, &sentence).with(&numbers))
}

fn entries_text(count: usize) -> String {
    if count == 1 {
        "1 entry".to_owned()
    } else {
        format!("{} entries", number_text(count as f64))
    }
}

fn lengths(count: usize, expected: Option<u32>) -> [(FindingNumber, f64); 2] {
    [
        (FindingNumber::Value, count as f64),
        (
            FindingNumber::Expected,
            expected.map_or(f64::NAN, f64::from),
        ),
    ]
}
