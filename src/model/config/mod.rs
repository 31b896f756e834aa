//! Parser of `config.json`, which holds facts about a model that its weights do not show.

mod entries;
mod facts;
mod gguf;
mod json_object;

use super::ModelError;
use crate::checkpoint::QuantisationSettings;
use facts::Facts;
use json_object::object;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// Maximum length of a configuration in bytes.
const LONGEST: usize = 8 << 20;
/// Maximum depth of nested sections.
const DEEPEST: usize = 3;
/// Configuration entries and those of Meta's and Mistral's `params.json` with the same meaning. Entries that both have
/// under one name, such as `rope_theta` and `head_dim`, are not listed, nor are those in the lists of fields below.
const PARAMS_ENTRIES: &[(&str, &str)] = &[
    ("num_key_value_heads", "n_kv_heads"),
    ("max_position_embeddings", "max_seq_len"),
];

/// Parsed configuration; `None` for entries that are absent.
///
/// Common entries are fields; families read their own entries by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// `model_type`, such as "bert".
    pub model_type: Option<String>,
    /// Number of heads per layer.
    pub heads: Option<u32>,
    /// Number of layers.
    pub layers: Option<u32>,
    /// Width of the hidden states.
    pub hidden_width: Option<u32>,
    /// Epsilon that `LayerNorm` adds to the variance.
    pub layer_norm_epsilon: Option<f64>,
    /// Id of the padding token, from which `RoBERTa` counts its positions.
    pub pad_id: Option<u64>,
    /// Messages about entries that could not be used.
    pub problems: Vec<String>,
    entries: Map<String, Value>,
    /// Configurations of parts of the model, such as `text_config`.
    sections: Vec<(String, Self)>,
}

