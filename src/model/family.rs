//! What it takes to describe a family of models, and what is known when one is asked for.

use super::{Config, Cut, LayerTensors, SourceDescription};

/// One kind of model, told apart by the names of its tensors: where it keeps its positions and what it
/// does with them before the attention.
///
/// Implementations describe and decide; they read nothing.
pub trait Family: Sync {
    /// Its name on the page.
    fn name(&self) -> &'static str;

    /// One sentence for a menu.
    fn about(&self) -> &'static str;

    /// The places where a checkpoint keeps positions, if it is of this family.
    fn find(&self, clues: &Clues<'_>) -> Option<Found>;
}

/// A checkpoint recognised.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Why it is taken to be of this family, as a sentence. Where it keeps no positions: what it does instead.
    pub reason: String,
    /// Where it keeps positions, the usual place first; none where nothing of them is stored.
    pub sources: Vec<SourceDescription>,
}

impl Found {
    /// Recognised, but it stores no positions: the sentences say what it does instead.
    #[must_use]
    pub fn nothing(sentences: &str) -> Self {
        Self {
            reason: sentences.to_owned(),
            sources: Vec::new(),
        }
    }

    /// Recognised by its names.
    #[must_use]
    pub fn by_names(family: &str, sources: Vec<SourceDescription>) -> Option<Self> {
        let reason = format!("The tensors bear {family}’s names.");
        (!sources.is_empty()).then_some(Self { reason, sources })
    }
}

/// What is known of a checkpoint when its family is decided.
#[derive(Debug)]
pub struct Clues<'a> {
    /// Names of all tensors, sorted.
    pub(super) names: &'a [&'a str],
    pub(super) config: &'a Config,
    pub(super) peeked: Option<Peeked>,
}

/// What was seen of a table before its family is decided.
#[derive(Clone, Copy, Debug)]
pub struct Peeked {
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

impl<'a> Clues<'a> {
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
    pub fn peeked(&self) -> Option<Peeked> {
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

    /// Layers whose queries and keys are two weights. `{}` in the stems stands for the number.
    #[must_use]
    pub fn plain_layers(&self, query: &str, key: &str) -> Vec<LayerTensors> {
        self.layers(|at| {
            let [query, key] = [query, key].map(|stem| stem.replace("{}", &at.to_string()));
            let there = [&query, &key]
                .iter()
                .all(|s| self.has(&format!("{s}.weight")));
            there.then(|| LayerTensors::of(self, &query, &key))
        })
    }

    /// Layers whose queries and keys are the first two thirds of one weight. `{}` in the stem stands for the
    /// number.
    #[must_use]
    pub fn fused_layers(&self, stem: &str, cut: fn(u64) -> Cut) -> Vec<LayerTensors> {
        self.layers(|at| {
            let stem = stem.replace("{}", &at.to_string());
            let [weight, bias] = ["weight", "bias"].map(|end| format!("{stem}.{end}"));
            self.has(&weight)
                .then(|| LayerTensors::fused(self, &weight, &bias, cut))
        })
    }

    /// A tensor of every layer, for as long as there is one. `{}` stands for the number.
    #[must_use]
    pub fn in_layers(&self, name: &str) -> Vec<String> {
        self.layers(|at| self.optional(&name.replace("{}", &at.to_string())))
    }
}
