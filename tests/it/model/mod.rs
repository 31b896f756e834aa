//! Tests of `model`.

pub(crate) mod attention_cnn;
pub(crate) mod blocks;
pub(crate) mod entering_states;
pub(crate) mod families;
pub(crate) mod gallery;
mod glue_scores;
pub(crate) mod long_names;
pub(crate) mod model_golden;
pub(crate) mod model_reading;
pub(crate) mod model_refusals;
pub(crate) mod model_relative;
mod patch_heads;
pub(crate) mod quantised_models;
pub(crate) mod real_files;
mod rotary_findings;
pub(crate) mod rotary_grids;
pub(crate) mod rotary_layers;
pub(crate) mod sample_golden;
mod versions;
