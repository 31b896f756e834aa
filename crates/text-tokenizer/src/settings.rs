//! Settings beside a vocabulary: the kind of tokenizer, letter case, special tokens.

use crate::{file_names::CONFIGURATION, files::TokenizerFileSet};
use serde_json::{Value, json};

/// Settings from `tokenizer_config.json`, `special_tokens_map.json`, `added_tokens.json` and the model's `config.json`.
#[derive(Clone, Debug, Default)]
pub(crate) struct TokenizerSettings {
    config: Value,
    special_tokens: Value,
    added_tokens: Value,
    model: Value,
}

impl TokenizerSettings {
    pub(crate) fn read(files: &TokenizerFileSet<'_>) -> Self {
        let json = |name| files.optional_json(name).unwrap_or_default();
        Self {
            config: json("tokenizer_config.json"),
            special_tokens: json("special_tokens_map.json"),
            added_tokens: json("added_tokens.json"),
            model: json(CONFIGURATION),
        }
    }

    /// Name of the class that reads the tokenizer in the transformers library, without `Fast` at its end.
    pub(crate) fn class(&self) -> Option<&str> {
        let class = self.config["tokenizer_class"].as_str();
        let class = class.or_else(|| self.model["tokenizer_class"].as_str())?;
        Some(class.strip_suffix("Fast").unwrap_or(class))
    }

    /// Name of the kind of model, as `bert`.
    pub(crate) fn model_type(&self) -> Option<&str> {
        self.model["model_type"].as_str()
    }

    /// A setting that is on or off.
    pub(crate) fn switch(&self, name: &str) -> Option<bool> {
        self.config[name].as_bool()
    }

    /// A setting that is a number.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.config[name].as_u64()
    }

    /// Content of a special token, such as `mask_token`.
    pub(crate) fn special_token(&self, name: &str) -> Option<&str> {
        content(self.special_token_value(name)?)
    }

    /// Whether the settings name any special token.
    pub(crate) fn name_special_tokens(&self) -> bool {
        let tables = [&self.config, &self.special_tokens].into_iter();
        let mut entries = tables.filter_map(Value::as_object).flatten();
        entries.any(|(name, token)| name.ends_with("_token") && content(token).is_some())
    }

    /// Whether the settings say that there is no such special token.
    pub(crate) fn denies(&self, name: &str) -> bool {
        self.config.get(name).is_some_and(Value::is_null)
    }

    /// A special token as an entry of `added_tokens`, without its id; `default` is its content, and `takes_space`
    /// whether it takes the spaces before it, if the settings do not say so.
    pub(crate) fn special_token_entry(
        &self,
        name: &str,
        default: &str,
        takes_space: bool,
    ) -> Value {
        let stored = self.special_token_value(name);
        let stored = stored.or_else(|| self.added_token_of(default));
        let has = |key: &str| stored.and_then(|token| token[key].as_bool());
        json!({
            "content": stored.and_then(content).unwrap_or(default),
            "single_word": has("single_word").unwrap_or(false),
            "lstrip": has("lstrip").unwrap_or(takes_space),
            "rstrip": has("rstrip").unwrap_or(false),
            "normalized": has("normalized").unwrap_or(false),
            "special": true,
        })
    }

    /// Further tokens that the settings add to the vocabulary, with their ids, as entries of `added_tokens`.
    pub(crate) fn further_tokens(&self) -> Vec<(u32, Value)> {
        let decoder = self.config["added_tokens_decoder"].as_object();
        let decoded = decoder.into_iter().flatten().filter_map(|(id, token)| {
            let has = |key: &str| token[key].as_bool().unwrap_or(false);
            let entry = json!({
                "content": content(token)?,
                "single_word": has("single_word"),
                "lstrip": has("lstrip"),
                "rstrip": has("rstrip"),
                "normalized": token["normalized"].as_bool().unwrap_or(!has("special")),
                "special": has("special"),
            });
            Some((id.parse().ok()?, entry))
        });
        let mut tokens: Vec<(u32, Value)> = decoded.collect();
        let plain = self.added_tokens.as_object();
        for (text, id) in plain.into_iter().flatten() {
            let id = id.as_u64().and_then(|id| u32::try_from(id).ok());
            let Some(id) = id.filter(|id| tokens.iter().all(|(other, _)| other != id)) else {
                continue;
            };
            let entry = json!({
                "content": text,
                "single_word": false,
                "lstrip": false,
                "rstrip": false,
                "normalized": true,
                "special": false,
            });
            tokens.push((id, entry));
        }
        tokens.sort_by_key(|(id, _)| *id);
        tokens
    }

    /// A special token as it is stored: text, or an object with its properties.
    fn special_token_value(&self, name: &str) -> Option<&Value> {
        let sources = [&self.config[name], &self.special_tokens[name]];
        let with_properties = sources.into_iter().find(|value| value.is_object());
        let plain = || sources.into_iter().find(|value| value.is_string());
        with_properties.or_else(plain)
    }

    /// The entry of `added_tokens_decoder` with a content.
    fn added_token_of(&self, text: &str) -> Option<&Value> {
        let mut tokens = self.config["added_tokens_decoder"].as_object()?.values();
        tokens.find(|token| content(token) == Some(text))
    }
}

/// Content of a token that is stored as text or as an object.
fn content(token: &Value) -> Option<&str> {
    token.as_str().or_else(|| token["content"].as_str())
}
