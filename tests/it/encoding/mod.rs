//! Tests of `encoding`.

pub(crate) mod encoding_parameters;
pub(crate) mod encoding_profiles;
pub(crate) mod relative;
mod rotary_angles;
mod rotary_reach;
