//! Model families, one per file: the names of their position tensors, queries and keys, and the steps in between; of
//! language models and `ViT` also their blocks.

mod albert;
mod alibi;
mod angle_sections;
mod attention_cnn;
mod axial;
mod bart;
mod beit;
mod bert;
mod bert_buckets;
mod clip;
mod deberta;
mod distilbert;
mod electra;
mod gguf;
mod gpt;
mod gpt2;
mod levit;
mod longformer;
mod maxvit;
mod megatron;
mod mpnet;
mod open_clip;
mod opt;
mod patch_layers;
mod patch_source;
mod position_type;
mod relative_keys;
mod roberta;
mod rotary;
mod rotary_axes;
mod rotary_bases;
mod rotary_blocks;
mod rotary_defaults;
mod rotary_description;
mod rotary_extension;
mod rotary_layers;
mod rotary_layouts;
mod rotary_notes;
mod rotary_widths;
mod stored_encoding;
mod swin;
mod swin_v2;
mod t5;
mod timm_config;
mod timm_rotation;
mod timm_vit;
mod tisa;
mod transformer_xl;
mod vision_towers;
mod vit;
mod wav2vec2;
mod whisper;

pub(super) use bert::TABLE;
pub(super) use rotary_extension::SCALE_FLAGS;

use super::{
    Activation, AngleDivisors, AttentionDescription, AttentionPositions, AxisTensors,
    BlockDescription, Config, ContentInput, ConvolutionDescription, Correction, Cut, Detection,
    DetectionInput, DistanceMap, DistanceTerms, Distances, EmbeddingContent, EmbeddingDescription,
    ExpertsDescription, Family, FeedForwardDescription, GaussianTensors, HeadCounts, KernelTensors,
    LayerAngles, LayerTensors, Leading, LinearTensors, Model, ModelDescription, NormDescription,
    Note, OffsetVectors, OffsetWaves, PatchFrequencies, PatchRotation, PositionTensors,
    PredictionHead, PreprocessStep, QueryKeyNorms, ReplacedWordHead, ResidualDescription,
    RotaryAxis, RotaryDescription, RotaryLayer, RotaryPairs, RotaryTensors, RotationDescription,
    ScoreScale, SourceDescription, TokenRows, WaveTensors, WaveTerm, WindowLayout, head_count,
    source::NO_HEADS,
};

/// The family and positions that a configuration's position type requires, which takes precedence over the names of
/// tensors; `None` without one.
pub(super) fn decide_by_type(clues: &DetectionInput<'_>) -> Option<(&'static str, Detection)> {
    position_type::decide(clues)
}

/// Every family, in the order in which they are tried: those with the most specific names first, those recognised by
/// the configuration alone last. See [`super::parts`].
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
    &maxvit::MaxVit,
    &levit::LeVit,
    &beit::Beit,
    &vit::Vit,
    &timm_vit::TimmVit,
    &gpt2::Gpt2,
    &gpt::Gpt,
    &megatron::Megatron,
    &transformer_xl::TransformerXlFamily,
    &gguf::Gguf,
    &stored_encoding::StoredEncoding,
    &axial::Axial,
    &wav2vec2::Wav2Vec2,
    &alibi::AlibiFamily,
    &rotary::RotaryFamily,
];
