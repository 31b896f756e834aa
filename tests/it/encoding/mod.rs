//! Tests of `encoding`.

pub(crate) mod encoding_parameters;
pub(crate) mod encoding_profiles;
mod patch_scores;
pub(crate) mod relative;
mod rotary_angles;
mod rotary_reach;
