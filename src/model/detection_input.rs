//! Input of family detection: the names of a checkpoint's tensors, its configuration, and a few values.

use super::Config;

/// Input of family detection for a checkpoint.
#[derive(Debug)]
pub struct DetectionInput<'a> {
    /// Names of all tensors, sorted.
    pub(super) names: &'a [&'a str],
    pub(super) config: &'a Config,
    pub(super) peeked_values: Option<PeekedValues>,
}

/// Facts about a table that are read before the family is decided.
#[derive(Clone, Copy, Debug)]
pub struct PeekedValues {
    /// Number of rows in the stored table.
    pub rows: u64,
    /// Index of the first all-zero row among the first nine: an untrained padding row.
    pub zero_row: Option<u64>,
}

/// The tensors of a checkpoint that share a prefix.
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    names: &'a [&'a str],
    prefix: &'a str,
    config: &'a Config,
}

impl<'a> DetectionInput<'a> {
    /// The model at the shortest prefix before a tensor named `anchor`. Names in a checkpoint may begin with a prefix
    /// that ends in a dot.
    #[must_use]
    pub fn model(&self, anchor: &str) -> Option<Model<'a>> {
        self.models(anchor).into_iter().next()
    }

    /// The models at every prefix before a tensor named `anchor`, shortest first.
    #[must_use]
    pub fn models(&self, anchor: &str) -> Vec<Model<'a>> {
        let prefix = |name: &&'a str| {
            name.strip_suffix(anchor)
                .filter(|prefix| prefix.is_empty() || prefix.ends_with('.'))
        };
        let mut prefixes: Vec<_> = self.names.iter().filter_map(prefix).collect();
        prefixes.sort_by_key(|prefix| prefix.len());
        let model = |prefix| Model {
            names: self.names,
            prefix,
            config: self.config,
        };
        prefixes.into_iter().map(model).collect()
    }

    /// The configuration; may be empty.
    #[must_use]
    pub fn config(&self) -> &'a Config {
        self.config
    }

    /// `model_type` of the configuration.
    #[must_use]
    pub fn model_type(&self) -> Option<&'a str> {
        self.config.model_type.as_deref()
    }

    /// Facts about the table whose name BERT and `RoBERTa` share.
    #[must_use]
    pub fn peeked_values(&self) -> Option<PeekedValues> {
        self.peeked_values
    }

    /// The first tensor whose name contains `word`, which should be specific to one family.
    #[must_use]
    pub fn tensor_containing(&self, word: &str) -> Option<&'a str> {
        self.names.iter().copied().find(|name| name.contains(word))
    }

    /// Whether the configuration has one of these model types and the checkpoint has no attention tensors, as in a file
    /// that holds only a model's table.
    #[must_use]
    pub fn says_alone(&self, model_types: &[&str]) -> bool {
        !self.has_attention() && self.model_type().is_some_and(|t| model_types.contains(&t))
    }

    /// Whether the name of any tensor contains "attention" or "attn".
    #[must_use]
    pub fn has_attention(&self) -> bool {
        let attends = |name: &&str| name.contains("attention") || name.contains("attn");
        self.names.iter().any(attends)
    }
}

impl<'a> Model<'a> {
    /// The prefix of every name, such as `bert.`.
    #[must_use]
    pub fn prefix(&self) -> &'a str {
        self.prefix
    }

    /// The configuration; may be empty.
    #[must_use]
    pub fn config(&self) -> &'a Config {
        self.config
    }

    /// The same tensors with another configuration, such as that of a part of the model.
    #[must_use]
    pub fn with(self, config: &'a Config) -> Self {
        Self { config, ..self }
    }

    /// A name with the prefix.
    #[must_use]
    pub fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Whether there is a tensor of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.has_full_name(&self.name(name))
    }

    /// Whether there is a tensor of this name, which includes the prefix.
    #[must_use]
    pub fn has_full_name(&self, name: &str) -> bool {
        self.names.binary_search(&name).is_ok()
    }

    /// The tensors under the prefix without its last part: those beside this model, such as its head.
    #[must_use]
    pub fn outer(&self) -> Self {
        let inner = self.prefix.trim_end_matches('.');
        let end = inner.rfind('.').map_or(0, |dot| dot + 1);
        Self {
            prefix: &self.prefix[..end],
            ..*self
        }
    }

    /// The full name of a tensor, if it exists.
    #[must_use]
    pub fn optional(&self, name: &str) -> Option<String> {
        self.has(name).then(|| self.name(name))
    }

    /// The full names of those tensors that exist.
    #[must_use]
    pub fn optionals(&self, names: &[&str]) -> Vec<String> {
        names
            .iter()
            .filter_map(|name| self.optional(name))
            .collect()
    }

    /// The full stem of a `LayerNorm`, if it exists under the current or the oldest names (`weight` or `gamma`).
    #[must_use]
    pub fn norm(&self, stem: &str) -> Option<String> {
        let there = self.has(&format!("{stem}.weight")) || self.has(&format!("{stem}.gamma"));
        there.then(|| self.name(stem))
    }

    /// The full stem of a linear map, if it exists.
    #[must_use]
    pub fn map(&self, stem: &str) -> Option<String> {
        self.has(&format!("{stem}.weight")).then(|| self.name(stem))
    }

    /// Collects layers 0, 1, … until `layer` returns `None`.
    #[must_use]
    pub fn layers<T>(&self, layer: impl Fn(usize) -> Option<T>) -> Vec<T> {
        (0..).map_while(layer).collect()
    }

    /// Full names of a tensor in layers 0, 1, … as long as it exists. `{}` in `name` is replaced by the number.
    #[must_use]
    pub fn in_layers(&self, name: &str) -> Vec<String> {
        self.layers(|at| self.optional(&name.replace("{}", &at.to_string())))
    }
}
