//! `config.json`: the few facts about a model that its weights do not tell.

use serde_json::{Map, Value};

use super::ModelError;

/// A longer text is no configuration.
const LONGEST: usize = 8 << 20;

/// What a configuration says; `None` for what it leaves open.
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
        let object: Map<String, Value> = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| ModelError::ConfigNotJson(error.to_string()))?;
        let facts = Facts(object);
        Ok(Self {
            model_type: facts.text("model_type")?,
            heads: facts.count(&["num_attention_heads", "n_heads", "n_head", "num_heads"])?,
            layers: facts.count(&["num_hidden_layers", "n_layers", "n_layer", "num_layers"])?,
            hidden: facts.count(&["hidden_size", "d_model", "dim", "n_embd"])?,
            layer_norm_epsilon: facts.epsilon(&["layer_norm_eps", "layer_norm_epsilon"])?,
            pad_id: facts.id("pad_token_id")?,
        })
    }
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
