//! Colour range shared by maps that are compared side by side, so that equal colours mean equal values, unless separate
//! ranges are chosen.

use crate::{
    app::{
        controls::drag::{DragState, FrozenScale},
        figure::view::{AnyFigure, picture, ready},
        state::PageState,
        views::matrix_controls::LinkedSegmentedButtons,
    },
    figure::{Heatmap, ValueRange},
};
use leptos::prelude::*;

/// The shared range of several maps.
#[derive(Clone, Copy)]
pub(super) struct SharedColorRange {
    own: Memo<bool>,
    range: Memo<Option<(f64, f64)>>,
}

impl SharedColorRange {
    /// Creates the range over all available maps. It is frozen during a drag.
    pub(super) fn new(
        state: PageState,
        maps: impl Fn() -> Vec<Heatmap> + Send + Sync + 'static,
    ) -> Self {
        let natural = move || {
            let ranges = maps().into_iter().map(|map| map.range());
            ValueRange::union(ranges).map(|range| range.ends)
        };
        Self {
            own: state.url.select(|link| link.kernel_options.own_colours),
            range: DragState::from_context().hold(natural),
        }
    }

    /// Applies the shared range to a map, unless ranges are separate.
    pub(super) fn apply(self, map: Heatmap) -> Heatmap {
        match self.range.get().filter(|_| !self.own.get()) {
            Some(range) => map.with_range(range),
            None => map,
        }
    }

    /// Returns the figure of a map. Its range is frozen during a drag, also if it is separate.
    pub(super) fn draw(
        self,
        map: impl Fn() -> Option<Heatmap> + Send + Sync + 'static,
    ) -> Signal<Option<AnyFigure>> {
        let scale = FrozenScale::new();
        picture(move || {
            let map = map()?;
            ready(if self.own.get() {
                freeze_range(map, scale)
            } else {
                self.apply(map)
            })
        })
    }
}

/// Freezes a map's colour range during a drag.
pub(super) fn freeze_range(mut map: Heatmap, scale: FrozenScale<(f64, f64)>) -> Heatmap {
    if let Some(range) = scale.frozen_scale() {
        map = map.with_range(range);
    }
    scale.keep(map.range().ends);
    map
}

/// Control: shared or separate colour ranges.
#[component]
pub(super) fn RangeOfMaps() -> impl IntoView {
    view! {
        <LinkedSegmentedButtons
            label="Colour scale"
            choices=[(false, "shared"), (true, "separate")]
            get=|link| link.kernel_options.own_colours
            set=|link, own| link.kernel_options.own_colours = own
        />
    }
}
