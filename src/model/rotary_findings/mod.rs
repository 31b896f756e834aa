//! Findings about the configuration of a rotary model: which angles each layer uses, whether they cover the claimed
//! length, how other programs misread them, and entries that contradict one another or the tensors.
//!
//! [`check`] needs a configuration alone, so that a test can assert that a model's configuration is sound. Its findings
//! are values: a kind, a severity, a sentence, and the numbers of the sentence.
//!
//! ```
//! use diagonal::model::{Config, rotary_findings::{FindingKind, FindingNumber, Severity, check}};
//!
//! let config = Config::parse(
//!     r#"{
//!         "model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
//!         "num_hidden_layers": 32, "max_position_embeddings": 8192,
//!         "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}
//!     }"#,
//! )?;
//! let findings = check(&config);
//! assert!(findings.iter().all(|finding| finding.severity != Severity::Fault));
//!
//! // A program that does not know “rope_parameters” uses base 10,000.
//! let moved = findings.iter().find(|finding| finding.kind == FindingKind::FieldsMoved);
//! let wrong = moved.and_then(|finding| finding.number(FindingNumber::WrongPairs));
//! assert!(wrong.is_some_and(|pairs| pairs > 30.0));
//! # Ok::<(), diagonal::model::ModelError>(())
//! ```

mod angle_lists;
mod change_entries;
mod coverage;
mod entries;
mod finding;
mod head_widths;
mod layer_angles;
mod lists;
mod readers;
mod rotary_config;
mod sections;
mod tensor_shapes;

use std::borrow::Cow;

pub use finding::{Finding, FindingKind, FindingNumber, Severity, findings_as_text};

use self::{angle_lists::AngleLists, rotary_config::RotaryConfig};
use super::{
    Config, LayerAngles, PatchRotation, RotaryAxis, RotaryDescription, detect::embedded_config,
};
use crate::checkpoint::Weights;

/// Maximum number of findings of one kind: a configuration may repeat a fault in every section.
const MOST_OF_A_KIND: usize = 3;

/// Checks the configuration of a rotary model, and returns its findings, faults first. Empty if the configuration
/// describes no rotary model for texts. At most three findings are of one kind.
#[must_use]
pub fn check(config: &Config) -> Vec<Finding> {
    let description = RotaryDescription::from_config(config);
    if description.is_none() && PatchRotation::from_config(config).is_some() {
        return Vec::new();
    }
    let description = description.as_ref();
    let mut findings = check_entries(config, description);
    if let Some(description) = description {
        let lists = AngleLists::from_config(description);
        findings.extend(check_angles(config, description, &lists));
    }
    in_order(findings)
}

/// Checks the configuration of an open model as [`check`] does, and compares it with the file's tensors: shapes of
/// queries and keys of the first layer, numbers of layers, and numbers that divide the angles. Without a configuration
/// that of the file's metadata counts. `description` is that of the open model.
pub async fn check_file<W: Weights>(
    config: Option<&Config>,
    description: Option<&RotaryDescription>,
    checkpoint: &W,
) -> Vec<Finding> {
    let config = match config {
        Some(config) => Cow::Borrowed(config),
        // Notes on its entries are among those of the open model.
        None => Cow::Owned(embedded_config(checkpoint, &mut Vec::new())),
    };
    let config = &*config;
    let mut findings = check_entries(config, description);
    if let Some(config) = RotaryConfig::new(config, description) {
        tensor_shapes::check(&config, checkpoint, &mut findings).await;
    }
    if let Some(description) = description {
        let lists = AngleLists::read(description, checkpoint, &mut findings).await;
        findings.extend(check_angles(config, description, &lists));
    }
    in_order(findings)
}

/// Findings on entries of the configuration.
fn check_entries(config: &Config, description: Option<&RotaryDescription>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(config) = RotaryConfig::new(config, description) {
        entries::check(&config, &mut findings);
        sections::check(&config, &mut findings);
        change_entries::check(&config, &mut findings);
        lists::check(&config, &mut findings);
        head_widths::check(&config, &mut findings);
    }
    findings
}

/// Findings on the angles.
fn check_angles(
    config: &Config,
    description: &RotaryDescription,
    lists: &[AngleLists<'_>],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(config) = RotaryConfig::new(config, Some(description)) {
        layer_angles::check(&config, description, lists, &mut findings);
        coverage::check(&config, description, lists, &mut findings);
        readers::check(&config, description, lists, &mut findings);
    }
    for list in lists.iter().filter(|list| !list.source.is_scaled()) {
        let refused = list.source.scaling.as_ref();
        findings.extend(refused.map(|text| Finding::caution(FindingKind::RefusedScaling, text)));
    }
    findings
}

/// Faults first, then cautions, then facts, each in the order of the checks.
fn in_order(mut findings: Vec<Finding>) -> Vec<Finding> {
    let has_fault = findings
        .iter()
        .any(|finding| finding.severity == Severity::Fault);
    let mut limited: Vec<Finding> = Vec::new();
    findings.sort_by_key(|finding| finding.severity);
    for finding in findings {
        // A fault says why a change of the angles is refused.
        let is_explained = finding.kind == FindingKind::RefusedScaling && has_fault;
        let same = limited.iter().filter(|other| other.kind == finding.kind);
        let is_new = !limited.contains(&finding);
        if !is_explained && is_new && same.count() < MOST_OF_A_KIND {
            limited.push(finding);
        }
    }
    limited
}
