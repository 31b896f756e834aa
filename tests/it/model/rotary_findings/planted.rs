//! Faults that are planted in a healthy configuration, one at a time: each is found, and nothing else is.

use std::collections::BTreeSet;

use diagonal::model::{
    Config,
    rotary_findings::{FindingKind, FindingNumber, Severity, check, findings_as_text},
};
use serde_json::{Value, json};

use super::{expect, findings_of, healthy, healthy_with, kinds, number};
use crate::checkpoint::hostile::assert_is_sentence;

/// A planted fault: its name, the entries that differ from the healthy configuration, and its kind.
type Plant = (&'static str, Value, FindingKind);

fn scaled(section: Value) -> Value {
    json!({ "max_position_embeddings": 65_536, "rope_scaling": section })
}

fn llama3() -> Value {
    json!({
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    })
}

fn llama3_with(key: &str, value: Value) -> Value {
    let mut section = llama3();
    section[key] = value;
    scaled(section)
}

fn llama3_without(key: &str) -> Value {
    let mut section = llama3();
    section.as_object_mut().expect("a section").remove(key);
    scaled(section)
}

fn long_rope(short: &[f64], long: &[f64]) -> Value {
    scaled(json!({
        "rope_type": "longrope", "short_factor": short, "long_factor": long,
        "original_max_position_embeddings": 8192,
    }))
}

#[expect(clippy::too_many_lines, reason = "a table with a line for each fault")]
fn plants() -> Vec<Plant> {
    use FindingKind as Kind;
    let yarn = |more: Value| {
        let mut section = json!({ "rope_type": "yarn", "factor": 8.0 });
        for (key, value) in more.as_object().expect("entries") {
            section[key] = value.clone();
        }
        scaled(section)
    };
    let ones = [1.0; 64];
    let mut zero = ones;
    zero[5] = 0.0;
    vec![
        ("base 0", json!({ "rope_theta": 0 }), Kind::UnusableBase),
        ("base −1", json!({ "rope_theta": -1.0 }), Kind::UnusableBase),
        (
            "base 10³⁰",
            json!({ "rope_theta": 1e30 }),
            Kind::UnusableBase,
        ),
        (
            "base in quotes",
            json!({ "rope_theta": "500000" }),
            Kind::UnusableBase,
        ),
        (
            "factor 0",
            llama3_with("factor", json!(0)),
            Kind::UnusableFactor,
        ),
        (
            "factor −8",
            llama3_with("factor", json!(-8.0)),
            Kind::UnusableFactor,
        ),
        (
            "factor 10³⁰",
            llama3_with("factor", json!(1e30)),
            Kind::UnusableFactor,
        ),
        (
            "no low factor",
            llama3_without("low_freq_factor"),
            Kind::MissingEntry,
        ),
        ("no factor", llama3_without("factor"), Kind::MissingEntry),
        (
            "bands in the wrong order",
            llama3_with("low_freq_factor", json!(8.0)),
            Kind::BandOrder,
        ),
        (
            "low factor −1",
            llama3_with("low_freq_factor", json!(-1.0)),
            Kind::UnusableParameter,
        ),
        (
            "training above the claim",
            llama3_with("original_max_position_embeddings", json!(131_072)),
            Kind::TrainedAboveClaimed,
        ),
        (
            "training of −1 tokens",
            llama3_with("original_max_position_embeddings", json!(-1)),
            Kind::UnusableLength,
        ),
        (
            "no length of training",
            yarn(json!({})),
            Kind::MissingTrainedLength,
        ),
        (
            "attention factor 0",
            yarn(json!({ "original_max_position_embeddings": 8192, "attention_factor": 0 })),
            Kind::UnusableParameter,
        ),
        (
            "an unknown type",
            scaled(json!({ "rope_type": "yarnn", "factor": 8.0 })),
            Kind::UnknownType,
        ),
        (
            "two types",
            llama3_with("type", json!("linear")),
            Kind::TypesDiffer,
        ),
        (
            "a factor without a type",
            scaled(json!({ "factor": 8.0 })),
            Kind::MissingType,
        ),
        (
            "a section that is a number",
            scaled(json!(8.0)),
            Kind::UnreadableSection,
        ),
        (
            "two sections",
            json!({
                "max_position_embeddings": 65_536,
                "rope_scaling": { "type": "linear", "factor": 8.0 },
                "rope_parameters": { "rope_type": "linear", "factor": 4.0, "rope_theta": 500_000.0 },
            }),
            Kind::SectionsDiffer,
        ),
        (
            "two bases",
            json!({ "rope_parameters": { "rope_type": "default", "rope_theta": 10_000.0 } }),
            Kind::BasesDiffer,
        ),
        (
            "a kind of layers without angles",
            json!({
                "layer_types": (["full_attention", "sliding_attention"].repeat(16)),
                "rope_parameters": { "full_attention": { "rope_type": "default", "rope_theta": 500_000.0 } },
            }),
            Kind::KindWithoutAngles,
        ),
        (
            "a short list of divisors",
            long_rope(&ones[..48], &ones),
            Kind::DivisorListLength,
        ),
        (
            "a divisor of 0",
            long_rope(&ones, &zero),
            Kind::UnusableDivisor,
        ),
        (
            "kinds of 31 layers",
            json!({ "layer_types": vec!["full_attention"; 31] }),
            Kind::LayerTypesLength,
        ),
        (
            "bases of 31 layers",
            json!({ "layer_rope_theta": vec![500_000.0; 31] }),
            Kind::LayerBasesLength,
        ),
        (
            "5,000 layers",
            json!({ "num_hidden_layers": 5000 }),
            Kind::UnusableCount,
        ),
        (
            "numbers of layers without rotation",
            json!({ "no_rope_layers": [3, 7, 11] }),
            Kind::UnrotatedListLength,
        ),
        (
            "a layer with rotation 2",
            json!({ "no_rope_layers": vec![2; 32] }),
            Kind::UnrotatedListValue,
        ),
        (
            "axes of another model",
            json!({ "rope_scaling": { "type": "mrope", "mrope_section": [8, 12, 12] } }),
            Kind::AxesSum,
        ),
        (
            "5 key heads",
            json!({ "num_key_value_heads": 5 }),
            Kind::KeyHeadsDoNotDivideHeads,
        ),
        (
            "30 heads",
            json!({ "num_attention_heads": 30, "num_key_value_heads": 10 }),
            Kind::HeadsDoNotDivideWidth,
        ),
        (
            "0 key heads",
            json!({ "num_key_value_heads": 0 }),
            Kind::UnusableCount,
        ),
        (
            "heads of 127 columns",
            json!({ "head_dim": 127 }),
            Kind::OddRotatedWidth,
        ),
        (
            "an odd share",
            json!({ "partial_rotary_factor": 0.3, "head_dim": 64 }),
            Kind::OddRotatedWidth,
        ),
        (
            "256 rotated columns",
            json!({ "rotary_dim": 256 }),
            Kind::RotatedWidthAboveHead,
        ),
        (
            "a share of 1.5",
            json!({ "partial_rotary_factor": 1.5 }),
            Kind::UnusableShare,
        ),
        (
            "a claim of 0 tokens",
            json!({ "max_position_embeddings": 0 }),
            Kind::UnusableLength,
        ),
    ]
}

#[test]
fn nothing_is_wrong_with_the_healthy_configuration() {
    let findings = findings_of(&healthy());
    assert!(
        kinds(&findings, Severity::Fault).is_empty(),
        "{findings:#?}"
    );
    assert!(
        kinds(&findings, Severity::Caution).is_empty(),
        "{findings:#?}"
    );
    let angles = expect(&findings, FindingKind::LayerAngles);
    assert_eq!(number(angles, FindingNumber::Base), 500_000.0);
    assert_eq!(number(angles, FindingNumber::Layers), 32.0);
    assert_eq!(number(angles, FindingNumber::RotatedColumns), 128.0);
    let sum = expect(&findings, FindingKind::NegativeSum);
    assert_eq!(number(sum, FindingNumber::FirstNegativeSum), 18_438.0);
    let slowest = expect(&findings, FindingKind::SlowestPair);
    assert_eq!(number(slowest, FindingNumber::CriticalColumns), 70.0);
}

#[test]
fn every_planted_fault_is_found_and_no_other() {
    let plants = plants();
    assert!(plants.len() >= 20, "{} faults", plants.len());
    for (name, entries, kind) in plants {
        let findings = findings_of(&healthy_with(&entries));
        let faults = kinds(&findings, Severity::Fault);
        assert_eq!(faults, [kind], "{name}: {}", findings_as_text(&findings));
        let finding = expect(&findings, kind);
        assert_is_sentence(&finding.sentence);
        // The order is that of the severities.
        assert!(
            findings.is_sorted_by_key(|finding| finding.severity),
            "{name}"
        );
    }
}

#[test]
fn cautions_are_planted_as_well() {
    let small = llama3_with("factor", json!(0.125));
    let layer = json!({ "layer_types": (["full_attention", "ful_attention"].repeat(16)) });
    let yarn = |more: Value| {
        let mut section = json!({
            "rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 8192,
        });
        for (key, value) in more.as_object().expect("entries") {
            section[key] = value.clone();
        }
        scaled(section)
    };
    let mut su = long_rope(&[1.0; 64], &[2.0; 64]);
    su["rope_scaling"]["rope_type"] = json!("su");
    for (entries, kind) in [
        (small, FindingKind::FactorBelowOne),
        (layer, FindingKind::UnknownLayerType),
        (su, FindingKind::OlderType),
        (
            yarn(json!({ "rope_type": "deepseek_yarn" })),
            FindingKind::OlderType,
        ),
        (
            yarn(json!({ "attn_factor": 1.2 })),
            FindingKind::UnreadEntry,
        ),
        (
            yarn(json!({ "extrapolation_factor": 0.5 })),
            FindingKind::UnreadEntry,
        ),
    ] {
        let findings = findings_of(&healthy_with(&entries));
        assert_eq!(expect(&findings, kind).severity, Severity::Caution);
    }
}

#[test]
fn python_numbers_that_json_does_not_have_are_named() {
    for number in ["NaN", "Infinity", "-Infinity"] {
        let text = llama3_with("factor", json!("X")).to_string();
        let config = healthy_with(&serde_json::from_str(&text).expect("JSON"));
        let text = config.to_string().replace("\"X\"", number);
        let findings = check(&Config::parse(&text).expect("a configuration"));
        let finding = expect(&findings, FindingKind::UnusableFactor);
        assert!(finding.sentence.contains(number), "{}", finding.sentence);
        assert_eq!(
            kinds(&findings, Severity::Fault),
            [FindingKind::UnusableFactor]
        );
    }
}

#[test]
fn the_sentence_names_the_entry_and_the_value() {
    let findings = findings_of(&healthy_with(&llama3_with("factor", json!(-8.5))));
    let finding = expect(&findings, FindingKind::UnusableFactor);
    assert!(
        finding
            .sentence
            .starts_with("The entry “factor” in “rope_scaling” is -8.5, ")
    );
    assert_eq!(number(finding, FindingNumber::Value), -8.5);
}

#[test]
fn every_kind_and_number_has_an_identifier_of_its_own() {
    let kinds: BTreeSet<&str> = FindingKind::ALL
        .iter()
        .map(|kind| kind.identifier())
        .collect();
    assert_eq!(kinds.len(), FindingKind::ALL.len());
    let numbers: BTreeSet<&str> = FindingNumber::ALL
        .iter()
        .map(|of| of.identifier())
        .collect();
    assert_eq!(numbers.len(), FindingNumber::ALL.len());
}

#[test]
fn a_model_without_rotation_has_no_findings() {
    let config = json!({ "model_type": "bert", "hidden_size": 64, "num_attention_heads": 2 });
    assert!(findings_of(&config).is_empty());
    assert!(findings_of(&json!({})).is_empty());
}
