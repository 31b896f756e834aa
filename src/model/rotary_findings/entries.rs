//! Entries of a configuration that no formula can use.

use serde_json::Value;

use super::{
    Finding, FindingKind, FindingNumber, RotaryDescription,
    finding::number_text,
    rotary_config::{AngleSection, RotaryConfig, value_number, value_text},
};

/// Numbers that an entry may have.
struct Range {
    keys: &'static [&'static str],
    kind: FindingKind,
    /// The number must be above this.
    above: f64,
    /// The number must be at most this.
    most: f64,
    is_whole: bool,
    /// A valid value, and where to find it.
    expected: &'static str,
}

const RANGES: &[Range] = &[
    Range {
        keys: &[
            "rope_theta",
            "rotary_emb_base",
            "global_rope_theta",
            "local_rope_theta",
            "rope_local_base_freq",
        ],
        kind: FindingKind::UnusableBase,
        above: 1.0,
        most: 1e15,
        is_whole: false,
        expected: "a number above 1, usually 10,000 or more; copy it from the model's authors",
    },
    Range {
        keys: &["factor", "alpha"],
        kind: FindingKind::UnusableFactor,
        above: 0.0,
        most: 1e4,
        is_whole: false,
        expected: "a number above 0 and at most 10,000, usually the claimed length divided by that of training",
    },
    Range {
        keys: &["attention_factor", "low_freq_factor", "high_freq_factor"],
        kind: FindingKind::UnusableParameter,
        above: 0.0,
        most: 1e10,
        is_whole: false,
        expected: "a number above 0; copy it from the model's authors",
    },
    Range {
        keys: &["beta_fast", "beta_slow"],
        kind: FindingKind::UnusableParameter,
        // 0 stands for the usual number.
        above: -f64::MIN_POSITIVE,
        most: 1e10,
        is_whole: false,
        expected: "a number of turns, usually 32 for “beta_fast” and 1 for “beta_slow”",
    },
    Range {
        keys: &[
            "max_position_embeddings",
            "original_max_position_embeddings",
        ],
        kind: FindingKind::UnusableLength,
        above: 0.0,
        most: 1e10,
        is_whole: true,
        expected: "a number of tokens",
    },
    Range {
        keys: &["partial_rotary_factor", "rotary_pct", "rotary_emb_fraction"],
        kind: FindingKind::UnusableShare,
        above: 0.0,
        most: 1.0,
        is_whole: false,
        expected: "the share of a head's columns that are rotated, above 0 and at most 1",
    },
    Range {
        keys: &[
            "head_dim",
            "global_head_dim",
            "local_head_dim",
            "rotary_dim",
            "local_rotary_dim",
            "qk_rope_head_dim",
            "qk_nope_head_dim",
            "num_key_value_heads",
            "no_rope_layer_interval",
        ],
        kind: FindingKind::UnusableCount,
        above: 0.0,
        most: 4_294_967_295.0,
        is_whole: true,
        expected: "a whole number of at least 1",
    },
];
/// Entries that may be a list with one number for each layer.
const MAY_BE_LISTS: &[&str] = &["num_key_value_heads"];

/// Entries with numbers of heads, layers and columns, which the parser of configurations refuses.
const COUNTS: &[&str] = &[
    "num_attention_heads",
    "num_hidden_layers",
    "hidden_size",
    "n_heads",
    "n_layers",
    " dim ",
];

/// Adds a finding for each entry that is out of its range.
pub(super) fn check(config: &RotaryConfig<'_>, findings: &mut Vec<Finding>) {
    for place in &config.places {
        for range in RANGES {
            for key in range.keys {
                if let Some(value) = place.section.entry(key) {
                    findings.extend(out_of_range(place, key, value, range));
                }
            }
        }
        let factor = place.section.number("factor");
        if let Some(factor) = factor.filter(|factor| *factor > 0.0 && *factor < 1.0) {
            let sentence = format!(
                "The entry {} is {factor}, which makes the positions of a text lie further apart than in training; a factor for longer texts is above 1, so this may be its inverse.",
                place.entry_text("factor")
            );
            let finding = Finding::caution(FindingKind::FactorBelowOne, &sentence);
            findings.push(finding.with(&[(FindingNumber::Value, factor)]));
        }
    }
    findings.extend(layer_count(config));
    let problems = config.part.problems.iter();
    let of_counts = problems.filter(|problem| COUNTS.iter().any(|key| problem.contains(key)));
    findings.extend(of_counts.map(|text| Finding::fault(FindingKind::UnusableCount, text)));
}

/// More layers than any model has.
fn layer_count(config: &RotaryConfig<'_>) -> Option<Finding> {
    let layers = config.part.layers?;
    if layers as usize <= RotaryDescription::MOST_LAYERS {
        return None;
    }
    let sentence = format!(
        "The entry “num_hidden_layers” is {}, more than any model has; it is left out.",
        number_text(f64::from(layers))
    );
    let finding = Finding::fault(FindingKind::UnusableCount, &sentence);
    Some(finding.with(&[(FindingNumber::Value, f64::from(layers))]))
}

fn out_of_range(
    place: &AngleSection<'_>,
    key: &str,
    value: &Value,
    range: &Range,
) -> Option<Finding> {
    if value.is_array() && MAY_BE_LISTS.contains(&key) {
        return None;
    }
    let fits = |number: &f64| {
        *number > range.above && *number <= range.most && (!range.is_whole || number.fract() == 0.0)
    };
    if value.as_f64().as_ref().is_some_and(fits) {
        return None;
    }
    let text = match value.as_f64() {
        Some(number) if number.abs() >= 1e15 => number_text(number),
        _ => value_text(value),
    };
    let sentence = format!(
        "The entry {} is {text}, but it must be {}.",
        place.entry_text(key),
        range.expected
    );
    let numbers = [(FindingNumber::Value, value_number(value))];
    Some(Finding::fault(range.kind, &sentence).with(&numbers))
}
