//! Names of the queries and keys of a layer, and of linear maps in general, with the parts of them that are used.

use super::Model;

/// Tensors of a layer's positional scores: its queries and keys.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerTensors {
    /// Map to queries.
    pub query: LinearTensors,
    /// Map to keys.
    pub key: LinearTensors,
    /// Stem of the `LayerNorm` at the beginning of the layer.
    pub norm: Option<String>,
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
    /// The whole weight and bias with the given stem, stored as [out, in] like PyTorch's `Linear`.
    #[must_use]
    pub fn new(model: &Model<'_>, stem: &str) -> Self {
        Self::part(model, stem, Cut::Rows { part: 0, of: 1 })
    }

    /// A part of the weight and bias with the given stem.
    #[must_use]
    pub fn part(model: &Model<'_>, stem: &str, cut: Cut) -> Self {
        let [weight, bias] = ["weight", "bias"].map(|end| format!("{stem}.{end}"));
        Self::from_names(model, &weight, Some(&bias), cut)
    }

    /// Three equal parts of the weight and bias with the given stem: queries, keys and values.
    #[must_use]
    pub fn thirds(model: &Model<'_>, stem: &str, cut: fn(u64) -> Cut) -> [Self; 3] {
        [0, 1, 2].map(|number| Self::part(model, stem, cut(number)))
    }

    /// A part of a weight, and of a bias if the model has it, by full names below the prefix.
    #[must_use]
    pub fn from_names(model: &Model<'_>, weight: &str, bias: Option<&str>, cut: Cut) -> Self {
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
            norm: None,
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

    /// Queries and keys as the first two of three equal parts of one weight.
    #[must_use]
    pub fn from_fused_weight(
        model: &Model<'_>,
        weight: &str,
        bias: &str,
        cut: fn(u64) -> Cut,
    ) -> Self {
        let part = |number| LinearTensors::from_names(model, weight, Some(bias), cut(number));
        Self::new(part(0), part(1))
    }
}

impl Cut {
    /// All of a weight stored as [out, in].
    pub const ROWS: Self = Self::Rows { part: 0, of: 1 };
    /// All of a weight stored as [in, out].
    pub const COLUMNS: Self = Self::Columns { part: 0, of: 1 };

    /// Number of equal parts of the weight.
    #[must_use]
    pub fn parts(self) -> u64 {
        match self {
            Self::Rows { of, .. } | Self::Columns { of, .. } | Self::HeadRows { of, .. } => of,
        }
    }

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

    /// Layers whose queries and keys are the first two of three equal parts of one weight. `{}` in the names is replaced
    /// by the number.
    #[must_use]
    pub fn fused_layers(&self, weight: &str, bias: &str, cut: fn(u64) -> Cut) -> Vec<LayerTensors> {
        self.layers(|at| {
            let [weight, bias] = [weight, bias].map(|name| name.replace("{}", &at.to_string()));
            let layer = || LayerTensors::from_fused_weight(self, &weight, &bias, cut);
            self.has(&weight).then(layer)
        })
    }
}
