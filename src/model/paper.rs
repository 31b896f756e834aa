//! The models in the figures of “The Case for Translation-Invariant Self-Attention in Transformer-Based Language
//! Models” (Wennberg and Henter, ACL 2021), by their names on the Hugging Face Hub.

/// A model of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaperModel {
    /// Name on the Hub.
    pub name: &'static str,
    /// Rows and columns of its position table, which is stored in single precision.
    pub shape: (usize, usize),
}

impl PaperModel {
    /// Size of the position table in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.shape.0 * self.shape.1 * size_of::<f32>()
    }

    /// Name without the owner.
    #[must_use]
    pub fn short_name(&self) -> &'static str {
        self.name.rsplit('/').next().unwrap_or(self.name)
    }
}

const fn model(name: &'static str, rows: usize, width: usize) -> PaperModel {
    PaperModel {
        name,
        shape: (rows, width),
    }
}

const ALBERT_BASE_V1: PaperModel = model("albert/albert-base-v1", 512, 128);
const ALBERT_XXLARGE_V2: PaperModel = model("albert/albert-xxlarge-v2", 512, 128);
const BERT_BASE_UNCASED: PaperModel = model("google-bert/bert-base-uncased", 512, 768);
const ROBERTA_BASE: PaperModel = model("FacebookAI/roberta-base", 514, 768);

/// Models by the figure of the paper that shows them. Those of Figure 1 also appear in a later one.
pub const PAPER_MODELS: &[(&str, &[PaperModel])] = &[
    (
        "Figure 1: oldest to newest",
        &[
            BERT_BASE_UNCASED,
            ROBERTA_BASE,
            ALBERT_BASE_V1,
            ALBERT_XXLARGE_V2,
        ],
    ),
    (
        "Figure 4: BERT, ELECTRA and RoBERTa",
        &[
            model("google-bert/bert-base-cased", 512, 768),
            BERT_BASE_UNCASED,
            model("google-bert/bert-large-cased", 512, 1024),
            model("google-bert/bert-large-uncased", 512, 1024),
            model("google/electra-small-discriminator", 512, 128),
            model("google/electra-large-discriminator", 512, 1024),
            ROBERTA_BASE,
            model("FacebookAI/roberta-large", 514, 1024),
        ],
    ),
    (
        "Figure 5: ALBERT, v1 to v2",
        &[
            ALBERT_BASE_V1,
            model("albert/albert-large-v1", 512, 128),
            model("albert/albert-xlarge-v1", 512, 128),
            model("albert/albert-xxlarge-v1", 512, 128),
            model("albert/albert-base-v2", 512, 128),
            model("albert/albert-large-v2", 512, 128),
            model("albert/albert-xlarge-v2", 512, 128),
            ALBERT_XXLARGE_V2,
        ],
    ),
    (
        "Other models",
        &[
            model("allenai/longformer-base-4096", 4098, 768),
            model("allenai/longformer-large-4096", 4098, 1024),
            model("KB/bert-base-swedish-cased", 512, 768),
            model("KB/albert-base-swedish-cased-alpha", 512, 128),
        ],
    ),
];
