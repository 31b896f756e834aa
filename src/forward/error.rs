//! Errors of a forward pass, with messages for the user.

use std::fmt;

use crate::{
    checkpoint::{CheckpointError, CleanText, Name},
    model::ModelError,
};

/// Error of a forward pass. `Display` says what is wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ForwardError {
    /// The family does not describe whole models, or not this one.
    NotDescribed {
        /// Name of the family.
        family: &'static str,
    },
    /// The configuration names an activation without a formula here.
    Activation {
        /// Its name in the configuration.
        name: String,
    },
    /// The experts of a layer are stored in blocks of four bits, which are not read here.
    PackedExperts {
        /// Name of the tensor that is stored in blocks.
        tensor: String,
    },
    /// The experts of a layer take more memory than a browser gives.
    LargeExperts {
        /// Bytes of the numbers of one layer's experts in single precision.
        bytes: u64,
    },
    /// A text without tokens.
    EmptyText {
        /// Index of the text, from 0.
        text: usize,
    },
    /// A text with more tokens than the model has positions.
    TooLong {
        /// Number of tokens.
        tokens: usize,
        /// Number of positions.
        longest: usize,
    },
    /// States outside the range of single precision.
    Overflow {
        /// Index of the layer that computed them, from 0; `None` before the first.
        layer: Option<usize>,
    },
    /// The description is not consistent with the tensors; a check of their shapes should have refused it.
    Tensor {
        /// Name of the tensor.
        tensor: String,
    },
    /// The queries and keys of a layer depend on a text.
    NoCenters {
        /// Index of the layer, from 0.
        layer: usize,
    },
    /// The file has no values or no output of a layer's heads.
    NoOutputs {
        /// Index of the layer, from 0.
        layer: usize,
    },
    /// The file has no prediction of words.
    NoPrediction,
    /// The model attends to the states of an encoder that is not described.
    NoEncoder,
    /// The file has no detection of replaced words.
    NoDetector,
    /// An error of the model or its file.
    Model(ModelError),
}

impl fmt::Display for ForwardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotDescribed { family } => write!(
                f,
                "This page cannot run this model over a text: its layers are not described for the family {}. Models \
                 of BERT’s, GPT-2’s, T5’s and Llama’s kind can be run, together with their config.json.",
                CleanText(family)
            ),
            Self::Activation { name } => write!(
                f,
                "This page cannot run this model over a text: its configuration names the activation {}, which is \
                 not known here.",
                Name(name)
            ),
            Self::PackedExperts { tensor } => write!(
                f,
                "This page cannot run this model over a text: its experts are stored in blocks of four bits ({}), which \
                 are not read here. The view Heads shows its heads from the weights of its attention.",
                Name(tensor)
            ),
            Self::LargeExperts { bytes } => write!(
                f,
                "This page cannot run this model over a text: the experts of one layer take {:.1} GB, and a browser \
                 gives a page too little memory for them. The view Heads shows its heads from the weights of its attention.",
                *bytes as f64 / 1e9
            ),
            Self::EmptyText { text } => write!(
                f,
                "Text {} has no tokens. Enter at least one token.",
                text + 1
            ),
            Self::TooLong { tokens, longest } => write!(
                f,
                "The text has {tokens} tokens, and the model has {longest} positions. Shorten the text."
            ),
            Self::Overflow { layer: None } => f.write_str(
                "The states before the first layer are outside single precision, so the text cannot be run. Use a \
                 checkpoint whose training did not diverge.",
            ),
            Self::Overflow { layer: Some(layer) } => write!(
                f,
                "Layer {} yields states outside single precision, so the layers after it cannot be run. Use a \
                 checkpoint whose training did not diverge.",
                layer + 1
            ),
            Self::Tensor { tensor } => write!(
                f,
                "Tensor {} does not fit its place in the model, so the text cannot be run. Open the model together \
                 with its own config.json.",
                Name(tensor)
            ),
            Self::NoCenters { layer } => write!(
                f,
                "The queries and keys of layer {} depend on the text, so weights alone give no scores. Run a text in \
                 the view Text.",
                layer + 1
            ),
            Self::NoOutputs { layer } => write!(
                f,
                "This file has no values or no output map of layer {}, so the layer cannot be read as a convolution. Open \
                 a whole checkpoint.",
                layer + 1
            ),
            Self::NoPrediction => f.write_str(
                "The file has no prediction head, so it predicts no tokens. Open a model with one, such as \
                 bert-base-uncased or gpt2.",
            ),
            Self::NoEncoder => f.write_str(
                "This decoder attends to the states of an encoder, which this page cannot run. Choose the encoder’s \
                 positions, or open the whole model.",
            ),
            Self::NoDetector => f.write_str(
                "The file does not detect replaced tokens. Open a discriminator of ELECTRA.",
            ),
            Self::Model(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ForwardError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Model(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ModelError> for ForwardError {
    fn from(error: ModelError) -> Self {
        Self::Model(error)
    }
}

impl From<CheckpointError> for ForwardError {
    fn from(error: CheckpointError) -> Self {
        Self::Model(error.into())
    }
}
