//! Parser of `config.json`, which holds facts about a model that its weights do not show.

use std::{borrow::Cow, collections::BTreeMap, sync::LazyLock};

use serde_json::{Map, Value};

use super::ModelError;
use crate::checkpoint::QuantisationSettings;
use crate::short_text::short_message;

/// Maximum length of a configuration in bytes.
const LONGEST: usize = 8 << 20;
/// Maximum depth of nested sections.
const DEEPEST: usize = 3;
/// Configuration entries and the GGUF metadata keys with the same meaning, without the architecture prefix. Heads may
/// be wider than the layer width divided by their number, and may be rotated in part.
const GGUF_ENTRIES: &[(&str, &str)] = &[
    ("rope_theta", "rope.freq_base"),
    ("local_rope_theta", "rope.freq_base_swa"),
    ("rotary_dim", "rope.dimension_count"),
    ("local_rotary_dim", "rope.dimension_count_swa"),
    ("head_dim", "attention.key_length"),
    ("local_head_dim", "attention.key_length_swa"),
    ("mrope_section", "rope.dimension_sections"),
    ("sliding_window", "attention.sliding_window"),
    ("num_key_value_heads", "attention.head_count_kv"),
    ("rms_norm_eps", "attention.layer_norm_rms_epsilon"),
    ("use_parallel_residual", "use_parallel_residual"),
    ("max_position_embeddings", "context_length"),
    ("alibi_bias", "attention.max_alibi_bias"),
];

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

    /// Reads the metadata of a GGUF file, whose keys begin with the architecture's name. Empty if there is no
    /// architecture.
    #[must_use]
    pub fn from_gguf(metadata: &BTreeMap<String, String>) -> Self {
        let Some(architecture) = metadata.get("general.architecture") else {
            return Self::default();
        };
        let value = |key: &str| {
            let text = metadata.get(&format!("{architecture}.{key}"))?;
            // Words in the metadata have no quotes.
            Some(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())))
        };
        let listed = |names: &[(&str, &str)]| {
            let entry = |(ours, theirs): &(&str, &str)| Some(((*ours).to_owned(), value(theirs)?));
            names.iter().filter_map(entry).collect::<Map<_, _>>()
        };
        let number = |key: &str| value(key)?.as_f64();
        let count = |key: &str| number(key).map(|count| count as u32).filter(|c| *c > 0);
        let scaling = listed(&[
            ("rope_type", "rope.scaling.type"),
            // The older name, before scaling had types.
            ("factor", "rope.scale_linear"),
            ("factor", "rope.scaling.factor"),
            (
                "original_max_position_embeddings",
                "rope.scaling.original_context_length",
            ),
            ("attention_factor", "rope.scaling.attn_factor"),
            ("beta_fast", "rope.scaling.yarn_beta_fast"),
            ("beta_slow", "rope.scaling.yarn_beta_slow"),
        ]);
        let section = Self {
            entries: scaling,
            ..Self::default()
        };
        let (heads, hidden_width) = (count("attention.head_count"), count("embedding_length"));
        let mut entries = listed(GGUF_ENTRIES);
        // Without a key length heads share the width of the model, whatever other libraries assume for the architecture.
        if let (Some(heads), Some(width), None) = (heads, hidden_width, entries.get("head_dim")) {
            entries.insert("head_dim".to_owned(), Value::from(width / heads));
        }
        Self {
            model_type: Some(architecture.clone()),
            heads,
            layers: count("block_count"),
            hidden_width,
            layer_norm_epsilon: number("attention.layer_norm_epsilon"),
            entries,
            sections: vec![("rope_scaling".to_owned(), section)],
            ..Self::default()
        }
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

    /// Whether the configuration has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// An entry as it is written, shortened; `None` if there is none.
    #[must_use]
    pub fn value_text(&self, key: &str) -> Option<String> {
        Some(short_message(&self.entries.get(key)?.to_string()))
    }

    /// Whether an entry is `null`.
    #[must_use]
    pub fn is_null(&self, key: &str) -> bool {
        self.entries.get(key).is_some_and(Value::is_null)
    }

    /// An entry as it is in the file; `None` if it is absent or null. Python's numbers that JSON does not have are the
    /// words “NaN”, “Infinity” and “-Infinity”.
    pub(super) fn entry(&self, key: &str) -> Option<&Value> {
        self.entries.get(key).filter(|value| !value.is_null())
    }

    /// Iterates over all entries by name.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        let entries = self.entries.iter();
        entries.map(|(key, value)| (key.as_str(), value))
    }

    /// An entry as a finite number.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<f64> {
        self.entries.get(key)?.as_f64().filter(|v| v.is_finite())
    }

    /// An entry as an integer of at least 1.
    #[must_use]
    pub fn count(&self, key: &str) -> Option<u32> {
        let count = self.entries.get(key)?.as_u64()?;
        u32::try_from(count).ok().filter(|count| *count > 0)
    }

    /// An entry as a list of integers of at least 1, up to the first value that is not one; a single number gives a
    /// list of one.
    #[must_use]
    pub fn counts(&self, key: &str) -> Vec<u32> {
        let count = |value: &Value| u32::try_from(value.as_u64()?).ok().filter(|c| *c > 0);
        match self.entries.get(key) {
            Some(Value::Array(values)) => values.iter().map_while(count).collect(),
            Some(value) => count(value).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// An entry as a list of numbers, with booleans as 0 and 1; empty if any element is neither.
    #[must_use]
    pub fn numbers(&self, key: &str) -> Vec<f64> {
        let number = |value: &Value| value.as_f64().or(value.as_bool().map(f64::from));
        let list = self.entries.get(key).and_then(Value::as_array);
        let numbers = list.map(|list| list.iter().map(number).collect::<Option<Vec<_>>>());
        numbers.flatten().unwrap_or_default()
    }

    /// An entry as a boolean.
    #[must_use]
    pub fn flag(&self, key: &str) -> Option<bool> {
        self.entries.get(key)?.as_bool()
    }

    /// An entry as a string.
    #[must_use]
    pub fn word(&self, key: &str) -> Option<&str> {
        self.entries.get(key)?.as_str()
    }

    /// The strings of an entry that lists each sequence of strings with the number of its repetitions, as
    /// `[[["global", "local"], 6]]` does; at most 4,096.
    #[must_use]
    pub fn repeated_words(&self, key: &str) -> Vec<&str> {
        const MOST: usize = 4096;
        let list = self.entries.get(key).and_then(Value::as_array);
        let mut words = Vec::new();
        for item in list.into_iter().flatten() {
            let Some([Value::Array(sequence), Value::Number(times)]) =
                item.as_array().map(Vec::as_slice)
            else {
                return Vec::new();
            };
            let times = times.as_u64().unwrap_or(0).min(MOST as u64) as usize;
            let sequence: Vec<_> = sequence.iter().filter_map(Value::as_str).collect();
            let count = (sequence.len() * times).min(MOST - words.len());
            words.extend(sequence.iter().cycle().take(count));
        }
        words
    }

    /// The strings of an entry that is a list.
    #[must_use]
    pub fn words(&self, key: &str) -> Vec<&str> {
        let list = self.entries.get(key).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }
}

/// Parses a configuration as a JSON object.
fn object(text: &str) -> Result<Map<String, Value>, ModelError> {
    let text = without_special_numbers(text.trim_start_matches('\u{feff}'));
    serde_json::from_str(&text).map_err(|error| ModelError::ConfigNotJson(error.to_string()))
}

/// Python's numbers that JSON does not have.
const SPECIAL_NUMBERS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// Writes Python's `Infinity`, `-Infinity` and `NaN`, which JSON does not have, as strings. They count as absent where an
/// entry is read, and messages can name them.
fn without_special_numbers(text: &str) -> Cow<'_, str> {
    if !SPECIAL_NUMBERS.iter().any(|number| text.contains(number)) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let (mut rest, mut is_quoted) = (text, false);
    while let Some(first) = rest.chars().next() {
        let number = SPECIAL_NUMBERS
            .iter()
            .find(|number| rest.starts_with(**number));
        let length = match (first, number) {
            (_, Some(number)) if !is_quoted => {
                plain.push('"');
                plain.push_str(number);
                plain.push('"');
                rest = &rest[number.len()..];
                continue;
            }
            // An escaped quotation mark does not end the string.
            ('\\', _) if is_quoted => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            ('"', _) => {
                is_quoted = !is_quoted;
                1
            }
            _ => first.len_utf8(),
        };
        plain.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    Cow::Owned(plain)
}

struct Facts(Map<String, Value>);

impl Facts {
    /// The first of `keys` that is present. `null` counts as absent, since many configurations hold it, and so do
    /// Python's special numbers.
    fn first<'a>(&self, keys: &[&'a str]) -> Option<(&'a str, &Value)> {
        let is_special = |value: &Value| {
            let word = value.as_str();
            word.is_some_and(|word| SPECIAL_NUMBERS.contains(&word))
        };
        keys.iter().find_map(|key| {
            let value = self.0.get(*key)?;
            (!value.is_null() && !is_special(value)).then_some((*key, value))
        })
    }

    fn text(&self, key: &str) -> Result<Option<String>, ModelError> {
        let Some((key, value)) = self.first(&[key]) else {
            return Ok(None);
        };
        let text = value
            .as_str()
            .ok_or_else(|| refuse(key, value, "a name in quotes"))?;
        Ok(Some(text.to_owned()))
    }

    fn count(&self, keys: &[&str]) -> Result<Option<u32>, ModelError> {
        let Some((key, value)) = self.first(keys) else {
            return Ok(None);
        };
        // One value per stage; there is no single value for the model.
        if value.is_array() {
            return Ok(None);
        }
        let count = value
            .as_u64()
            .and_then(|count| u32::try_from(count).ok())
            .filter(|count| *count > 0);
        count
            .map(Some)
            .ok_or_else(|| refuse(key, value, "a whole number of at least 1"))
    }

    fn epsilon(&self, keys: &[&str]) -> Result<Option<f64>, ModelError> {
        let Some((key, value)) = self.first(keys) else {
            return Ok(None);
        };
        let epsilon = value
            .as_f64()
            .filter(|epsilon| (0.0..1.0).contains(epsilon));
        epsilon
            .map(Some)
            .ok_or_else(|| refuse(key, value, "a small number that is not negative"))
    }

    fn id(&self, key: &str) -> Result<Option<u64>, ModelError> {
        match self.first(&[key]) {
            None => Ok(None),
            // Some configurations use −1 for no padding.
            Some((_, value)) if value.as_i64() == Some(-1) => Ok(None),
            Some((key, value)) => value
                .as_u64()
                .map(Some)
                .ok_or_else(|| refuse(key, value, "a whole number")),
        }
    }
}

fn refuse(key: &str, value: &Value, expected: &'static str) -> ModelError {
    ModelError::ConfigValue {
        key: key.to_owned(),
        value: value.to_string(),
        expected,
    }
}
