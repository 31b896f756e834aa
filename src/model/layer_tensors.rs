//! Names of the tensors of a layer, and the parts of them that are used.

use super::Model;

/// Tensors of a layer. Positional scores need only queries and keys; families name the rest where they know it.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerTensors {
    /// Map to queries.
    pub query: LinearTensors,
    /// Map to keys.
    pub key: LinearTensors,
    /// Map to values.
    pub value: Option<LinearTensors>,
    /// Output map of the attention.
    pub output: Option<LinearTensors>,
    /// Stem of the `LayerNorm` at the beginning of the layer.
    pub norm: Option<String>,
    /// Stem of the `LayerNorm` after the residual sum of the attention.
    pub output_norm: Option<String>,
    /// Feed-forward part after the attention.
    pub feed_forward: Option<FeedForwardTensors>,
}

/// Tensors of a layer's feed-forward part.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedForwardTensors {
    /// Stem of the `LayerNorm` at its beginning.
    pub norm: Option<String>,
    /// Map to the inner width.
    pub inner: LinearTensors,
    /// Map back to the width of the layer.
    pub output: LinearTensors,
    /// Stem of the `LayerNorm` after its residual sum.
    pub output_norm: Option<String>,
}

/// A linear map, stored as a whole tensor or as a part of one.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearTensors {
    /// Name of the weight.
    pub weight: String,
    /// Name of the bias, which is cut like the weight.
    pub bias: Option<String>,
    /// Part of the weight, and its layout.
    pub cut: Cut,
}

/// Part of a weight, and its layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Rows of a weight stored as [out, in]: part `part` of `of` equal parts.
    Rows {
        /// Index from 0.
        part: u64,
        /// Number of parts.
        of: u64,
    },
    /// Columns of a weight stored as [in, out]: part `part` of `of` equal parts.
    Columns {
        /// Index from 0.
        part: u64,
        /// Number of parts.
        of: u64,
    },
    /// Rows of a weight stored as [out, in]: part `part` of `of` equal parts of every head's rows.
    HeadRows {
        /// Index from 0.
        part: u64,
        /// Number of parts.
        of: u64,
    },
}

impl LinearTensors {
    /// A part of the weight and bias with the given stem; `None` if the model does not have the weight.
    #[must_use]
    pub fn optional(model: &Model<'_>, stem: &str, cut: Cut) -> Option<Self> {
        let exists = model.has(&format!("{stem}.weight"));
        exists.then(|| Self::part(model, stem, cut))
    }

    /// The whole weight and bias with the given stem, stored as [out, in] like PyTorch's `Linear`.
    #[must_use]
    pub fn new(model: &Model<'_>, stem: &str) -> Self {
        Self::part(model, stem, Cut::Rows { part: 0, of: 1 })
    }

    /// A part of the weight and bias with the given stem.
    #[must_use]
    pub fn part(model: &Model<'_>, stem: &str, cut: Cut) -> Self {
        let [weight, bias] = ["weight", "bias"].map(|end| format!("{stem}.{end}"));
        Self::named(model, &weight, Some(&bias), cut)
    }

    /// A part of a weight, and of a bias if the model has it, by full names below the prefix.
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
    /// A layer with queries and keys only.
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

    /// Queries and keys with the given stems.
    #[must_use]
    pub fn from_names(model: &Model<'_>, query: &str, key: &str) -> Self {
        Self::new(
            LinearTensors::new(model, query),
            LinearTensors::new(model, key),
        )
    }

    /// Queries, keys and values as three equal parts of one weight.
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
    /// All of a weight stored as [out, in].
    pub const ROWS: Self = Self::Rows { part: 0, of: 1 };
    /// All of a weight stored as [in, out].
    pub const COLUMNS: Self = Self::Columns { part: 0, of: 1 };

    /// One of three equal parts of the rows.
    #[must_use]
    pub fn third_of_rows(part: u64) -> Self {
        Self::Rows { part, of: 3 }
    }

    /// One of three equal parts of the columns.
    #[must_use]
    pub fn third_of_columns(part: u64) -> Self {
        Self::Columns { part, of: 3 }
    }

    /// One of three equal parts of every head's rows.
    #[must_use]
    pub fn third_of_heads(part: u64) -> Self {
        Self::HeadRows { part, of: 3 }
    }
}

impl Model<'_> {
    /// Layers whose queries and keys are separate weights. `{}` in the stems is replaced by the number.
    #[must_use]
    pub fn plain_layers(&self, query: &str, key: &str) -> Vec<LayerTensors> {
        self.layers(|at| {
            let [query, key] = [query, key].map(|stem| stem.replace("{}", &at.to_string()));
            let exist = [&query, &key]
                .iter()
                .all(|s| self.has(&format!("{s}.weight")));
            exist.then(|| LayerTensors::from_names(self, &query, &key))
        })
    }

    /// Layers whose queries, keys and values share one weight. `{}` in the stem is replaced by the number.
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
