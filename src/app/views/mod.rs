//! The views: which figures stand where, and what controls change them.
//!
//! A view is a component that asks the engine what it shows and lays figures out. What several views share
//! stands in `matrix_controls`, `profiles` and `no_heads`.

mod block_value_range;
mod compare;
mod encodings;
mod head_grid;
mod heads;
mod images;
mod kernels;
mod lessons;
mod matrix_controls;
mod no_heads;
mod position_details;
mod positions;
mod profiles;
mod training;
mod waves;

pub(super) use compare::CompareView;
pub(super) use encodings::EncodingsView;
pub(super) use heads::HeadsView;
pub(super) use images::ImagesView;
pub(super) use kernels::KernelsView;
pub(super) use lessons::LessonsView;
pub(super) use position_details::{GridProfileSection, TableFigures};
pub(super) use positions::PositionsView;
pub(super) use training::TrainingView;
pub(super) use waves::WavesView;

use leptos::prelude::*;

/// Whether the person asked their system for less motion.
fn wants_less_motion() -> bool {
    let query = window().match_media("(prefers-reduced-motion: reduce)");
    query.ok().flatten().is_some_and(|query| query.matches())
}
