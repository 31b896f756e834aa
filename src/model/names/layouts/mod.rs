//! Layouts of libraries, in the order in which they are tried. Each file of this folder has those of one kind
//! of model, or of one library.

mod images;
mod language;
mod llama_cpp;
mod speech;

use super::layout::LibraryLayout;

/// Every layout. Names that a family does not read are left as they are.
pub(super) const LAYOUTS: &[LibraryLayout] = &[
    images::TORCHVISION_VIT,
    images::MMPRETRAIN_VIT,
    images::MMPRETRAIN_VIT_SEPARATE,
    images::BIG_VISION,
    images::VIT_PYTORCH,
    images::OLD_VIT_PYTORCH,
    speech::WHISPER,
    language::FAIRSEQ_ROBERTA,
    language::BIOGPT,
    llama_cpp::LLAMA_CPP_T5,
    llama_cpp::LLAMA_CPP_VISION,
    language::GPT_FROM_SCRATCH,
    language::X_TRANSFORMERS,
    images::DIFFUSION,
];
