//! The tensors of a layer, as a description: their names, and which part of each is meant.

use super::Model;

/// The tensors of a layer. Positional scores need queries and keys alone; the rest is named where a family
/// says so.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerTensors {
    /// The map to queries.
    pub query: LinearTensors,
    /// The map to keys.
    pub key: LinearTensors,
    /// The map to values.
    pub value: Option<LinearTensors>,
    /// The map that what the heads gather passes together.
    pub output: Option<LinearTensors>,
    /// Stem of the `LayerNorm` at the beginning of the layer.
    pub norm: Option<String>,
    /// Stem of the `LayerNorm` that the sum of input and output passes.
    pub output_norm: Option<String>,
    /// What follows the attention.
    pub feed_forward: Option<FeedForwardTensors>,
}

/// The tensors of a layer's feed-forward part.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedForwardTensors {
    /// Stem of the `LayerNorm` at its beginning.
    pub norm: Option<String>,
    /// The map to its inner width.
    pub inner: LinearTensors,
    /// The map back.
    pub output: LinearTensors,
    /// Stem of the `LayerNorm` that the sum of input and output passes.
    pub output_norm: Option<String>,
}

/// A linear map: all of a tensor or a part of it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearTensors {
    /// The weight.
    pub weight: String,
    /// The bias, cut like the weight.
    pub bias: Option<String>,
    /// Which part.
    pub cut: Cut,
}

/// Which part of a weight is meant, and which way it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Of a weight stored [out, in], the rows of part `part` of `of` equal parts.
    Rows {
        /// From 0.
        part: u64,
        /// How many there are.
        of: u64,
    },
    /// Of a weight stored [in, out], the columns of part `part` of `of` equal parts.
    Columns {
        /// From 0.
        part: u64,
        /// How many there are.
        of: u64,
    },
    /// Of a weight stored [out, in], part `part` of `of` of every head's rows.
    HeadRows {
        /// From 0.
        part: u64,
        /// How many there are.
        of: u64,
    },
}

impl LinearTensors {
    /// A part of the weight and bias under a stem, if the model has them.
    #[must_use]
    pub fn optional(model: &Model<'_>, stem: &str, cut: Cut) -> Option<Self> {
        let there = model.has(&format!("{stem}.weight"));
        there.then(|| Self::part(model, stem, cut))
    }

    /// The whole weight and bias under a stem, stored [out, in] as PyTorch's `Linear` does.
    #[must_use]
    pub fn of(model: &Model<'_>, stem: &str) -> Self {
        Self::part(model, stem, Cut::Rows { part: 0, of: 1 })
    }

    /// A part of the weight and bias under a stem.
    #[must_use]
    pub fn part(model: &Model<'_>, stem: &str, cut: Cut) -> Self {
        let [weight, bias] = ["weight", "bias"].map(|end| format!("{stem}.{end}"));
        Self::named(model, &weight, Some(&bias), cut)
    }

    /// A part of a weight, and of a bias if the model has it, of any names.
    #[must_use]
    pub fn named(model: &Model<'_>, weight: &str, bias: Option<&str>, cut: Cut) -> Self {
        Self {
            weight: model.name(weight),
            bias: bias.and_then(|bias| model.optional(bias)),
            cut,
        }
    }
}

impl LayerTensors {
    /// Queries and keys; nothing else is known.
    #[must_use]
    pub fn new(query: LinearTensors, key: LinearTensors) -> Self {
        Self {
            query,
            key,
            value: None,
            output: None,
            norm: None,
            output_norm: None,
            feed_forward: None,
        }
    }

    /// Queries and keys under two stems.
    #[must_use]
    pub fn of(model: &Model<'_>, query: &str, key: &str) -> Self {
        Self::new(
            LinearTensors::of(model, query),
            LinearTensors::of(model, key),
        )
    }

    /// Queries and keys as the first two of three parts of one weight.
    #[must_use]
    pub fn fused(model: &Model<'_>, weight: &str, bias: &str, cut: fn(u64) -> Cut) -> Self {
        let part = |number| LinearTensors::named(model, weight, Some(bias), cut(number));
        Self {
            value: Some(part(2)),
            ..Self::new(part(0), part(1))
        }
    }
}

impl Cut {
    /// All of a weight stored [out, in].
    pub const ROWS: Self = Self::Rows { part: 0, of: 1 };
    /// All of a weight stored [in, out].
    pub const COLUMNS: Self = Self::Columns { part: 0, of: 1 };

    /// A third of the rows.
    #[must_use]
    pub fn third_of_rows(part: u64) -> Self {
        Self::Rows { part, of: 3 }
    }

    /// A third of the columns.
    #[must_use]
    pub fn third_of_columns(part: u64) -> Self {
        Self::Columns { part, of: 3 }
    }

    /// A third of every head's rows.
    #[must_use]
    pub fn third_of_heads(part: u64) -> Self {
        Self::HeadRows { part, of: 3 }
    }
}

impl Model<'_> {
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
}
