//! Sections of a configuration that contradict one another: `rope_scaling` and `rope_parameters`, angles of kinds of
//! layers.
//!
//! How programs read them is as in the transformers library, version 5.24 (`RotaryEmbeddingConfigMixin`).

use serde_json::Value;

use super::{
    Config, Finding, FindingKind, FindingNumber,
    finding::number_text,
    rotary_config::{RotaryConfig, type_of, value_text},
};
use crate::checkpoint::CleanText;

/// Base that programs use where they find none.
pub(super) const USUAL_BASE: f64 = 10_000.0;
/// Maximum number of entries that a sentence lists.
const MOST_LISTED: usize = 4;

/// Adds findings on sections and their names.
pub(super) fn check(config: &RotaryConfig<'_>, findings: &mut Vec<Finding>) {
    for key in ["rope_parameters", "rope_scaling"] {
        findings.extend(unreadable(config.part, key));
    }
    findings.extend(differing_sections(config.part));
    findings.extend(differing_bases(config.part));
    findings.extend(kinds_without_angles(config.part));
}

/// A section that is no object, or of which an entry cannot be read.
fn unreadable(part: &Config, key: &str) -> Option<Finding> {
    let value = part.entry(key)?;
    let sentence = match value {
        Value::Object(entries) if entries.is_empty() || !part.section(key).is_empty() => {
            return None;
        }
        Value::Object(_) => format!(
            "The section “{key}” has an entry that cannot be used, so all of it is left out; keep only entries about angles in it."
        ),
        _ => format!(
            "The entry “{key}” is {}, but it must be a section such as {{\"rope_type\": \"default\"}}; it is left out.",
            value_text(value)
        ),
    };
    Some(Finding::fault(FindingKind::UnreadableSection, &sentence))
}

/// Entries in which `rope_scaling` and `rope_parameters` differ, if both are there.
fn differing_sections(part: &Config) -> Option<Finding> {
    let (old, new) = (
        part.section("rope_scaling"),
        part.section("rope_parameters"),
    );
    let has_kinds = |section: &Config| section.sections().next().is_some();
    if old.is_empty() || new.is_empty() || has_kinds(old) || has_kinds(new) {
        return None;
    }
    let mut differences = Vec::new();
    let (old_type, new_type) = (type_of(old), type_of(new));
    if old_type.unwrap_or("default") != new_type.unwrap_or("default") {
        let text = |kind: Option<&str>| CleanText(kind.unwrap_or("default")).to_string();
        differences.push(format!(
            "“rope_type” ({} and {})",
            text(old_type),
            text(new_type)
        ));
    }
    // Old files have the base and the share of rotated columns beside the section.
    let of_old = |key: &str| old.entry(key).or(part.entry(key));
    let base = of_old("rope_theta").map_or(Some(USUAL_BASE), Value::as_f64);
    if let Some(stated) = new
        .number("rope_theta")
        .filter(|stated| Some(*stated) != base)
    {
        let base = base.map_or("unreadable".to_owned(), number_text);
        differences.push(format!("“rope_theta” ({base} and {})", number_text(stated)));
    }
    let skipped = ["type", "rope_type", "rope_theta", "partial_rotary_factor"];
    let names = old.entries().chain(new.entries()).map(|(key, _)| key);
    let mut compared: Vec<&str> = names.filter(|key| !skipped.contains(key)).collect();
    compared.sort_unstable();
    compared.dedup();
    for key in compared {
        let [first, second] = [old, new].map(|section| section.entry(key));
        if !is_equal(first, second) {
            let text = |value: Option<&Value>| value.map_or("absent".to_owned(), value_text);
            differences.push(format!(
                "“{}” ({} and {})",
                CleanText(key),
                text(first),
                text(second)
            ));
        }
    }
    if differences.is_empty() {
        return None;
    }
    let count = differences.len();
    let more = if count > MOST_LISTED { ", …" } else { "" };
    differences.truncate(MOST_LISTED);
    let sentence = format!(
        "Both “rope_scaling” and “rope_parameters” are there, and they differ in {}{more}: version 5 of transformers and this page read the former alone; keep one of the two.",
        differences.join(", ")
    );
    let numbers = [(FindingNumber::Value, count as f64)];
    Some(Finding::fault(FindingKind::SectionsDiffer, &sentence).with(&numbers))
}

/// Whether two entries have one value; 8 and 8.0 are equal.
fn is_equal(first: Option<&Value>, second: Option<&Value>) -> bool {
    let number = |value: Option<&Value>| value.and_then(Value::as_f64);
    match (number(first), number(second)) {
        (Some(first), Some(second)) => first == second,
        _ => first == second,
    }
}

/// Bases inside and outside of `rope_parameters`. Those beside `rope_scaling` are compared with the sections.
fn differing_bases(part: &Config) -> Option<Finding> {
    let outside = part.number("rope_theta")?;
    let new = part.section("rope_parameters");
    if new.is_empty() || !part.section("rope_scaling").is_empty() {
        return None;
    }
    let inside = new.number("rope_theta")?;
    if inside == outside {
        return None;
    }
    let sentence = format!(
        "The base “rope_theta” is {} in “rope_parameters” and {} outside of it: programs older than version 5 of transformers read the latter, newer ones the former; keep the one of the model's authors in both places.",
        number_text(inside),
        number_text(outside)
    );
    let numbers = [
        (FindingNumber::Base, inside),
        (FindingNumber::Value, outside),
    ];
    Some(Finding::fault(FindingKind::BasesDiffer, &sentence).with(&numbers))
}

/// Kinds of attention in `layer_types` for which `rope_parameters` has no section although other kinds have one.
fn kinds_without_angles(part: &Config) -> Option<Finding> {
    let new = part.section("rope_parameters");
    let kinds = part.words("layer_types");
    let is_attention = |kind: &&str| kind.ends_with("_attention") && *kind != "linear_attention";
    let has_section = |kind: &str| new.entries().any(|(key, _)| key == kind);
    if !kinds.iter().any(|kind| has_section(kind)) {
        return None;
    }
    let without = |kind: &&str| is_attention(kind) && !has_section(kind);
    let kind = kinds.iter().copied().find(without)?;
    let layers = kinds.iter().filter(|other| **other == kind).count();
    let sentence = format!(
        "The section “rope_parameters” has one for each kind of layer, but none for “{}”, which {layers} of {} layers are; add it, or set it to null if these layers rotate nothing.",
        CleanText(kind),
        kinds.len()
    );
    let numbers = [
        (FindingNumber::Layers, layers as f64),
        (FindingNumber::AllLayers, kinds.len() as f64),
    ];
    Some(Finding::fault(FindingKind::KindWithoutAngles, &sentence).with(&numbers))
}
