//! TISA kernels, pulled live: f(k), `F_P`, and the attention they make.

mod fit;
mod fit_figures;
mod fit_grid;
mod fits;
mod first_layer;

use self::{first_layer::FirstLayer, fit::FitControls, fit_figures::FitFigures, fits::KernelFits};
use crate::app::state::State;
use leptos::prelude::*;

mod attention {
    use crate::figure::ColorMap;

    /// Attention is never negative: the lower half of a diverging map would be empty.
    pub(super) fn of_attention(map: ColorMap) -> ColorMap {
        if map.is_diverging() {
            ColorMap::Viridis
        } else {
            map
        }
    }
}

/// The part of the view that is about fits.
#[component]
pub(in crate::app) fn Kernels() -> impl IntoView {
    let state = State::from_context();
    state.settle(|link| &mut link.kernel_questions);
    let _ = KernelFits::provide(state);
    view! {
        <div class="view kernels">
            <div class="column">
                <FitControls/>
            </div>
            <div class="column">
                <div class="fits-part">
                    <FitFigures/>
                    <FirstLayer/>
                </div>
            </div>
        </div>
    }
}
