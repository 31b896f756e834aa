//! Tests of the source itself: its layers, its names, its presets, and the completeness of its figures.

pub(crate) mod figures;
mod late_events;
pub(crate) mod layers;
pub(crate) mod names;
pub(crate) mod presets;
