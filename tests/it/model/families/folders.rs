//! Expected contents of the checkpoints with golden numbers.

/// A folder, its family, and its sources: identifier, contents, layers, heads.
pub(super) type Expected = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str, usize, u32)],
);

pub(super) const FOLDERS: &[Expected] = &[
    ("albert", "ALBERT", &[("positions", "96 × 32", 1, 4)]),
    (
        "attention-cnn",
        "attention-cnn",
        &[("positions", "window 5 × 6", 3, 4)],
    ),
    (
        "attention-cnn-learned",
        "attention-cnn",
        &[("positions", "window 5 × 6", 2, 4)],
    ),
    (
        "bart",
        "BART",
        &[("encoder", "96 × 64", 2, 4), ("decoder", "96 × 64", 2, 4)],
    ),
    (
        "bart-scaled",
        "BART",
        &[("encoder", "40 × 24", 1, 4), ("decoder", "40 × 24", 1, 4)],
    ),
    ("beit", "BEiT", &[("positions", "window 6 × 6", 2, 4)]),
    (
        "beit-shared",
        "BEiT",
        &[
            ("positions", "36 × 32, patches 6 × 6", 2, 4),
            ("bias", "window 6 × 6", 1, 4),
        ],
    ),
    ("bert", "BERT", &[("positions", "96 × 64", 2, 4)]),
    ("bert-bf16", "BERT", &[("positions", "40 × 32", 2, 4)]),
    ("bert-f16", "BERT", &[("positions", "96 × 64", 2, 4)]),
    ("bert-old-names", "BERT", &[("positions", "40 × 32", 2, 4)]),
    (
        "clip",
        "CLIP",
        &[
            ("text", "32 × 24", 2, 3),
            ("vision", "36 × 16, patches 6 × 6", 2, 2),
        ],
    ),
    (
        "deberta",
        "DeBERTa",
        &[("positions", "distances to 24", 2, 4)],
    ),
    (
        "deberta-v2",
        "DeBERTa",
        &[("positions", "distances to 8, shared", 2, 4)],
    ),
    (
        "deit",
        "ViT",
        &[("positions", "36 × 32, patches 6 × 6", 2, 4)],
    ),
    (
        "distilbert",
        "DistilBERT",
        &[("positions", "96 × 64", 2, 4)],
    ),
    ("electra", "ELECTRA", &[("positions", "96 × 32", 2, 4)]),
    ("gpt2", "GPT-2", &[("positions", "96 × 64", 2, 4)]),
    ("gpt2-masks", "GPT-2", &[("positions", "32 × 32", 2, 4)]),
    (
        "gpt2-masks-prefix",
        "GPT-2",
        &[("positions", "32 × 32", 2, 4)],
    ),
    ("llama", "Rotary", &[]),
    (
        "longformer",
        "Longformer",
        &[("positions", "48 × 24", 2, 4), ("global", "48 × 24", 2, 4)],
    ),
    (
        "mbart",
        "BART",
        &[("encoder", "40 × 24", 1, 4), ("decoder", "40 × 24", 1, 4)],
    ),
    ("modernbert", "Rotary", &[]),
    (
        "mpnet",
        "MPNet",
        &[
            ("positions", "48 × 32", 2, 4),
            ("bias", "32 buckets to 128, both ways", 1, 4),
        ],
    ),
    ("openai-gpt", "GPT", &[("positions", "40 × 24", 2, 4)]),
    ("opt", "OPT", &[("positions", "48 × 32", 2, 4)]),
    ("opt-projected", "OPT", &[("positions", "48 × 32", 2, 4)]),
    ("roberta", "RoBERTa", &[("positions", "96 × 64", 2, 4)]),
    (
        "swin",
        "Swin",
        &[
            ("stage-1", "window 7 × 7", 2, 2),
            ("stage-2", "window 7 × 7", 2, 4),
        ],
    ),
    ("swinv2", "Swin v2", &[]),
    (
        "t5",
        "T5",
        &[
            ("encoder", "32 buckets to 128, both ways", 1, 4),
            ("decoder", "32 buckets to 128", 1, 4),
        ],
    ),
    (
        "timm-deit3",
        "timm ViT",
        &[("positions", "36 × 32, patches 6 × 6", 2, 4)],
    ),
    (
        "timm-vit",
        "timm ViT",
        &[("positions", "36 × 32, patches 6 × 6", 2, 4)],
    ),
    ("tisa", "TISA", &[("positions", "kernels", 11, 4)]),
    (
        "vit",
        "ViT",
        &[("positions", "64 × 64, patches 8 × 8", 2, 4)],
    ),
    (
        "whisper",
        "Whisper",
        &[("encoder", "40 × 24", 1, 4), ("decoder", "32 × 24", 1, 4)],
    ),
    ("xlm-roberta", "RoBERTa", &[("positions", "48 × 32", 2, 4)]),
];
