//! What is known of a checkpoint when its family is decided: the names of its tensors, the configuration, and
//! the little that was read.

use super::Config;

/// What is known of a checkpoint when its family is decided.
#[derive(Debug)]
pub struct DetectionInput<'a> {
    /// Names of all tensors, sorted.
    pub(super) names: &'a [&'a str],
    pub(super) config: &'a Config,
    pub(super) peeked: Option<PeekedValues>,
}

/// What was seen of a table before its family is decided.
#[derive(Clone, Copy, Debug)]
pub struct PeekedValues {
    /// Rows of the table as it is stored.
    pub rows: u64,
    /// The first of its first nine rows that is exactly zero: a padding row that was never trained.
    pub zero_row: Option<u64>,
}

/// The tensors below one prefix.
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    names: &'a [&'a str],
    prefix: &'a str,
    config: &'a Config,
}

impl<'a> DetectionInput<'a> {
    /// The model below the shortest prefix before a tensor of that name. A checkpoint may put words that
    /// end in a dot before all of its names.
    #[must_use]
    pub fn model(&self, anchor: &str) -> Option<Model<'a>> {
        self.models(anchor).into_iter().next()
    }

    /// The models below every prefix before a tensor of that name, the shortest first.
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

    /// The configuration; it may say nothing.
    #[must_use]
    pub fn config(&self) -> &'a Config {
        self.config
    }

    /// The configuration's `model_type`.
    #[must_use]
    pub fn model_type(&self) -> Option<&'a str> {
        self.config.model_type.as_deref()
    }

    /// What was seen of the table that BERT and `RoBERTa` name alike.
    #[must_use]
    pub fn peeked(&self) -> Option<PeekedValues> {
        self.peeked
    }

    /// The first tensor whose name holds a word that only one kind of model uses.
    #[must_use]
    pub fn naming(&self, word: &str) -> Option<&'a str> {
        self.names.iter().copied().find(|name| name.contains(word))
    }

    /// Whether the configuration names one of these kinds of model and no attention says otherwise: what is
    /// left of a model that somebody cut its table out of.
    #[must_use]
    pub fn says_alone(&self, model_types: &[&str]) -> bool {
        !self.has_attention() && self.model_type().is_some_and(|t| model_types.contains(&t))
    }

    /// Whether any tensor anywhere belongs to an attention.
    #[must_use]
    pub fn has_attention(&self) -> bool {
        let attends = |name: &&str| name.contains("attention") || name.contains("attn");
        self.names.iter().any(attends)
    }
}

impl<'a> Model<'a> {
    /// What stands before every name, such as `bert.`.
    #[must_use]
    pub fn prefix(&self) -> &'a str {
        self.prefix
    }

    /// The configuration; it may say nothing.
    #[must_use]
    pub fn config(&self) -> &'a Config {
        self.config
    }

    /// The same tensors with another configuration, for a model that has one for each of its parts.
    #[must_use]
    pub fn with(self, config: &'a Config) -> Self {
        Self { config, ..self }
    }

    /// A name with the prefix before it.
    #[must_use]
    pub fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Whether there is a tensor of that name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let name = self.name(name);
        self.names.binary_search(&name.as_str()).is_ok()
    }

    /// The whole name, if there is a tensor of it.
    #[must_use]
    pub fn optional(&self, name: &str) -> Option<String> {
        self.has(name).then(|| self.name(name))
    }

    /// The whole names of those of these tensors that there are.
    #[must_use]
    pub fn optionals(&self, names: &[&str]) -> Vec<String> {
        names
            .iter()
            .filter_map(|name| self.optional(name))
            .collect()
    }

    /// The stem of a `LayerNorm`, if there is one: under the present names or those of the oldest files.
    #[must_use]
    pub fn norm(&self, stem: &str) -> Option<String> {
        let there = self.has(&format!("{stem}.weight")) || self.has(&format!("{stem}.gamma"));
        there.then(|| self.name(stem))
    }

    /// The stem of a linear map, if there is one.
    #[must_use]
    pub fn map(&self, stem: &str) -> Option<String> {
        self.has(&format!("{stem}.weight")).then(|| self.name(stem))
    }

    /// Layers 0, 1, … for as long as `layer` finds one.
    #[must_use]
    pub fn layers<T>(&self, layer: impl Fn(usize) -> Option<T>) -> Vec<T> {
        (0..).map_while(layer).collect()
    }

    /// A tensor of every layer, for as long as there is one. `{}` stands for the number.
    #[must_use]
    pub fn in_layers(&self, name: &str) -> Vec<String> {
        self.layers(|at| self.optional(&name.replace("{}", &at.to_string())))
    }
}
