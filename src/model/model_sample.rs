//! Trained models that ship with the page as samples, beside the model that the page opens by default. Their files are
//! fetched only if a visitor chooses one or a link names it.

/// Presets that are opened together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelSample {
    /// Name in the list of samples.
    pub title: &'static str,
    /// Identifiers of the presets, in the order in which they are opened. The first is shown.
    pub presets: &'static [&'static str],
    /// A feature to look for, in one or two sentences.
    pub look_for: &'static str,
}

/// Every sample, in the order of the list.
pub const MODEL_SAMPLES: &[ModelSample] = &[
    ModelSample {
        title: "rxnmapper",
        presets: &["rxnmapper"],
        look_for: "An ALBERT of chemical reactions. All layers share their heads.",
    },
    ModelSample {
        title: "sapiens-vh",
        presets: &["sapiens-vh"],
        look_for: "A RoBERTa of antibodies, which all have about one length.",
    },
    ModelSample {
        title: "rxnfp: three tables",
        presets: &["rxnfp-pretrained", "rxnfp-ft-10k", "rxnfp-ft"],
        look_for: "What does fine-tuning change? A BERT before it and after, in Compare and Training.",
    },
];
