//! Norms around the parts of a block.

use super::NormDescription;

/// Norms and scale around a part of a block, whose output is added to the states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResidualDescription {
    /// Norm of the states that the part reads. The sum has them without it.
    pub input_norm: Option<NormDescription>,
    /// Norm of the part's output, before the sum.
    pub output_norm: Option<NormDescription>,
    /// Name of a tensor by whose numbers the columns of the part's output are multiplied before the sum.
    pub output_scale: Option<String>,
    /// Norm of the sum.
    pub sum_norm: Option<NormDescription>,
}

impl ResidualDescription {
    /// A norm before the part: x + f(norm(x)).
    #[must_use]
    pub fn pre_norm(norm: NormDescription) -> Self {
        Self {
            input_norm: Some(norm),
            ..Self::default()
        }
    }

    /// A norm after the sum: norm(x + f(x)).
    #[must_use]
    pub fn post_norm(norm: NormDescription) -> Self {
        Self {
            sum_norm: Some(norm),
            ..Self::default()
        }
    }

    /// The norms, in the order in which they are applied.
    pub fn norms(&self) -> impl Iterator<Item = &NormDescription> {
        let norms = [&self.input_norm, &self.output_norm, &self.sum_norm];
        norms.into_iter().flatten()
    }

    /// Names of its tensors.
    pub(super) fn tensors(&self) -> impl Iterator<Item = &str> {
        let norms = self.norms().flat_map(NormDescription::tensors);
        norms.chain(self.output_scale.as_deref())
    }
}
