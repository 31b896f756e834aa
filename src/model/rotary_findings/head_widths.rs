//! Numbers of heads and of columns that contradict one another.

use super::{
    Finding, FindingKind, FindingNumber, finding::number_text, rotary_config::RotaryConfig,
};

/// Entries that hold the share of rotated columns.
const SHARES: &[&str] = &["partial_rotary_factor", "rotary_pct", "rotary_emb_fraction"];

/// Adds findings on heads and their columns.
pub(super) fn check(config: &RotaryConfig<'_>, findings: &mut Vec<Finding>) {
    findings.extend(width_of_model(config));
    findings.extend(key_heads(config));
    findings.extend(rotated_columns(config));
}

/// Heads that do not divide the width of the model, if nothing else says how wide they are.
fn width_of_model(config: &RotaryConfig<'_>) -> Option<Finding> {
    let part = config.part;
    let is_stated = ["head_dim", "qk_rope_head_dim", "global_head_dim"]
        .iter()
        .any(|key| part.count(key).is_some());
    let (width, heads) = (part.hidden_width?, part.heads?);
    if is_stated || width.is_multiple_of(heads) {
        return None;
    }
    let sentence = format!(
        "The {heads} heads do not divide {} columns of the model, so that the width of a head is no whole number; add “head_dim” or correct one of the two.",
        number_text(f64::from(width))
    );
    let numbers = [
        (FindingNumber::Heads, f64::from(heads)),
        (FindingNumber::Value, f64::from(width)),
    ];
    Some(Finding::fault(FindingKind::HeadsDoNotDivideWidth, &sentence).with(&numbers))
}

fn key_heads(config: &RotaryConfig<'_>) -> Option<Finding> {
    let (heads, keys) = (
        config.part.heads?,
        config.part.count("num_key_value_heads")?,
    );
    if heads.is_multiple_of(keys) {
        return None;
    }
    let sentence = format!(
        "The entry “num_key_value_heads” is {keys}, which does not divide {heads} heads, so that the heads cannot share keys evenly."
    );
    let numbers = [
        (FindingNumber::Heads, f64::from(heads)),
        (FindingNumber::KeyHeads, f64::from(keys)),
    ];
    Some(Finding::fault(FindingKind::KeyHeadsDoNotDivideHeads, &sentence).with(&numbers))
}

/// An odd number of rotated columns, or more of them than a head has.
fn rotated_columns(config: &RotaryConfig<'_>) -> Option<Finding> {
    let part = config.part;
    let head = f64::from(config.head_width()?);
    let stated = ["rotary_dim", "qk_rope_head_dim"]
        .iter()
        .find_map(|key| Some((*key, part.count(key)?)));
    let shares = config.places.iter().flat_map(|place| {
        let own = SHARES.iter();
        own.filter_map(|key| Some((*key, place.section.number(key)?)))
    });
    let mut shares = shares.filter(|(_, share)| *share > 0.0 && *share <= 1.0);
    let (origin, columns) = match (stated, shares.next()) {
        (Some((key, columns)), _) => (format!("The entry “{key}”"), f64::from(columns)),
        (None, Some((key, share))) => (
            format!(
                "The share “{key}” of {share} times {} columns",
                number_text(head)
            ),
            // As the library does.
            (head * share).floor(),
        ),
        (None, None) => ("The width of a head".to_owned(), head),
    };
    let numbers = [
        (FindingNumber::RotatedColumns, columns),
        (FindingNumber::HeadWidth, head),
    ];
    if columns > head {
        let sentence = format!(
            "{origin} is {}, more than the {} columns of a head; correct one of the two.",
            number_text(columns),
            number_text(head)
        );
        return Some(Finding::fault(FindingKind::RotatedWidthAboveHead, &sentence).with(&numbers));
    }
    if columns % 2.0 == 0.0 && columns > 0.0 {
        return None;
    }
    let sentence = format!(
        "{origin} is {}, but columns are rotated in pairs; make it an even number of at least 2.",
        number_text(columns)
    );
    Some(Finding::fault(FindingKind::OddRotatedWidth, &sentence).with(&numbers))
}
