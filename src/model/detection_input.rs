//! Input of family detection: the names of a checkpoint's tensors, its configuration, and a few values.

use super::{Config, names::TensorNames};

/// Maximum number of models of one family in a file. Each is compared with all names.
const MOST_MODELS: usize = 64;

/// Input of family detection for a checkpoint.
#[derive(Debug)]
pub struct DetectionInput<'a> {
    /// Names of all tensors.
    pub(super) names: &'a TensorNames<'a>,
    pub(super) config: &'a Config,
    /// Facts about the tables whose name BERT and `RoBERTa` share, by their names in the file.
    pub(super) peeked_values: &'a [(String, PeekedValues)],
    /// Shape of the first layer's map of queries, keys and values under GPT-2's name. nanoGPT and minGPT store it
    /// transposed.
    pub(super) fused_shape: Option<[u64; 2]>,
    /// Whether the name of a table alone is enough to recognise a family, for files whose attention has unknown names.
    pub(super) ignores_attention: bool,
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
    names: &'a TensorNames<'a>,
    prefix: &'a str,
    config: &'a Config,
}

impl<'a> DetectionInput<'a> {
    /// The model at the shortest prefix before a tensor named `anchor`. Names in a checkpoint may begin with a prefix
    /// that ends in a dot.
    #[must_use]
    pub fn model(&self, anchor: &str) -> Option<Model<'a>> {
        let prefixes = self.names.prefixes(anchor);
        let shortest = prefixes.min_by_key(|prefix| prefix.len())?;
        Some(self.model_below(shortest))
    }

    /// The models at the prefixes before a tensor named `anchor`, shortest first, at most 64.
    #[must_use]
    pub fn models(&self, anchor: &str) -> Vec<Model<'a>> {
        let mut prefixes: Vec<_> = self.names.prefixes(anchor).collect();
        prefixes.sort_by_key(|prefix| prefix.len());
        prefixes.truncate(MOST_MODELS);
        let models = prefixes.into_iter().map(|prefix| self.model_below(prefix));
        models.collect()
    }

    /// The tensors below a prefix, with the section of the configuration that describes them.
    fn model_below(&self, prefix: &'a str) -> Model<'a> {
        Model {
            names: self.names,
            prefix,
            config: self.config.part(prefix),
        }
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

    /// Facts about a table whose name BERT and `RoBERTa` share, by its name in the file; `None` if it was not read.
    #[must_use]
    pub fn peeked_values(&self, table: &str) -> Option<PeekedValues> {
        let mut values = self.peeked_values.iter();
        values
            .find(|(name, _)| name == table)
            .map(|(_, values)| *values)
    }

    /// Shape of the first layer's map of queries, keys and values under GPT-2's name.
    #[must_use]
    pub fn fused_shape(&self) -> Option<[u64; 2]> {
        self.fused_shape
    }

    /// The first tensor whose name contains `word`, which should be specific to one family.
    #[must_use]
    pub fn tensor_containing(&self, word: &str) -> Option<&'a str> {
        let name = self.names.iter().find(|name| name.contains(word))?;
        self.names.in_file(name)
    }

    /// Whether the configuration has one of these model types and the checkpoint has no attention tensors, as in a file
    /// that holds only a model's table.
    #[must_use]
    pub fn says_alone(&self, model_types: &[&str]) -> bool {
        !self.has_attention() && self.model_type().is_some_and(|t| model_types.contains(&t))
    }

    /// Whether the name of any tensor contains "attention" or "attn". A family that does not read it does not fit.
    #[must_use]
    pub fn has_attention(&self) -> bool {
        let attends = |name: &str| name.contains("attention") || name.contains("attn");
        !self.ignores_attention && self.names.iter().any(attends)
    }
}

impl<'a> Model<'a> {
    /// The prefix of every name, such as `bert.`.
    #[must_use]
    pub fn prefix(&self) -> &'a str {
        self.prefix
    }

    /// The library whose name a tensor below the prefix has in the file, such as “fairseq’s RoBERTa”; `None` if it has
    /// the name that families list.
    #[must_use]
    pub fn library_of(&self, name: &str) -> Option<&'static str> {
        self.names.library_of(&self.name(name))
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

    /// The name in the file of a tensor below the prefix; the name with the prefix if there is none.
    #[must_use]
    pub fn name(&self, name: &str) -> String {
        let name = format!("{}{name}", self.prefix);
        match self.names.in_file(&name) {
            Some(file) => file.to_owned(),
            None => name,
        }
    }

    /// Whether there is a tensor of this name below the prefix.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.names.has(&format!("{}{name}", self.prefix))
    }

    /// Whether the file has a tensor of this name.
    #[must_use]
    pub fn has_full_name(&self, name: &str) -> bool {
        self.names.is_in_file(name)
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

    /// The stem in the file of a `LayerNorm`, if it exists under the current or the oldest names (`weight` or `gamma`).
    #[must_use]
    pub fn norm(&self, stem: &str) -> Option<String> {
        let weight = ["weight", "gamma"].map(|end| self.optional(&format!("{stem}.{end}")));
        stem_of(&weight.into_iter().flatten().next()?)
    }

    /// The stem in the file of a linear map, if it exists.
    #[must_use]
    pub fn map(&self, stem: &str) -> Option<String> {
        stem_of(&self.optional(&format!("{stem}.weight"))?)
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

/// A name without its last part.
fn stem_of(name: &str) -> Option<String> {
    let (stem, _) = name.rsplit_once(['.', '/'])?;
    Some(stem.to_owned())
}
