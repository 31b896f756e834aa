//! Tests of the source itself: its layers and its names.

pub(crate) mod layers;
pub(crate) mod names;
