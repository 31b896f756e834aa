//! `config.json`: the few facts about a model that its weights do not tell.

use std::{borrow::Cow, collections::BTreeMap, sync::LazyLock};

use serde_json::{Map, Value};

use super::ModelError;

/// A longer text is no configuration.
const LONGEST: usize = 8 << 20;
/// How deep parts of parts are looked into.
const DEEPEST: usize = 3;
/// Entries of a configuration, and the metadata of GGUF that say the same, without the architecture's name before
/// them. Heads may be wider than the width of the layers divided by their number, and may be turned in part.
const GGUF_ENTRIES: &[(&str, &str)] = &[
    ("rope_theta", "rope.freq_base"),
    ("local_rope_theta", "rope.freq_base_swa"),
    ("rotary_dim", "rope.dimension_count"),
    ("local_rotary_dim", "rope.dimension_count_swa"),
    ("head_dim", "attention.key_length"),
    ("local_head_dim", "attention.key_length_swa"),
    ("mrope_section", "rope.dimension_sections"),
    ("sliding_window", "attention.sliding_window"),
    ("max_position_embeddings", "context_length"),
];

/// What a configuration says; `None` for what it leaves open.
///
/// The usual facts are fields; a family asks for its own by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// `model_type`, such as "bert".
    pub model_type: Option<String>,
    /// Heads a layer.
    pub heads: Option<u32>,
    /// Layers.
    pub layers: Option<u32>,
    /// Width of the layers.
    pub hidden: Option<u32>,
    /// What `LayerNorm` adds to the variance.
    pub layer_norm_epsilon: Option<f64>,
    /// Id of the padding token, from which `RoBERTa`'s positions are counted.
    pub pad_id: Option<u64>,
    /// Sentences on parts of the text that could not be used.
    pub problems: Vec<String>,
    entries: Map<String, Value>,
    /// Configurations of a model's parts, such as `text_config`.
    sections: Vec<(String, Self)>,
}

impl Config {
    /// Reads a `config.json`. Every model spells these facts a little differently, and adds others that do
    /// not matter here; but a fact that cannot be true is refused.
    ///
    /// # Errors
    /// When the text is no JSON object, or one of its facts is nonsense.
    pub fn parse(text: &str) -> Result<Self, ModelError> {
        if text.len() > LONGEST {
            return Err(ModelError::ConfigNotJson(format!(
                "it is {} MiB long, and no configuration is",
                text.len() >> 20
            )));
        }
        Self::of(object(text)?, 0)
    }

    /// Reads what can be read of a `config.json`, and says in [`Self::problems`] what cannot: weights are opened
    /// whatever lies beside them.
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
        // Each turn takes one entry out.
        loop {
            match Self::of(facts.clone(), 0) {
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

    fn of(object: Map<String, Value>, depth: usize) -> Result<Self, ModelError> {
        let part = |(key, value): (&String, &Value)| {
            let object = value.as_object().filter(|_| depth < DEEPEST)?;
            // A part that makes no sense is a part that nothing is known of.
            Some((key.clone(), Self::of(object.clone(), depth + 1).ok()?))
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
            hidden: facts.count(&["hidden_size", "d_model", "dim", "n_embd"])?,
            layer_norm_epsilon: facts.epsilon(&["layer_norm_eps", "layer_norm_epsilon"])?,
            pad_id: facts.id("pad_token_id")?,
            problems: Vec::new(),
            sections,
            entries: facts.0,
        })
    }

    /// What the metadata of a GGUF file say, whose keys begin with the architecture's name; an empty one where
    /// they say nothing.
    #[must_use]
    pub fn of_gguf(metadata: &BTreeMap<String, String>) -> Self {
        let Some(architecture) = metadata.get("general.architecture") else {
            return Self::default();
        };
        let value = |key: &str| {
            let text = metadata.get(&format!("{architecture}.{key}"))?;
            // Words stand there without quotes.
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
            // The name before there was a choice of types.
            ("factor", "rope.scale_linear"),
            ("factor", "rope.scaling.factor"),
            (
                "original_max_position_embeddings",
                "rope.scaling.original_context_length",
            ),
        ]);
        let section = Self {
            entries: scaling,
            ..Self::default()
        };
        Self {
            model_type: Some(architecture.clone()),
            heads: count("attention.head_count"),
            layers: count("block_count"),
            hidden: count("embedding_length"),
            layer_norm_epsilon: number("attention.layer_norm_epsilon"),
            entries: listed(GGUF_ENTRIES),
            sections: vec![("rope_scaling".to_owned(), section)],
            ..Self::default()
        }
    }

