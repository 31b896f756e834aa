//! The part of a configuration that describes a rotary model, with the sections that may hold its angles.

use serde_json::Value;

use super::{Config, RotaryDescription};
use crate::checkpoint::CleanText;

/// Sections that may describe a rotary model: the top level, and the text part of multimodal models.
const PARTS: &[&[&str]] = &[
    &[],
    &["text_config"],
    &["llm_config"],
    &["language_config"],
    &["thinker_config", "text_config"],
];
/// Entries that only rotary models have.
const ENTRIES: &[&str] = &[
    "rope_theta",
    "rope_scaling",
    "rope_parameters",
    "rotary_emb_base",
    "global_rope_theta",
    "local_rope_theta",
    "rope_local_base_freq",
    "rotary_pct",
    "rotary_dim",
    "rotary_emb_fraction",
    "partial_rotary_factor",
    "qk_rope_head_dim",
    "no_rope_layers",
    "no_rope_layer_interval",
    "mrope_section",
];
/// Maximum number of sections for kinds of layers that are read: a hostile file may have a million.
const MOST_KINDS: usize = 8;

/// The configuration of a rotary model, as the checks read it.
pub(super) struct RotaryConfig<'a> {
    /// The part that describes the model.
    pub(super) part: &'a Config,
    /// The part itself, and its sections with angles.
    pub(super) places: Vec<AngleSection<'a>>,
    /// Layers and angles, if they can be read.
    pub(super) description: Option<&'a RotaryDescription>,
}

/// A section of the configuration.
pub(super) struct AngleSection<'a> {
    pub(super) section: &'a Config,
    /// Where it is, such as “ in rope_scaling”; empty for the part itself.
    pub(super) name: String,
    /// Type of the change, under its newer or older name. Mistral's section `yarn` has none and needs none.
    pub(super) kind: Option<&'a str>,
    /// Whether it is `rope_parameters`, `rope_scaling`, `yarn`, or a section of a kind of layers.
    pub(super) has_change: bool,
}

impl AngleSection<'_> {
    /// An entry with its place, for a sentence.
    pub(super) fn entry_text(&self, key: &str) -> String {
        format!("“{key}”{}", self.name)
    }
}

impl<'a> RotaryConfig<'a> {
    /// Finds the part that describes a rotary model; `None` if there is none.
    pub(super) fn new(
        config: &'a Config,
        description: Option<&'a RotaryDescription>,
    ) -> Option<Self> {
        let part = |path: &&[&str]| path.iter().fold(config, |part, key| part.section(key));
        let mut parts = PARTS.iter().map(part);
        let has_angles = |part: &&Config| ENTRIES.iter().any(|key| part.entry(key).is_some());
        let of_type = |part: &&Config| {
            let own = part.model_type.as_deref();
            description.is_some_and(|known| known.model_type.as_deref() == own)
        };
        let part = parts
            .clone()
            .find(has_angles)
            .or_else(|| parts.find(of_type))?;
        Some(Self {
            part,
            places: places(part),
            description,
        })
    }

    /// Whether the configuration is the metadata of a GGUF file, in which the model type is no entry.
    pub(super) fn is_gguf(&self) -> bool {
        self.part.model_type.is_some() && self.part.entry("model_type").is_none()
    }

    /// The sections that may change the angles.
    pub(super) fn changes(&self) -> impl Iterator<Item = &AngleSection<'a>> {
        self.places.iter().filter(|place| place.has_change)
    }

    /// Number of columns of a head by the configuration alone.
    pub(super) fn head_width(&self) -> Option<u32> {
        let own = self.part.count("head_dim");
        own.or_else(|| self.compressed_head_width())
            .or_else(|| Some(self.part.hidden_width? / self.part.heads?))
    }

    /// Number of columns of a head of a model that compresses queries and keys: those with and those without rotation.
    pub(super) fn compressed_head_width(&self) -> Option<u32> {
        let rotated = self.part.count("qk_rope_head_dim")?;
        Some(rotated.saturating_add(self.part.count("qk_nope_head_dim")?))
    }
}

fn places(part: &Config) -> Vec<AngleSection<'_>> {
    let mut places = vec![AngleSection {
        section: part,
        name: String::new(),
        kind: None,
        has_change: false,
    }];
    // Mistral's `params.json` has its change in a section of its own.
    for key in ["rope_parameters", "rope_scaling", "yarn"] {
        let section = part.section(key);
        if section.is_empty() {
            continue;
        }
        places.push(AngleSection {
            section,
            name: format!(" in “{key}”"),
            kind: type_of(section).or((key == "yarn").then_some("yarn")),
            has_change: true,
        });
        let kinds = section.sections().take(MOST_KINDS);
        places.extend(kinds.map(|(kind, section)| AngleSection {
            section,
            name: format!(" in “{key}”, “{}”", CleanText(kind)),
            kind: type_of(section),
            has_change: true,
        }));
    }
    places
}

/// A value of a configuration for a sentence.
pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a section".to_owned(),
        Value::String(word) => format!("“{}”", CleanText(word)),
        _ => value.to_string(),
    }
}

/// A value as a number, for the numbers of a finding.
pub(super) fn value_number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// The type of a change of the angles, under its newer or older name.
pub(super) fn type_of(section: &Config) -> Option<&str> {
    section.word("rope_type").or(section.word("type"))
}
