//! Predictions of words from a model's last states.

use super::{Activation, LinearTensors, Model, NormDescription};

/// Scores of words: norm(a(dense(x)))·Wᵀ + b, with the transform left out in models that predict the next word.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictionHead {
    /// Transform before the words.
    pub transform: Option<HeadTransform>,
    /// Name of the word table W, [vocabulary, width]; that of the embedding if the two are tied.
    pub words: String,
    /// Name of the bias b, one number per word.
    pub bias: Option<String>,
}

/// Transform of states before they meet words.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadTransform {
    /// Linear map.
    pub dense: LinearTensors,
    /// Activation of its outputs.
    pub activation: Activation,
    /// Norm of the activations.
    pub norm: NormDescription,
}

/// Names of a head that predicts masked words.
struct MaskedHead {
    dense: &'static str,
    norm: &'static str,
    bias: &'static str,
    /// Word table of models whose words are not tied.
    words: &'static str,
    /// Whether its activation is that of the configuration; otherwise it is GELU.
    is_configured: bool,
}

/// Heads of BERT and `DeBERTa`; `RoBERTa` and `MPNet`; ALBERT; `DistilBERT`; ELECTRA's generator; `DeBERTa` as its
/// authors store it; `ModernBERT`.
const MASKED_HEADS: &[MaskedHead] = &[
    MaskedHead {
        dense: "cls.predictions.transform.dense",
        norm: "cls.predictions.transform.LayerNorm",
        bias: "cls.predictions.bias",
        words: "cls.predictions.decoder.weight",
        is_configured: true,
    },
    MaskedHead {
        dense: "lm_head.dense",
        norm: "lm_head.layer_norm",
        bias: "lm_head.bias",
        words: "lm_head.decoder.weight",
        is_configured: false,
    },
    MaskedHead {
        dense: "predictions.dense",
        norm: "predictions.LayerNorm",
        bias: "predictions.bias",
        words: "predictions.decoder.weight",
        is_configured: true,
    },
    MaskedHead {
        dense: "vocab_transform",
        norm: "vocab_layer_norm",
        bias: "vocab_projector.bias",
        words: "vocab_projector.weight",
        is_configured: true,
    },
    MaskedHead {
        dense: "generator_predictions.dense",
        norm: "generator_predictions.LayerNorm",
        bias: "generator_lm_head.bias",
        words: "generator_lm_head.weight",
        is_configured: false,
    },
    MaskedHead {
        dense: "lm_predictions.lm_head.dense",
        norm: "lm_predictions.lm_head.LayerNorm",
        bias: "lm_predictions.lm_head.bias",
        words: "lm_predictions.lm_head.weight",
        is_configured: true,
    },
    MaskedHead {
        dense: "head.dense",
        norm: "head.norm",
        bias: "decoder.bias",
        words: "decoder.weight",
        is_configured: true,
    },
];

impl PredictionHead {
    /// The head for masked words of a model, if there is one. `words` is the word table of the embedding.
    #[must_use]
    pub fn for_masked_words(
        model: &Model<'_>,
        words: &str,
        activation: Activation,
        epsilon: f64,
    ) -> Option<Self> {
        let outer = model.outer();
        let dense = |head: &&MaskedHead| outer.has(&format!("{}.weight", head.dense));
        let head = MASKED_HEADS.iter().find(dense)?;
        Some(Self {
            transform: Some(HeadTransform {
                dense: LinearTensors::new(&outer, head.dense),
                activation: if head.is_configured {
                    activation
                } else {
                    Activation::Gelu
                },
                norm: NormDescription::layer(&outer, head.norm, epsilon),
            }),
            // Tied unless the configuration says otherwise: files often hold a copy of the words.
            words: own_words(&outer, &[head.words])
                .filter(|_| model.config().flag("tie_word_embeddings") == Some(false))
                .unwrap_or_else(|| words.to_owned()),
            bias: outer.optional(head.bias),
        })
    }

    /// The head for the next word: the table of words, or one of these tables beside the model; `None` if the
    /// configuration says that words are not tied and the file has none of them. Without a configuration, `is_tied` is
    /// the family's default for files without a table of their own.
    #[must_use]
    pub fn causal(model: &Model<'_>, words: &str, own: &[&str], is_tied: bool) -> Option<Self> {
        // The text of a model for pictures is one level deeper than its head.
        let outer = model.outer();
        let own = own_words(&outer, own).or_else(|| own_words(&outer.outer(), own));
        let table = match (model.config().flag("tie_word_embeddings"), own) {
            (Some(true), _) => words.to_owned(),
            (_, Some(own)) => own,
            (Some(false), None) => return None,
            (None, None) => is_tied.then(|| words.to_owned())?,
        };
        Some(Self {
            transform: None,
            words: table,
            bias: None,
        })
    }

    /// Adds the first of these biases that the model has.
    #[must_use]
    pub fn bias(mut self, model: &Model<'_>, name: &str) -> Self {
        self.bias = model.outer().optional(name);
        self
    }
}

fn own_words(outer: &Model<'_>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| outer.optional(name))
}
