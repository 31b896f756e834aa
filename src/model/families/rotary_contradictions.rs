//! Entries of a rotary model's configuration that cannot be used or contradict one another.

use super::{
    Config, rotary_axes,
    rotary_bases::Angles,
    rotary_layers::{LayerRules, MOST_LAYERS},
    rotary_widths::{head_width, rotated_width, share},
};
use crate::checkpoint::CleanText;

/// Entries with the base of the angles.
const BASES: &[&str] = &[
    "rope_theta",
    "rotary_emb_base",
    "global_rope_theta",
    "local_rope_theta",
    "rope_local_base_freq",
];
/// Maximum number of sentences.
const MOST: usize = 8;

/// Sentences on entries that cannot be used or contradict one another; each names them and their values.
pub(super) fn find(config: &Config, bases: &[&Angles<'_>]) -> Vec<String> {
    let mut sentences = Vec::new();
    sentences.extend(unusable_bases(config));
    sentences.extend(heads(config));
    for angles in bases {
        sentences.extend(widths(config, angles));
    }
    sentences.extend(layers(config));
    // Several sets of angles have some in common.
    let mut seen: Vec<String> = Vec::new();
    for sentence in sentences {
        if !seen.contains(&sentence) {
            seen.push(sentence);
        }
    }
    seen.truncate(MOST);
    seen
}

/// Bases that are not numbers above 1.
fn unusable_bases(config: &Config) -> Vec<String> {
    let sections = ["rope_parameters", "rope_scaling"].map(|key| config.section(key));
    let nested = sections.iter().flat_map(|section| section.sections());
    let nested = nested.map(|(_, section)| section);
    let all = [config].into_iter().chain(sections).chain(nested);
    let mut sentences = Vec::new();
    for section in all.take(MOST_LAYERS) {
        for key in BASES {
            let is_usable = section.number(key).is_some_and(|base| base > 1.0);
            let is_list = !section.numbers(key).is_empty();
            if let Some(value) = section.value_text(key)
                && !is_usable
                && !is_list
                && !section.is_null(key)
            {
                sentences.push(format!(
                    "The entry “{key}” is {}, and a base has to be a number above 1; it is left out.",
                    CleanText(&value)
                ));
            }
        }
    }
    sentences
}

/// Numbers of heads and widths that do not fit.
fn heads(config: &Config) -> Vec<String> {
    let mut sentences = Vec::new();
    let has_width = ["head_dim", "attention_head_dim", "kv_channels"]
        .iter()
        .any(|key| config.count(key).is_some());
    if let (Some(width), Some(heads)) = (config.hidden_width, config.heads)
        && !has_width
        && !width.is_multiple_of(heads)
    {
        sentences.push(format!(
            "The width of the model (“hidden_size” is {width}) is no multiple of its number of heads \
             (“num_attention_heads” is {heads}), so a head has no whole number of columns."
        ));
    }
    let key_heads = config.count("num_key_value_heads");
    if let (Some(heads), Some(key_heads)) = (config.heads, key_heads)
        && !heads.is_multiple_of(key_heads)
    {
        sentences.push(format!(
            "The entry “num_attention_heads” is {heads}, which is no multiple of “num_key_value_heads” ({key_heads}): heads \
             cannot share keys evenly."
        ));
    }
    sentences
}

/// Rotated widths that do not fit the heads.
fn widths(config: &Config, angles: &Angles<'_>) -> Vec<String> {
    let mut sentences = Vec::new();
    let (Some(head), Some(width)) = (head_width(config, angles), rotated_width(config, angles))
    else {
        return sentences;
    };
    let is_latent = config.count("qk_rope_head_dim").is_some();
    if width == head && width % 2 == 1 && !is_latent {
        sentences.push(format!(
            "A head has {head} columns (“head_dim”), and all of them are to rotate. Columns rotate in pairs, so \
             libraries refuse this configuration; the figures show the angles with the exponent −2m/{head}."
        ));
    }
    if config.count("rotary_dim") == Some(width) && width > head && !is_latent {
        sentences.push(format!(
            "The entry “rotary_dim” is {width}, and a head has only {head} columns."
        ));
    }
    let share = share(config, angles);
    if !(share > 0.0 && share <= 1.0) {
        sentences.push(format!(
            "The entry “partial_rotary_factor” is {share}, and a share of the columns is above 0 and at most 1."
        ));
    }
    if let Some(counts) = rotary_axes::counts(config, angles) {
        let sum: u64 = counts.iter().map(|count| u64::from(*count)).sum();
        let pairs = u64::from(width.div_ceil(2));
        if sum != pairs {
            sentences.push(format!(
                "The entry “mrope_section” distributes {sum} pairs of columns, and a head rotates {pairs}."
            ));
        }
    }
    sentences
}

/// Lists of layers that do not fit their number.
fn layers(config: &Config) -> Vec<String> {
    let Some(layers) = config.layers else {
        return Vec::new();
    };
    let mut sentences = Vec::new();
    if layers as usize > MOST_LAYERS {
        sentences.push(format!(
            "The entry “num_hidden_layers” is {layers}, more than any model has; it is left out."
        ));
    }
    let listed = [
        ("layer_types", config.words("layer_types").len()),
        ("no_rope_layers", config.numbers("no_rope_layers").len()),
        ("layer_rope_theta", LayerRules::new(config).bases()),
    ];
    for (key, count) in listed {
        if count > 0 && count != layers as usize {
            sentences.push(format!(
                "The entry “{key}” lists {count} layers, and “num_hidden_layers” is {layers}."
            ));
        }
    }
    sentences
}
