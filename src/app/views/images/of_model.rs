//! What the open model's heads and patches have of a convolution.

use leptos::prelude::*;

/// Figures of the open model.
#[component]
pub(super) fn ModelFigures() -> impl IntoView {}
