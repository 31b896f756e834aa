//! Adapters: small files of weights that change those of a base model, as PEFT and other libraries save them.

use std::fmt;

use super::clean_text::Name;
use serde::Deserialize;

/// Maximum length of the shown kind of an adapter.
const LONGEST_KIND: usize = 24;

/// Parts of the names of LoRA's tensors in PEFT, diffusers and kohya-ss.
const LORA_PARTS: [&str; 8] = [
    "lora_A",
    "lora_B",
    "lora_embedding_A",
    "lora_embedding_B",
    "lora_down",
    "lora_up",
    "lora.down",
    "lora.up",
];
/// Ends of the names of tensors that may accompany them.
const LORA_ENDS: [&str; 3] = [".alpha", "lora_magnitude_vector", ".dora_scale"];

/// Entries of an `adapter_config.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adapter {
    /// Name or folder of the base model, untrusted.
    base: Option<String>,
    /// Kind of the adapter as PEFT spells it, such as `LORA`; letters, digits, `_` and `-` only.
    kind: Option<String>,
}

#[derive(Deserialize)]
struct AdapterConfig {
    base_model_name_or_path: Option<String>,
    peft_type: Option<String>,
}

impl Adapter {
    /// Reads an `adapter_config.json`. A damaged one counts as empty.
    pub(super) fn from_config(text: &str) -> Self {
        let config = serde_json::from_str(text.trim_start_matches('\u{feff}'));
        let Ok(AdapterConfig {
            base_model_name_or_path: base,
            peft_type: kind,
        }) = config
        else {
            return Self::default();
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let is_name =
            |kind: &String| (1..=LONGEST_KIND).contains(&kind.len()) && kind.chars().all(is_plain);
        Self {
            base: base.filter(|base| !base.trim().is_empty()),
            kind: kind.filter(is_name),
        }
    }

    /// Whether all of these tensors are LoRA's, so that a file of them is an adapter.
    pub(super) fn has_only_lora<'a>(names: impl Iterator<Item = &'a str>) -> bool {
        let (mut is_any, mut are_all) = (false, true);
        for name in names {
            let is_part = LORA_PARTS.iter().any(|part| name.contains(part));
            is_any |= is_part;
            are_all &= is_part || LORA_ENDS.iter().any(|end| name.ends_with(end));
        }
        is_any && are_all
    }
}

/// Says that the file is an adapter, of what, and what to open instead.
impl fmt::Display for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind.as_deref() {
            None | Some("LORA") => f.write_str("This is a LoRA adapter")?,
            Some(kind) => write!(f, "This is an adapter ({kind})")?,
        }
        match &self.base {
            Some(base) => write!(
                f,
                " of {}. It changes weights of that model, and its positions are those of that model. Open that model.",
                Name(base)
            ),
            None => f.write_str(
                ". It changes weights of a base model, and its positions are those of the base model. Open the base \
                 model; an adapter_config.json usually names it.",
            ),
        }
    }
}
