//! Model families, one per file: the names of their position tensors, queries and keys, and the steps in between; of
//! language models and `ViT` also their blocks.

mod albert;
mod alibi;
mod attention_cnn;
mod bart;
mod beit;
mod bert;
mod clip;
mod deberta;
mod distilbert;
mod electra;
mod gguf;
mod gpt;
mod gpt2;
mod longformer;
mod mpnet;
mod open_clip;
mod opt;
mod position_type;
mod relative_keys;
mod roberta;
mod rotary;
mod rotary_blocks;
mod rotary_extension;
mod rotary_layers;
mod rotary_layouts;
mod rotary_notes;
mod swin;
mod swin_v2;
mod t5;
mod timm_vit;
mod tisa;
mod vit;
mod wav2vec2;
mod whisper;

pub(super) use bert::TABLE;

use super::{
    Activation, AngleDivisors, AttentionDescription, AttentionPositions, AxisTensors,
    BlockDescription, Config, ConvolutionDescription, Correction, Cut, Detection, DetectionInput,
    DistanceMap, DistanceTerms, Distances, EmbeddingContent, EmbeddingDescription, Family,
    FeedForwardDescription, GaussianTensors, HeadCounts, KernelTensors, LayerTensors, Leading,
    LinearTensors, Model, ModelDescription, NormDescription, Note, OffsetVectors, PositionTensors,
    PredictionHead, PreprocessStep, QueryKeyNorms, ReplacedWordHead, ResidualDescription,
    RotaryPairs, RotaryTensors, RotationDescription, ScoreScale, SourceDescription, TokenRows,
    head_count,
};

/// Detects the family of a checkpoint and its position sources. A position type in the configuration takes precedence
/// over the names of tensors.
pub(super) fn find(clues: &DetectionInput<'_>) -> Option<(&'static str, Detection)> {
    let by_names = || {
        let mut families = FAMILIES.iter();
        families.find_map(|family| Some((family.name(), family.find(clues)?)))
    };
    position_type::decide(clues).or_else(by_names)
}

/// Every family, in the order in which they are tried: those with the most specific names first, those recognised by
/// the configuration alone last.
pub const FAMILIES: &[&dyn Family] = &[
    &tisa::Tisa,
    &attention_cnn::AttentionCnn,
    &albert::Albert,
    &deberta::Deberta,
    &mpnet::MpNet,
    &longformer::Longformer,
    &electra::Electra,
    &distilbert::DistilBert,
    &relative_keys::RelativeKeys,
    &roberta::Roberta,
    &bert::Bert,
    &clip::Clip,
    &open_clip::OpenClip,
    &whisper::Whisper,
    &opt::Opt,
    &bart::Bart,
    &t5::T5,
    &swin::Swin,
    &swin_v2::SwinV2,
    &beit::Beit,
    &vit::Vit,
    &timm_vit::TimmVit,
    &gpt2::Gpt2,
    &gpt::Gpt,
    &gguf::Gguf,
    &wav2vec2::Wav2Vec2,
    &alibi::AlibiFamily,
    &rotary::RotaryFamily,
];
