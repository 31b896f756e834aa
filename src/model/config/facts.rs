//! Entries that every model has in common, which are checked when a configuration is parsed.

use super::json_object::SPECIAL_NUMBERS;
use crate::model::ModelError;
use serde_json::{Map, Value};

/// The entries of a configuration; those that every model has in common are checked.
pub(super) struct Facts(pub(super) Map<String, Value>);

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

    /// A name.
    pub(super) fn text(&self, key: &str) -> Result<Option<String>, ModelError> {
        let Some((key, value)) = self.first(&[key]) else {
            return Ok(None);
        };
        let text = value
            .as_str()
            .ok_or_else(|| refuse(key, value, "a name in quotes"))?;
        Ok(Some(text.to_owned()))
    }

    /// A whole number of at least 1; `None` also for a list, which has one number per stage.
    pub(super) fn count(&self, keys: &[&str]) -> Result<Option<u32>, ModelError> {
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

    /// A number in [0, 1).
    pub(super) fn epsilon(&self, keys: &[&str]) -> Result<Option<f64>, ModelError> {
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

    /// The id of a token; `None` also for −1.
    pub(super) fn id(&self, key: &str) -> Result<Option<u64>, ModelError> {
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