    /// The configuration of a part of the model; an empty one where there is none.
    #[must_use]
    pub fn section(&self, key: &str) -> &Self {
        static EMPTY: LazyLock<Config> = LazyLock::new(Config::default);
        let found = self.sections.iter().find(|(name, _)| name == key);
        found.map_or(&EMPTY, |(_, section)| section)
    }

    /// Those parts of the model that have a configuration of their own, by name.
    pub fn sections(&self) -> impl Iterator<Item = (&str, &Self)> {
        let sections = self.sections.iter();
        sections.map(|(name, section)| (name.as_str(), section))
    }

    /// Rows and columns of the patches that an image is cut into, from `image_size` and `patch_size`, or those that a
    /// spectrogram is (AST), from `num_mel_bins` and `max_length`. Patches overlap where strides say so.
    #[must_use]
    pub fn patches(&self) -> Option<(u32, u32)> {
        let mut image = self.counts("image_size");
        if image.is_empty() {
            let sides = ["num_mel_bins", "max_length"].map(|key| self.count(key));
            image = sides.into_iter().flatten().collect();
        }
        Self::patches_of(&image, &self.counts("patch_size"), &self.strides())
    }

    /// Steps from a patch to the next, down and across; none where they are not said.
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

    /// Rows and columns of patches of an image of these sides. One side or stride stands for both; without strides
    /// patches lie side by side.
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

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A number.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<f64> {
        self.entries.get(key)?.as_f64().filter(|v| v.is_finite())
    }

    /// A whole number from 1.
    #[must_use]
    pub fn count(&self, key: &str) -> Option<u32> {
        let count = self.entries.get(key)?.as_u64()?;
        u32::try_from(count).ok().filter(|count| *count > 0)
    }

    /// A list of whole numbers from 1; a single one is a list of one.
    #[must_use]
    pub fn counts(&self, key: &str) -> Vec<u32> {
        let count = |value: &Value| u32::try_from(value.as_u64()?).ok().filter(|c| *c > 0);
        match self.entries.get(key) {
            Some(Value::Array(values)) => values.iter().map_while(count).collect(),
            Some(value) => count(value).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// A list of numbers, yes as 1 and no as 0; empty where one is neither.
    #[must_use]
    pub fn numbers(&self, key: &str) -> Vec<f64> {
        let number = |value: &Value| value.as_f64().or(value.as_bool().map(f64::from));
        let list = self.entries.get(key).and_then(Value::as_array);
        let numbers = list.map(|list| list.iter().map(number).collect::<Option<Vec<_>>>());
        numbers.flatten().unwrap_or_default()
    }

    /// A yes or no.
    #[must_use]
    pub fn flag(&self, key: &str) -> Option<bool> {
        self.entries.get(key)?.as_bool()
    }

    /// A word.
    #[must_use]
    pub fn word(&self, key: &str) -> Option<&str> {
        self.entries.get(key)?.as_str()
    }

    /// A list of words.
    #[must_use]
    pub fn words(&self, key: &str) -> Vec<&str> {
        let list = self.entries.get(key).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }
}

/// The JSON object of a configuration.
fn object(text: &str) -> Result<Map<String, Value>, ModelError> {
    let text = without_special_numbers(text.trim_start_matches('\u{feff}'));
    serde_json::from_str(&text).map_err(|error| ModelError::ConfigNotJson(error.to_string()))
}

/// Python writes `Infinity`, `-Infinity` and `NaN` as they are, which JSON does not have. `null` stands in their place
/// here: no fact that is read of a configuration is one of them.
fn without_special_numbers(text: &str) -> Cow<'_, str> {
    const NUMBERS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    if !NUMBERS.iter().any(|number| text.contains(number)) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let (mut rest, mut is_quoted) = (text, false);
    while let Some(first) = rest.chars().next() {
        let number = NUMBERS.iter().find(|number| rest.starts_with(**number));
        let length = match (first, number) {
            (_, Some(number)) if !is_quoted => {
                plain.push_str("null");
                rest = &rest[number.len()..];
                continue;
            }
            // A quotation mark after a backslash does not end the text.
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
    /// The first of `keys` that is there. `null` counts as absent: many configurations are full of it.
    fn first<'a>(&self, keys: &[&'a str]) -> Option<(&'a str, &Value)> {
        keys.iter().find_map(|key| {
            let value = self.0.get(*key)?;
            (!value.is_null()).then_some((*key, value))
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
        // One a stage, which is no fact of the whole model.
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
            // −1 is how some configurations say that there is no padding.
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
