//! Entries of a configuration by name, as the types that they are expected to have.

use super::Config;
use crate::short_text::short_message;
use serde_json::Value;

impl Config {
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
    pub(in crate::model) fn entry(&self, key: &str) -> Option<&Value> {
        self.entries.get(key).filter(|value| !value.is_null())
    }

    /// Iterates over all entries by name.
    pub(in crate::model) fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
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
