//! Norms, as the names of their tensors and their kind.

use super::Model;

/// Kind of a norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormKind {
    /// Subtracts the mean of a row and divides by its standard deviation (Ba et al. 2016).
    Layer,
    /// Divides a row by the root of its mean square (Zhang & Sennrich 2019).
    Rms,
}

/// A norm over the columns of a row, followed by a scale and perhaps a shift of each column.
#[derive(Clone, Debug, PartialEq)]
pub struct NormDescription {
    /// Kind of the norm.
    pub kind: NormKind,
    /// Name of the scale of each column.
    pub weight: String,
    /// Name of the shift of each column, if there is one.
    pub bias: Option<String>,
    /// Whether columns are scaled by 1 + weight (Gemma).
    pub adds_one: bool,
    /// Epsilon, added to the variance or the mean square.
    pub epsilon: f64,
}

impl NormDescription {
    /// A `LayerNorm` by its stem, under the current or the oldest names (`weight` or `gamma`).
    #[must_use]
    pub fn layer(model: &Model<'_>, stem: &str, epsilon: f64) -> Self {
        Self::new(model, NormKind::Layer, stem, epsilon)
    }

    /// An RMS norm by its stem.
    #[must_use]
    pub fn rms(model: &Model<'_>, stem: &str, epsilon: f64) -> Self {
        Self::new(model, NormKind::Rms, stem, epsilon)
    }

    /// A norm by its stem. Its weight is named even if the file lacks it, its bias only if the file has it.
    #[must_use]
    pub fn new(model: &Model<'_>, kind: NormKind, stem: &str, epsilon: f64) -> Self {
        let find = |ends: [&str; 2]| {
            let names = ends.map(|end| format!("{stem}.{end}"));
            names.iter().find_map(|name| model.optional(name))
        };
        let weight = find(["weight", "gamma"]);
        Self {
            kind,
            weight: weight.unwrap_or_else(|| model.name(&format!("{stem}.weight"))),
            bias: find(["bias", "beta"]),
            adds_one: false,
            epsilon,
        }
    }

    /// Name of the weight without its last part.
    #[must_use]
    pub fn stem(&self) -> &str {
        self.weight.rsplit_once('.').map_or("", |(stem, _)| stem)
    }

    /// Names of the tensors.
    pub fn tensors(&self) -> impl Iterator<Item = &str> {
        [Some(&self.weight), self.bias.as_ref()]
            .into_iter()
            .flatten()
            .map(String::as_str)
    }
}
