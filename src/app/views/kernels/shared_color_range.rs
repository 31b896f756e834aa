//! Maps that stand side by side to be compared: one range of colours for all of them, so that the same colour is the
//! same number, unless each is to have its own.

use crate::{
    app::{
        controls::drag::{DragState, FrozenScale},
        figure::view::{AnyFigure, picture, ready},
        state::page::PageState,
        views::matrix_controls::LinkedSegmented,
    },
    figure::{Heatmap, ValueRange},
};
use leptos::prelude::*;

/// The range that maps share.
#[derive(Clone, Copy)]
pub(super) struct OneRange {
    own: Memo<bool>,
    shown: Memo<Option<(f64, f64)>>,
}

impl OneRange {
    /// Of all maps that are there. It holds still while a slider is pulled.
    pub(super) fn of(
        state: PageState,
        maps: impl Fn() -> Vec<Heatmap> + Send + Sync + 'static,
    ) -> Self {
        let natural = move || {
            let ranges = maps().into_iter().map(|map| map.range());
            ValueRange::of_all(ranges).map(|range| range.shown)
        };
        Self {
            own: state.part(|link| link.kernel_questions.get().own_colours),
            shown: DragState::from_context().hold(natural),
        }
    }

    /// One of the maps as it is drawn.
    pub(super) fn apply(self, map: Heatmap) -> Heatmap {
        match self.shown.get().filter(|_| !self.own.get()) {
            Some(shown) => map.spanning(shown),
            None => map,
        }
    }

    /// One of the maps as a figure. With a range of its own, too, it holds still while a slider is pulled.
    pub(super) fn draw(
        self,
        map: impl Fn() -> Option<Heatmap> + Send + Sync + 'static,
    ) -> Signal<Option<AnyFigure>> {
        let scale = FrozenScale::new();
        picture(move || {
            let map = map()?;
            ready(if self.own.get() {
                held(map, scale)
            } else {
                self.apply(map)
            })
        })
    }
}

/// A map that the sliders move: while one is pulled, its colours span what they spanned before.
pub(super) fn held(mut map: Heatmap, scale: FrozenScale<(f64, f64)>) -> Heatmap {
    if let Some(held) = scale.held() {
        map = map.spanning(held);
    }
    scale.keep(map.range().shown);
    map
}

/// Whether maps that stand side by side share their range of colours.
#[component]
pub(super) fn RangeOfMaps() -> impl IntoView {
    view! {
        <LinkedSegmented
            label="Colour scale"
            choices=[(false, "shared"), (true, "separate")]
            get=|link| link.kernel_questions.get().own_colours
            set=|link, own| link.kernel_questions.change(|asked| asked.own_colours = own)
        />
    }
}
