//! Kinds of tokenizers that are published as a vocabulary without `tokenizer.json`.

use crate::settings::TokenizerSettings;

/// A kind of tokenizer, called after the first model that had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenizerKind {
    Albert,
    Bert,
    Deberta,
    DebertaV2,
    Gpt,
    Gpt2,
    MpNet,
    Opt,
    Qwen2,
    Roberta,
    T5,
}

/// Classes of the transformers library that read each kind.
const CLASSES: &[(&str, TokenizerKind)] = &[
    ("AlbertTokenizer", TokenizerKind::Albert),
    ("BertTokenizer", TokenizerKind::Bert),
    ("DistilBertTokenizer", TokenizerKind::Bert),
    ("ElectraTokenizer", TokenizerKind::Bert),
    ("MobileBertTokenizer", TokenizerKind::Bert),
    ("DebertaTokenizer", TokenizerKind::Deberta),
    ("DebertaV2Tokenizer", TokenizerKind::DebertaV2),
    ("OpenAIGPTTokenizer", TokenizerKind::Gpt),
    ("CodeGenTokenizer", TokenizerKind::Gpt2),
    ("GPT2Tokenizer", TokenizerKind::Gpt2),
    ("MPNetTokenizer", TokenizerKind::MpNet),
    ("Qwen2Tokenizer", TokenizerKind::Qwen2),
    ("BartTokenizer", TokenizerKind::Roberta),
    ("LEDTokenizer", TokenizerKind::Roberta),
    ("LongformerTokenizer", TokenizerKind::Roberta),
    ("RobertaTokenizer", TokenizerKind::Roberta),
    ("MT5Tokenizer", TokenizerKind::T5),
    ("T5Tokenizer", TokenizerKind::T5),
];

/// Kinds of models that have each kind of tokenizer.
const MODELS: &[(&str, TokenizerKind)] = &[
    ("albert", TokenizerKind::Albert),
    ("bert", TokenizerKind::Bert),
    ("distilbert", TokenizerKind::Bert),
    ("electra", TokenizerKind::Bert),
    ("mobilebert", TokenizerKind::Bert),
    ("deberta", TokenizerKind::Deberta),
    ("deberta-v2", TokenizerKind::DebertaV2),
    ("openai-gpt", TokenizerKind::Gpt),
    ("codegen", TokenizerKind::Gpt2),
    ("gpt2", TokenizerKind::Gpt2),
    ("gpt_neo", TokenizerKind::Gpt2),
    ("gptj", TokenizerKind::Gpt2),
    ("phi", TokenizerKind::Gpt2),
    ("mpnet", TokenizerKind::MpNet),
    ("opt", TokenizerKind::Opt),
    ("qwen2", TokenizerKind::Qwen2),
    ("qwen2_moe", TokenizerKind::Qwen2),
    ("qwen3", TokenizerKind::Qwen2),
    ("qwen3_moe", TokenizerKind::Qwen2),
    ("bart", TokenizerKind::Roberta),
    ("led", TokenizerKind::Roberta),
    ("longformer", TokenizerKind::Roberta),
    ("roberta", TokenizerKind::Roberta),
    ("mt5", TokenizerKind::T5),
    ("t5", TokenizerKind::T5),
];

/// Classes that say nothing about the kind.
const GENERAL_CLASSES: &[&str] = &["PreTrainedTokenizer", "TokenizersBackend"];

/// Result of looking for a kind in settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StatedKind {
    /// The settings name this kind.
    Known(TokenizerKind),
    /// The settings name another kind.
    Other(String),
    /// The settings name none.
    Unstated,
}

impl StatedKind {
    /// The kind that settings name: by the class that reads the tokenizer, else by the kind of model.
    pub(crate) fn read(settings: &TokenizerSettings) -> Self {
        // OPT is read by the class of GPT-2, but begins its texts with a token.
        if settings.model_type() == Some("opt") {
            return Self::Known(TokenizerKind::Opt);
        }
        let class = settings
            .class()
            .filter(|class| !GENERAL_CLASSES.contains(class));
        let (name, kinds) = match (class, settings.model_type()) {
            (Some(class), _) => (class, CLASSES),
            (None, Some(model)) => (model, MODELS),
            (None, None) => return Self::Unstated,
        };
        let kind = kinds.iter().find(|(known, _)| *known == name);
        kind.map_or_else(
            || Self::Other(name.to_owned()),
            |(_, kind)| Self::Known(*kind),
        )
    }
}
