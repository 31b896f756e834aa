//! Well-known models by the kind of their positions, by their names on the Hugging Face Hub. Nothing of a model is
//! fetched before a visitor chooses it.

/// A model of the gallery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GalleryModel {
    /// Name on the Hub.
    pub name: &'static str,
    /// Name of the family that reads it, as in [`FAMILIES`](super::FAMILIES).
    pub family: &'static str,
    /// Rows and columns of the positions that it stores, of its first source. `None` if it stores none.
    pub shape: Option<(usize, usize)>,
    /// A feature to look for, in one sentence.
    pub look_for: &'static str,
}

const fn model(
    name: &'static str,
    family: &'static str,
    shape: Option<(usize, usize)>,
    look_for: &'static str,
) -> GalleryModel {
    GalleryModel {
        name,
        family,
        shape,
        look_for,
    }
}

/// Models by the kind of their positions.
pub const GALLERY: &[(&str, &[GalleryModel])] = &[
    (
        "Text encoders with a table",
        &[
            model(
                "google-bert/bert-base-uncased",
                "BERT",
                Some((512, 768)),
                "The oldest of the four tables in Figure 1 of the TISA paper.",
            ),
            model(
                "FacebookAI/roberta-base",
                "RoBERTa",
                Some((514, 768)),
                "Its first two rows encode no position.",
            ),
            model(
                "distilbert/distilbert-base-uncased",
                "DistilBERT",
                Some((512, 768)),
                "Half of BERT’s layers: compare its table with BERT’s.",
            ),
            model(
                "google/electra-small-discriminator",
                "ELECTRA",
                Some((512, 128)),
                "A narrow table, which a projection widens to 256 columns.",
            ),
            model(
                "albert/albert-base-v2",
                "ALBERT",
                Some((512, 128)),
                "Figure 3 of the TISA paper shows its heads. All layers share their weights.",
            ),
        ],
    ),
    (
        "Text decoders with a table",
        &[
            model(
                "openai-community/gpt2",
                "GPT-2",
                Some((1024, 768)),
                "A causal model: its heads look back only.",
            ),
            model(
                "EleutherAI/gpt-neo-125m",
                "GPT-2",
                Some((2048, 768)),
                "Every second layer sees a window of earlier tokens only.",
            ),
            model(
                "facebook/opt-125m",
                "OPT",
                Some((2050, 768)),
                "Positions begin in row 2 of the table.",
            ),
            model(
                "facebook/bart-base",
                "BART",
                Some((1026, 768)),
                "Encoder and decoder have a table each.",
            ),
        ],
    ),
    (
        "Scores by offset",
        &[
            model(
                "google-t5/t5-small",
                "T5",
                Some((32, 8)),
                "32 buckets of offsets for each head, which all layers share.",
            ),
            model(
                "microsoft/deberta-v3-base",
                "DeBERTa",
                Some((512, 768)),
                "Vectors for offsets; words and offsets meet in the scores only.",
            ),
            model(
                "microsoft/mpnet-base",
                "MPNet",
                Some((514, 768)),
                "A table and the buckets of T5 in one model.",
            ),
        ],
    ),
    (
        "Images and sound",
        &[
            model(
                "google/vit-base-patch16-224",
                "ViT",
                Some((197, 768)),
                "14 × 14 patches: similarity follows rows and columns of the image.",
            ),
            model(
                "facebook/deit-base-distilled-patch16-224",
                "ViT",
                Some((198, 768)),
                "DeiT, a ViT with a second extra token for distillation.",
            ),
            model(
                "microsoft/swin-tiny-patch4-window7-224",
                "Swin",
                Some((169, 3)),
                "Scores by (Δy, Δx) in windows of 7 × 7 patches, for each layer.",
            ),
            model(
                "microsoft/beit-base-patch16-224",
                "BEiT",
                Some((732, 12)),
                "Scores by (Δy, Δx) over the whole image of 14 × 14 patches.",
            ),
            model(
                "openai/clip-vit-base-patch32",
                "CLIP",
                Some((77, 512)),
                "Two models in one file: 77 positions of text, 7 × 7 patches of an image.",
            ),
            model(
                "openai/whisper-tiny",
                "Whisper",
                Some((1500, 384)),
                "The encoder’s table is computed, the decoder’s is learned.",
            ),
        ],
    ),
    (
        "Rotary",
        &[
            model(
                "EleutherAI/pythia-70m",
                "Rotary",
                None,
                "GPT-NeoX: a quarter of the columns of each head are rotated.",
            ),
            model(
                "HuggingFaceTB/SmolLM2-135M",
                "Rotary",
                None,
                "LLaMA’s layout: all columns of each head are rotated.",
            ),
            model(
                "answerdotai/ModernBERT-base",
                "Rotary",
                None,
                "An encoder with one base for global layers and another for local layers.",
            ),
        ],
    ),
];
