//! Findings about configurations of rotary models: planted faults, faults that were met in public, hostile input.

mod hostile;
mod in_public;
mod planted;
mod tensors;

use diagonal::model::{
    Config,
    rotary_findings::{Finding, FindingKind, FindingNumber, Severity, check},
};
use serde_json::{Value, json};

/// Llama 3 with 8,192 tokens: nothing is wrong with it, and nothing in it is often misread.
fn healthy() -> Value {
    json!({
        "model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
        "num_hidden_layers": 32, "max_position_embeddings": 8192, "rope_theta": 500_000.0, "rope_scaling": null,
    })
}

/// The healthy configuration with other entries.
fn healthy_with(entries: &Value) -> Value {
    let mut config = healthy();
    for (key, value) in entries.as_object().expect("entries") {
        config[key] = value.clone();
    }
    config
}

fn findings_of(config: &Value) -> Vec<Finding> {
    check(&Config::read_leniently(&config.to_string()))
}

fn find(findings: &[Finding], kind: FindingKind) -> Option<&Finding> {
    findings.iter().find(|finding| finding.kind == kind)
}

/// The finding of a kind.
fn expect(findings: &[Finding], kind: FindingKind) -> &Finding {
    find(findings, kind).unwrap_or_else(|| panic!("no {kind:?} in {findings:#?}"))
}

/// A number of a finding.
fn number(finding: &Finding, meaning: FindingNumber) -> f64 {
    let number = finding.number(meaning);
    number.unwrap_or_else(|| panic!("no {meaning:?} in {finding:?}"))
}

/// Kinds of the findings of a severity.
fn kinds(findings: &[Finding], severity: Severity) -> Vec<FindingKind> {
    let own = findings.iter().filter(|own| own.severity == severity);
    own.map(|finding| finding.kind).collect()
}
