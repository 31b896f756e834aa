//! Changes of the angles for longer texts whose entries contradict one another, or are missing.
//!
//! How programs read them is as in the transformers library, version 5.24 (`RotaryEmbeddingConfigMixin`).

use super::{
    Finding, FindingKind, FindingNumber,
    finding::number_text,
    rotary_config::{AngleSection, RotaryConfig},
};
use crate::checkpoint::CleanText;

/// Types of a change of the angles that this page computes, and those that change nothing.
const TYPES: &[&str] = &[
    "default",
    "none",
    "mrope",
    "proportional",
    "linear",
    "dynamic",
    "yarn",
    "deepseek_yarn",
    "longrope",
    "su",
    "llama3",
];
/// Pairs of a `type` and a `rope_type` that mean the same.
const EQUAL_TYPES: &[[&str; 2]] = &[
    ["mrope", "default"],
    ["su", "longrope"],
    ["deepseek_yarn", "yarn"],
];
/// Older names of types, and the newer ones.
const OLDER_TYPES: &[[&str; 2]] = &[["su", "longrope"], ["deepseek_yarn", "yarn"]];
/// Entries of the authors' code of YaRN that transformers never reads, with the value that changes nothing.
const AUTHORS_ENTRIES: &[(&str, f64)] = &[("attn_factor", 1.0), ("extrapolation_factor", 1.0)];
/// Entry with the length of the texts of training.
const TRAINED_LENGTH: &str = "original_max_position_embeddings";

/// Adds findings on the changes of the angles.
pub(super) fn check(config: &RotaryConfig<'_>, findings: &mut Vec<Finding>) {
    for place in config.changes() {
        findings.extend(differing_types(place));
        match place.kind {
            Some(kind) if !TYPES.contains(&kind) => findings.push(unknown_type(place, kind)),
            Some(kind) => {
                findings.extend(older_type(place, kind));
                let kind = newer_type(kind);
                findings.extend(missing_entries(config, place, kind));
                findings.extend(band_order(place, kind));
                findings.extend(unread_entries(place, kind));
            }
            None => findings.extend(missing_type(config, place)),
        }
    }
    findings.extend(trained_above_claimed(config));
}

fn differing_types(place: &AngleSection<'_>) -> Option<Finding> {
    let (old, new) = (
        place.section.word("type")?,
        place.section.word("rope_type")?,
    );
    let is_same = |pair: &[&str; 2]| *pair == [old, new] || *pair == [new, old];
    if old == new || EQUAL_TYPES.iter().any(is_same) {
        return None;
    }
    let sentence = format!(
        "The entry “type” is “{}” and “rope_type” is “{}”{}: the first models had the former name and newer programs read the latter; write one value under both.",
        CleanText(old),
        CleanText(new),
        place.name
    );
    Some(Finding::fault(FindingKind::TypesDiffer, &sentence))
}

fn unknown_type(place: &AngleSection<'_>, kind: &str) -> Finding {
    let sentence = format!(
        "The entry {} is “{}”, which neither this page nor version 5.24 of transformers knows; the page shows the angles of training.",
        place.entry_text("rope_type"),
        CleanText(kind)
    );
    Finding::fault(FindingKind::UnknownType, &sentence)
}

/// The newer name of a type.
fn newer_type(kind: &str) -> &str {
    let newer = OLDER_TYPES.iter().find(|[older, _]| *older == kind);
    newer.map_or(kind, |[_, newer]| newer)
}

/// A type under its older name alone.
fn older_type(place: &AngleSection<'_>, kind: &str) -> Option<Finding> {
    let newer = newer_type(kind);
    if newer == kind || place.section.word("type") == Some(newer) {
        return None;
    }
    let sentence = format!(
        "The entry {} is “{kind}”, an older name of “{newer}”: this page takes it as such, and version 5.24 of transformers does so for the model type that had it alone; write the newer name.",
        place.entry_text("rope_type")
    );
    Some(Finding::caution(FindingKind::OlderType, &sentence))
}

/// Entries that the code of `YaRN`'s authors and vLLM read, and transformers does not.
fn unread_entries(place: &AngleSection<'_>, kind: &str) -> Vec<Finding> {
    let entries = AUTHORS_ENTRIES.iter().filter(|_| kind == "yarn");
    let entries = entries.filter_map(|(key, neutral)| {
        let value = place.section.number(key).filter(|value| value != neutral)?;
        let effect = match *key {
            "attn_factor" => "multiply queries and keys by it, in addition to the change's own factor",
            _ => "weigh the undivided angles by it",
        };
        let sentence = format!(
            "The entry {} is {}: the code of YaRN's authors and vLLM {effect}, while transformers and this page leave it out; remove it if the model was trained without it.",
            place.entry_text(key),
            number_text(value)
        );
        let finding = Finding::caution(FindingKind::UnreadEntry, &sentence);
        Some(finding.with(&[(FindingNumber::Value, value)]))
    });
    entries.collect()
}

