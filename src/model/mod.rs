//! Detection of models in checkpoints, their positions, and the scores of their heads. Independent of the browser;
//! reads bytes only as tensors.
//!
//! A [`Family`] describes where a kind of model stores its positions, queries and keys, and the steps in between, as
//! one or several [`SourceDescription`]s. [`PositionModel::open`] finds the family of a checkpoint and reads the
//! positions of one source. [`PositionModel::read_inputs`], [`PositionModel::read_layer`] and
//! [`PositionModel::read_offset_scores`] read the rest when heads are requested, and [`LayerScores`] gives the scores
//! of each head. Tensors are read through [`Weights`](crate::checkpoint::Weights), which files and in-memory
//! checkpoints implement.
//!
//! Families of language models and of `ViT` describe the whole model as well, as a [`ModelDescription`]: its embedding,
//! its blocks, and what predicts words. [`LayerTensors`] is the part of a block that scores need.
//! [`ModelDescription::check`] compares a description with the shapes of a file's tensors.
//!
//! Everything that was inferred, dropped, applied or left out is reported in a [`Note`], with a switch if it is
//! optional.
//!
//! Weight matrices are returned as `[in, out]`, so that they act as `x·W`.
//!
//! To add a family, add one file in `families/` that implements [`Family`], and one line in [`FAMILIES`].

mod activation;
mod attention_description;
mod attention_positions;
mod block_check;
mod block_description;
mod center_source;
mod chosen_table;
mod config;
mod config_part;
mod convolution_description;
mod corrections;
mod detect;
mod detection_input;
mod error;
mod experts_check;
mod experts_description;
mod families;
mod family;
mod feed_forward_description;
mod gallery;
mod glue_scores;
mod head_count;
mod heads;
mod image_heads;
mod inputs;
mod kernels;
mod layer_scores;
mod layer_tensors;
pub(crate) mod linear;
mod model_description;
mod model_sample;
mod names;
mod norm_description;
mod paper;
mod parts;
mod patch_heads;
mod patch_rotation;
mod performance;
mod position_model;
mod position_tensors;
mod positions;
mod prediction_head;
mod preset;
mod quantisation;
mod query_statistics;
pub(crate) mod read;
mod read_inputs;
mod relative;
mod replaced_word_head;
mod residual_description;
mod rotary_description;
pub mod rotary_findings;
mod rotary_tensors;
mod source;
mod source_blocks;
mod source_notes;
mod source_positions;
mod special_rows;
mod stored_table;
mod stored_weight;
mod tables;
mod versions;
mod wave_scores;
mod window_index;
mod window_scores;
pub(crate) mod words;

pub use activation::Activation;
pub use attention_description::{AttentionDescription, HeadCounts, QueryKeyNorms, ScoreScale};
pub use attention_positions::{
    AttentionPositions, DistanceMap, DistanceTerms, RotaryPairs, RotationDescription,
};
pub use block_check::BlockSizes;
pub use block_description::BlockDescription;
pub use center_source::CenterSource;
pub use config::Config;
pub use convolution_description::ConvolutionDescription;
pub use corrections::{CORRECTIONS, Correction, ModelOptions, Note};
pub use detection_input::{DetectionInput, Model, PeekedValues};
pub use error::ModelError;
pub use experts_description::ExpertsDescription;
pub use families::FAMILIES;
use families::TABLE;
pub use family::{Detection, Family};
pub use feed_forward_description::FeedForwardDescription;
pub use gallery::{GALLERY, GalleryModel};
pub use glue_scores::{GLUE_KERNELS, GLUE_SCORES, GlueRow, GlueScores};
pub use heads::{Heads, HeadsSource};
pub use inputs::{HiddenStates, InputShares, InputStep, Inputs, LayerNorm, Projection, ScoreMode};
pub use layer_scores::{DistanceScores, HeadLayout, LayerScores, QueriesAndKeys};
pub use layer_tensors::{Cut, LayerTensors, LinearTensors};
pub use linear::LayerWeights;
pub use model_description::{EmbeddingContent, EmbeddingDescription, ModelDescription};
pub use model_sample::{MODEL_SAMPLES, ModelSample};
pub use norm_description::{NormDescription, NormKind};
pub use paper::{PAPER_MODELS, PaperModel};
pub use patch_rotation::{HeadFrequencies, PatchFrequencies, PatchRotation};
pub use performance::published_performance;
pub use position_model::PositionModel;
pub use position_tensors::{
    AxisTensors, Distances, GaussianTensors, KernelTensors, Leading, OffsetVectors, OffsetWaves,
    PositionTensors, TokenRows, WaveTensors, WaveTerm, WindowLayout,
};
use positions::USUAL_LENGTH;
pub use positions::{OffsetRows, PositionKind, PositionSource, PositionTable};
pub use prediction_head::{HeadTransform, PredictionHead};
pub use preset::{PRESETS, Preset, SITE_MODELS, SiteModel};
pub use query_statistics::{HeadQuerySizes, QueryStatistics, VECTOR_ENDINGS};
pub use read_inputs::norm_tensors;
pub use replaced_word_head::ReplacedWordHead;
pub use residual_description::ResidualDescription;
pub use rotary_description::{LayerAngles, RotaryAxis, RotaryDescription, RotaryLayer};
pub(crate) use rotary_tensors::STILL;
pub use rotary_tensors::{AngleDivisors, RotaryTensors};
pub use source::{ContentInput, PreprocessStep, SourceDescription};
pub use stored_table::SCALED_NUMBERS;
pub use stored_weight::StoredWeight;
pub use tables::{norms, tables};
pub use versions::is_next_version;
pub use words::Estimate;
