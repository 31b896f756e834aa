//! Tests of `analysis`.

pub(crate) mod attention_drafts;
pub(crate) mod block_ranges;
pub(crate) mod cache;
pub(crate) mod close_model;
pub(crate) mod criteria;
pub(crate) mod fit_caveats;
pub(crate) mod fits;
pub(crate) mod golden_minilm;
pub(crate) mod gpu;
pub(crate) mod head_entropies;
pub(crate) mod head_pairs;
pub(crate) mod jobs;
pub(crate) mod parameter_count;
pub(crate) mod patch_maps;
pub(crate) mod permutation;
pub(crate) mod priorities;
pub(crate) mod questions;
pub(crate) mod rotary_frequencies;
pub(crate) mod rotary_heads;
pub(crate) mod session;
pub(crate) mod snapshots;
pub(crate) mod text_parts;
pub(crate) mod text_questions;
pub(crate) mod text_runs;
pub(crate) mod training_run;
pub(crate) mod wave_questions;
