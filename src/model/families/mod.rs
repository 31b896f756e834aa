//! One file, one family: where it keeps its positions, its queries and keys, and what stands between.

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
mod roberta;
mod rotary;
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
    AxisTensors, Clues, Config, Cut, Distances, Family, FeedForwardTensors, Found, GaussianTensors,
    KernelTensors, LayerTensors, Leading, LinearTensors, Model, Note, PositionTensors,
    SourceDescription, Step, head_count,
};

/// Every family that is recognised, asked in this order: the one with the plainest signs first. Those that
/// go by the configuration alone come last.
pub const FAMILIES: &[&dyn Family] = &[
    &tisa::Tisa,
    &attention_cnn::AttentionCnn,
    &albert::Albert,
    &deberta::Deberta,
    &mpnet::MpNet,
    &longformer::Longformer,
    &electra::Electra,
    &distilbert::DistilBert,
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