fn missing_type(config: &RotaryConfig<'_>, place: &AngleSection<'_>) -> Option<Finding> {
    let factor = place.section.number("factor")?;
    // Older GGUF files have a factor alone, for a linear change.
    if factor == 1.0 || config.is_gguf() {
        return None;
    }
    let sentence = format!(
        "The entry {} is {}, but there is no “rope_type”: version 5 of transformers leaves the factor out in silence, and this page takes it as linear; add the type.",
        place.entry_text("factor"),
        number_text(factor)
    );
    let numbers = [(FindingNumber::Factor, factor)];
    Some(Finding::fault(FindingKind::MissingType, &sentence).with(&numbers))
}

/// Entries without which a change of the angles is undefined.
fn missing_entries(
    config: &RotaryConfig<'_>,
    place: &AngleSection<'_>,
    kind: &str,
) -> Vec<Finding> {
    let section = place.section;
    let lists_are_tensors = config.is_gguf();
    let needed: &[&str] = match kind {
        "linear" => &["factor"],
        "dynamic" if section.entry("alpha").is_none() => &["factor"],
        "llama3" => &["factor", "low_freq_factor", "high_freq_factor"],
        "yarn" if section.entry(TRAINED_LENGTH).is_none() => &["factor"],
        "longrope" | "su" if !lists_are_tensors => &["short_factor", "long_factor"],
        _ => &[],
    };
    let absent = needed.iter().filter(|key| section.entry(key).is_none());
    let mut findings: Vec<Finding> = absent
        .map(|key| {
            let sentence = format!(
                "The entry {} is missing, which the change “{}” needs; copy it from the model's authors.",
                place.entry_text(key),
                CleanText(kind)
            );
            Finding::fault(FindingKind::MissingEntry, &sentence)
        })
        .collect();
    let counts_from_training = ["yarn", "llama3", "longrope", "su"].contains(&kind);
    let is_stated = [section, config.part]
        .iter()
        .any(|section| section.entry(TRAINED_LENGTH).is_some());
    if counts_from_training && !is_stated {
        let longest = config.part.number("max_position_embeddings");
        let text = longest.map_or("nothing".to_owned(), |longest| {
            format!("“max_position_embeddings” ({})", number_text(longest))
        });
        let sentence = format!(
            "The entry {} is missing, from which the change “{}” counts: programs take {text} in its place, so that the angles are wrong if that is the length after the change; add the length of training.",
            place.entry_text(TRAINED_LENGTH),
            CleanText(kind)
        );
        let numbers = [(FindingNumber::ClaimedLength, longest.unwrap_or(f64::NAN))];
        findings.push(Finding::fault(FindingKind::MissingTrainedLength, &sentence).with(&numbers));
    }
    findings
}

/// Ends of a band in the wrong order.
fn band_order(place: &AngleSection<'_>, kind: &str) -> Option<Finding> {
    let (low, high) = match kind {
        "llama3" => ("low_freq_factor", "high_freq_factor"),
        "yarn" => ("beta_slow", "beta_fast"),
        _ => return None,
    };
    let usual = |key: &str| match key {
        "beta_slow" => Some(1.0),
        "beta_fast" => Some(32.0),
        _ => None,
    };
    let number = |key: &str| place.section.number(key).or(usual(key));
    let (below, above) = (number(low)?, number(high)?);
    if above > below || below <= 0.0 || above <= 0.0 {
        return None;
    }
    let sentence = format!(
        "The entry {} is {}, which is not above “{low}” ({}); the two may be exchanged.",
        place.entry_text(high),
        number_text(above),
        number_text(below)
    );
    let numbers = [
        (FindingNumber::Value, above),
        (FindingNumber::Expected, below),
    ];
    Some(Finding::fault(FindingKind::BandOrder, &sentence).with(&numbers))
}

fn trained_above_claimed(config: &RotaryConfig<'_>) -> Option<Finding> {
    let claimed = config.part.number("max_position_embeddings")?;
    let trained = |place: &&AngleSection<'_>| {
        let trained = place.section.number(TRAINED_LENGTH);
        trained.is_some_and(|trained| trained > claimed && claimed > 0.0)
    };
    let place = config.places.iter().find(trained)?;
    let trained = place.section.number(TRAINED_LENGTH)?;
    let sentence = format!(
        "The entry {} is {} tokens, above “max_position_embeddings” ({}): the first is the length of training, the second that after the change; the two may be exchanged.",
        place.entry_text(TRAINED_LENGTH),
        number_text(trained),
        number_text(claimed)
    );
    let numbers = [
        (FindingNumber::TrainedLength, trained),
        (FindingNumber::ClaimedLength, claimed),
    ];
    Some(Finding::fault(FindingKind::TrainedAboveClaimed, &sentence).with(&numbers))
}
