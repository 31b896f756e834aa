//! Random and hostile configurations: findings stay few and short, and nothing panics.

use std::collections::BTreeMap;

use diagonal::model::{
    Config,
    rotary_findings::{Finding, FindingKind, check},
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::findings_of;
use crate::{checkpoint::hostile::assert_is_sentence, math::laws::config};

/// Entries that the checks read.
const KEYS: &[&str] = &[
    "model_type",
    "hidden_size",
    "num_attention_heads",
    "num_key_value_heads",
    "num_hidden_layers",
    "head_dim",
    "global_head_dim",
    "rotary_dim",
    "qk_rope_head_dim",
    "qk_nope_head_dim",
    "rotary_pct",
    "partial_rotary_factor",
    "rope_theta",
    "local_rope_theta",
    "global_rope_theta",
    "rope_local_base_freq",
    "max_position_embeddings",
    "original_max_position_embeddings",
    "sliding_window",
    "sliding_window_pattern",
    "layer_types",
    "no_rope_layers",
    "no_rope_layer_interval",
    "mrope_section",
    "yarn",
    "num_nextn_predict_layers",
    "layer_rope_theta",
];
/// Entries of sections with angles.
const SECTION_KEYS: &[&str] = &[
    "type",
    "rope_type",
    "factor",
    "alpha",
    "rope_theta",
    "partial_rotary_factor",
    "low_freq_factor",
    "high_freq_factor",
    "beta_fast",
    "beta_slow",
    "attention_factor",
    "mscale",
    "mscale_all_dim",
    "short_factor",
    "long_factor",
    "mrope_section",
    "original_max_position_embeddings",
    "full_attention",
    "sliding_attention",
];
const WORDS: &[&str] = &[
    "default",
    "linear",
    "dynamic",
    "yarn",
    "longrope",
    "su",
    "llama3",
    "proportional",
    "mrope",
    "llama",
    "smollm3",
    "gemma3_text",
    "cohere2",
    "modernbert",
    "full_attention",
    "sliding_attention",
    "NaN",
    "",
    "\u{7}“”.",
];

fn word() -> impl Strategy<Value = Value> {
    prop_oneof![
        prop::sample::select(WORDS).prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
        (1..3000_usize).prop_map(|times| Value::from("ab ".repeat(times))),
    ]
}

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        prop::sample::select(
            &[
                0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e30, -1e30, 1e308, 5e-324, 10_000.0
            ][..]
        )
        .prop_map(Value::from),
        (0..300_u64).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
    ]
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => number(),
        2 => word(),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        2 => prop::collection::vec(prop_oneof![number(), word()], 0..70).prop_map(Value::from),
    ]
}

fn object(
    keys: &'static [&'static str],
    values: impl Strategy<Value = Value>,
) -> impl Strategy<Value = Map<String, Value>> {
    let entries = prop::collection::btree_map(prop::sample::select(keys), values, 0..keys.len());
    entries.prop_map(|entries: BTreeMap<&str, Value>| {
        let owned = entries.into_iter();
        owned.map(|(key, value)| (key.to_owned(), value)).collect()
    })
}

fn section() -> impl Strategy<Value = Value> {
    let inner = object(SECTION_KEYS, leaf()).prop_map(Value::from);
    prop_oneof![
        5 => object(SECTION_KEYS, prop_oneof![6 => leaf(), 1 => inner]).prop_map(Value::from),
        1 => leaf(),
    ]
}

/// A configuration in which any entry may be anything.
fn configuration() -> impl Strategy<Value = Value> {
    let sections = (prop::option::of(section()), prop::option::of(section()));
    (object(KEYS, leaf()), sections, any::<bool>()).prop_map(|(mut config, (old, new), is_part)| {
        config.extend(old.map(|old| ("rope_scaling".to_owned(), old)));
        config.extend(new.map(|new| ("rope_parameters".to_owned(), new)));
        let config = Value::from(config);
        if is_part {
            json!({ "model_type": "any", "text_config": config })
        } else {
            config
        }
    })
}

/// A sound configuration with one entry that may be anything.
fn near_configuration() -> impl Strategy<Value = Value> {
    let entry = (prop::sample::select(KEYS), leaf());
    let scaling = prop::option::of((prop::sample::select(SECTION_KEYS), leaf()));
    (entry, scaling).prop_map(|((key, value), scaling)| {
        let mut config = super::healthy();
        config[key] = value;
        if let Some((key, value)) = scaling {
            config["rope_scaling"] = json!({
                "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048,
            });
            config["rope_scaling"][key] = value;
        }
        config
    })
}

fn assert_bounded(findings: &[Finding]) {
    for kind in FindingKind::ALL {
        let count = findings.iter().filter(|own| own.kind == *kind).count();
        assert!(count <= 3, "{count} of {kind:?}");
    }
    for finding in findings {
        assert_is_sentence(&finding.sentence);
        assert!(finding.numbers.iter().all(|(_, number)| number.is_finite()));
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn any_configuration_has_few_and_short_findings(config in configuration()) {
        assert_bounded(&findings_of(&config));
    }

    #[test]
    fn so_has_a_configuration_with_one_odd_entry(config in near_configuration()) {
        assert_bounded(&findings_of(&config));
    }

    #[test]
    fn so_have_the_metadata_of_any_gguf_file(
        entries in prop::collection::btree_map(
            prop::sample::select(&[
                "rope.freq_base", "rope.scaling.type", "rope.scaling.factor", "rope.dimension_count", "context_length",
                "rope.scaling.original_context_length", "attention.head_count", "attention.head_count_kv",
                "block_count", "embedding_length", "rope.dimension_sections", "attention.key_length",
            ][..]),
            leaf().prop_map(|value| value.to_string()),
            0..12,
        ),
    ) {
        let own = entries.into_iter().map(|(key, value)| (format!("llama.{key}"), value));
        let architecture = ("general.architecture".to_owned(), "llama".to_owned());
        let metadata = own.chain([architecture]).collect();
        assert_bounded(&check(&Config::from_gguf(&metadata)));
    }
}

#[test]
fn a_million_sections_are_passed_over() {
    let odd = json!({ "rope_type": "yarnn", "factor": -1 });
    let sections: Map<String, Value> = (0..20_000)
        .map(|at| (format!("kind-{at}"), odd.clone()))
        .collect();
    let findings = findings_of(&json!({
        "model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "rope_parameters": sections,
        "max_position_embeddings": 4096,
    }));
    assert!(!findings.is_empty());
    assert_bounded(&findings);
}

#[test]
fn the_longest_claim_ends_soon() {
    // The sum of cosines stays positive, and the search is bounded.
    let findings = findings_of(&super::healthy_with(&json!({
        "rope_theta": 1e15, "max_position_embeddings": 10_000_000_000_u64,
    })));
    assert_bounded(&findings);
    let sum = super::expect(&findings, FindingKind::NegativeSum);
    assert!(
        super::number(
            sum,
            diagonal::model::rotary_findings::FindingNumber::PositiveUpTo
        ) >= 1e6
    );
}