impl Config {
    /// Parses a `config.json`. Models use different names for the same entries and add entries that do not matter here.
    /// Impossible values are refused.
    ///
    /// # Errors
    /// If the text is not a JSON object, or if a value is impossible.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        if text.len() > LONGEST {
            return Err(ModelError::ConfigNotJson(format!(
                "it is {} MiB long, and no configuration is",
                text.len() >> 20
            )));
        }
        Self::from_object(object(text)?, 0)
    }

    /// Parses a `config.json` as far as possible and reports the rest in [`Self::problems`], so that a faulty
    /// configuration does not prevent a model from opening.
    #[must_use]
    pub fn read_leniently(text: &str) -> Self {
        let mut problems = Vec::new();
        let mut facts = match Self::parse(text) {
            Ok(config) => return config,
            Err(ModelError::ConfigValue { .. }) => object(text).unwrap_or_default(),
            Err(error) => {
                let problems = vec![format!("Nothing of it is used. {error}")];
                return Self {
                    problems,
                    ..Self::default()
                };
            }
        };
        // Each iteration removes one entry.
        loop {
            match Self::from_object(facts.clone(), 0) {
                Ok(config) => return Self { problems, ..config },
                Err(error) => {
                    problems.push(format!("One entry is left out. {error}"));
                    match error {
                        ModelError::ConfigValue { key, .. } if facts.remove(&key).is_some() => {}
                        _ => {
                            return Self {
                                problems,
                                ..Self::default()
                            };
                        }
                    }
                }
            }
        }
    }

    fn from_object(mut object: Map<String, Value>, depth: usize) -> Result<Self, ModelError> {
        for (ours, theirs) in PARAMS_ENTRIES {
            if let Some(value) = object.get(*theirs).filter(|_| !object.contains_key(*ours)) {
                object.insert((*ours).to_owned(), value.clone());
            }
        }
        let part = |(key, value): (&String, &Value)| {
            let object = value.as_object().filter(|_| depth < DEEPEST)?;
            // An invalid section counts as absent.
            Some((
                key.clone(),
                Self::from_object(object.clone(), depth + 1).ok()?,
            ))
        };
        let sections = object.iter().filter_map(part).collect();
        let facts = Facts(object);
        Ok(Self {
            model_type: facts.text("model_type")?,
            heads: facts.count(&[
                "num_attention_heads",
                "n_heads",
                "n_head",
                "num_heads",
                "encoder_attention_heads",
            ])?,
            layers: facts.count(&["num_hidden_layers", "n_layers", "n_layer", "num_layers"])?,
            hidden_width: facts.count(&["hidden_size", "d_model", "dim", "n_embd"])?,
            layer_norm_epsilon: facts.epsilon(&["layer_norm_eps", "layer_norm_epsilon"])?,
            pad_id: facts.id("pad_token_id")?,
            problems: Vec::new(),
            sections,
            entries: facts.0,
        })
    }

    /// Configuration of a part of the model; empty if there is none.
    #[must_use]
    pub fn section(&self, key: &str) -> &Self {
        let entry = self.sections.iter().find(|(name, _)| name == key);
        entry.map_or(Self::empty(), |(_, section)| section)
    }

    /// A configuration without entries.
    pub(super) fn empty() -> &'static Self {
        static EMPTY: LazyLock<Config> = LazyLock::new(Config::default);
        &EMPTY
    }

    /// Iterates over the parts of the model that have their own configuration, by name.
    pub fn sections(&self) -> impl Iterator<Item = (&str, &Self)> {
        let sections = self.sections.iter();
        sections.map(|(name, section)| (name.as_str(), section))
    }

    /// Rows and columns of the patches of an image, from `image_size` and `patch_size`, or of a spectrogram (AST), from
    /// `num_mel_bins` and `max_length`. Strides may make patches overlap.
    #[must_use]
    pub fn patches(&self) -> Option<(u32, u32)> {
        let mut image = self.counts("image_size");
        if image.is_empty() {
            let sides = ["num_mel_bins", "max_length"].map(|key| self.count(key));
            image = sides.into_iter().flatten().collect();
        }
        Self::patches_of(&image, &self.counts("patch_size"), &self.strides())
    }

    /// How weights are stored, from `quantization_config`.
    #[must_use]
    pub fn quantisation(&self) -> QuantisationSettings {
        let section = self.section("quantization_config");
        QuantisationSettings {
            method: section.word("quant_method").map(str::to_owned),
            scale_block: section.counts("weight_block_size").try_into().ok(),
            group_size: section.count("group_size"),
            has_whole_zeros: section.word("checkpoint_format") == Some("gptq_v2"),
        }
    }

    /// Rows and columns of an image's window, from `window_size`, or else of its patches.
    #[must_use]
    pub fn window_or_patches(&self) -> Option<(u32, u32)> {
        match self.counts("window_size")[..] {
            [height, width, ..] => Some((height, width)),
            [side] => Some((side, side)),
            [] => self.patches(),
        }
    }

    /// Vertical and horizontal step between patches; empty if not configured.
    #[must_use]
    pub fn strides(&self) -> Vec<u32> {
        let names = ["patch_stride", "stride_size", "stride", "strides"];
        let listed = names
            .iter()
            .map(|key| self.counts(key))
            .find(|list| !list.is_empty());
        let of_sound = || {
            let steps = ["frequency_stride", "time_stride"].map(|key| self.count(key));
            steps.into_iter().flatten().collect()
        };
        listed.unwrap_or_else(of_sound)
    }

    /// Rows and columns of patches for an image with the given sides. A single side or stride applies to both
    /// directions; without strides patches are adjacent.
    #[must_use]
    pub fn patches_of(image: &[u32], patch: &[u32], strides: &[u32]) -> Option<(u32, u32)> {
        let side = |at: usize| {
            let of = |list: &[u32]| list.get(at).or(list.last()).copied();
            let patch = of(patch)?.max(1);
            let stride = of(strides).unwrap_or(patch).max(1);
            Some(of(image)?.checked_sub(patch)? / stride + 1)
        };
        Some((side(0)?, side(1)?))
    }
}
