//! Convolutions beside blocks.

use super::{Activation, Model, NormDescription};

/// Convolution of a block's input over neighbouring positions, which is added to the block's output y for the input x:
/// norm(y + a(conv(x))). The largest models of `DeBERTa` v2 have it in their first block.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvolutionDescription {
    /// Name of the kernel, [hidden, hidden, number of taps]; the middle tap meets the position itself.
    pub weight: String,
    /// Name of the bias.
    pub bias: Option<String>,
    /// The activation a.
    pub activation: Activation,
    /// Norm of the sum.
    pub norm: NormDescription,
}

impl ConvolutionDescription {
    /// The convolution with the given stem, if the model has it; its norm has the stem `norm`.
    #[must_use]
    pub fn find(
        model: &Model<'_>,
        stem: &str,
        activation: Activation,
        norm: NormDescription,
    ) -> Option<Self> {
        Some(Self {
            weight: model.optional(&format!("{stem}.weight"))?,
            bias: model.optional(&format!("{stem}.bias")),
            activation,
            norm,
        })
    }

    /// Names of the tensors.
    pub fn tensors(&self) -> impl Iterator<Item = &str> {
        let names = [Some(&self.weight), self.bias.as_ref()];
        let names = names.into_iter().flatten().map(String::as_str);
        names.chain(self.norm.tensors())
    }
}
