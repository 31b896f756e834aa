//! The views of the page.
//!
//! A view is a component that asks the query client for its answers and lays out figures and controls. Parts shared by
//! several views are in `matrix_controls`, `tiled_matrix`, `profiles`, `figure_fold`, `parameter_count` and `no_heads`.

mod attention_sinks;
mod block_value_range;
mod center_choice;
mod collapsible_section;
mod compare;
mod encodings;
mod figure_fold;
mod grid_buttons;
mod head_attention;
mod head_grid;
mod heads;
mod images;
mod kernels;
mod layer_sections;
mod matrix_controls;
mod matrix_transition;
mod no_heads;
mod parameter_count;
mod position_answers;
mod position_budget;
mod position_details;
mod positions;
mod profiles;
mod rotary;
mod score_terms;
mod second_head;
mod text;
mod tiled_matrix;
mod training;
mod waves;

pub(super) use positions::PositionsView;

use crate::{
    app::{
        display::root::matches_media,
        lazy::{LazyView, lazy_view},
    },
    url_state::View,
};
use leptos::prelude::*;

lazy_view! { const HEADS = heads::HeadsView in models; }
lazy_view! { const TEXT = text::TextView in text; }
lazy_view! {
    /// The run over a text for the mean queries and keys of rotary heads.
    const TEXT_MEANS = text::TextMeans in text;
}
lazy_view! { const KERNELS = kernels::KernelsView in kernels; }
lazy_view! { const ENCODINGS = encodings::EncodingsView in encodings; }
lazy_view! { const WAVES = waves::WavesView in waves; }
lazy_view! { const IMAGES = images::ImagesView in waves; }
lazy_view! { const COMPARE = compare::CompareView in models; }
lazy_view! { const TRAINING = training::TrainingView in training; }

/// Builds the view that the link in the context's [`PageState`](crate::app::state::PageState) names. The page
/// provides it as context for lessons, which build the view of their next step in advance.
#[derive(Debug, Clone, Copy)]
pub(super) struct ViewRenderer(pub(super) fn() -> AnyView);

/// Returns the lazy part that holds a view; `None` for positions, which are in the first download, and for lessons.
pub(super) fn part_of(view: View) -> Option<LazyView> {
    Some(match view {
        View::Positions | View::Lessons => return None,
        View::Heads => HEADS,
        View::Text => TEXT,
        View::Kernels => KERNELS,
        View::Encodings => ENCODINGS,
        View::Waves => WAVES,
        View::Images => IMAGES,
        View::Compare => COMPARE,
        View::Training => TRAINING,
    })
}

/// Whether the system setting “reduced motion” is on.
fn wants_less_motion() -> bool {
    matches_media("(prefers-reduced-motion: reduce)")
}
