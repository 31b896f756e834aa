//! Number of positions and resolution of the kernel figures, and whether the open head is displayed beside them.

use crate::{
    analysis::{HeadOverview, KERNEL_TILE_LIMIT},
    app::{
        controls::drag::DragState,
        figure::resolution::MatrixResolution,
        query_client::Query,
        state::{OpenHead, PageState},
        views::matrix_controls::LinkedWindow,
    },
    url_state::{ModelRef, starting_kernels},
};
use leptos::prelude::*;

/// Options that all figures of the view share. Provided as context.
#[derive(Clone, Copy)]
pub(super) struct KernelViewOptions {
    /// Whether the open head is displayed beside the kernels, and their sum with it.
    pub(super) beside: Memo<bool>,
    /// Length n: as chosen, else the open head's number of positions.
    pub(super) length: Memo<usize>,
    /// Number of displayed positions: n, limited beside a head to the head's positions.
    pub(super) positions: Memo<usize>,
    /// Resolution at which the maps can be drawn; they all have the same size.
    pub(super) resolution: MatrixResolution,
    /// Blocks per side of maps that do not follow the sliders.
    pub(super) finest: Memo<usize>,
    /// Blocks per side of maps that follow the sliders; fewer during a drag, so that they are computed within a frame.
    pub(super) blocks: Memo<usize>,
}

impl KernelViewOptions {
    /// Creates the options and provides them as context.
    pub(super) fn provide(state: PageState) -> Self {
        let PageState { url, kernels, .. } = state;
        // Presets have heads. Assuming so before one is open avoids a layout shift when it opens.
        let is_expected = Memo::new(move |_| match state.models.summary() {
            Some(_) => state.open_head.rows_on_line().is_some(),
            None => url
                .link
                .with(|link| matches!(link.model, ModelRef::Preset(_))),
        });
        let beside =
            Memo::new(move |_| is_expected.get() && url.link.with(|link| !link.kernels.alone));
        let length = Memo::new(move |_| kernels.length());
        let positions = Memo::new(move |_| kernels.positions());
        let window = LinkedWindow::OF_KERNELS.follow(state.url, move || positions.get());
        let resolution = MatrixResolution::new();
        let finest = Memo::new(move |_| resolution.blocks(&window.get(), KERNEL_TILE_LIMIT));
        let drag = DragState::from_context();
        let blocks = Memo::new(move |_| {
            if drag.is_down() {
                window.get().blocks(KERNEL_TILE_LIMIT)
            } else {
                finest.get()
            }
        });
        let setting = Self {
            beside,
            length,
            positions,
            resolution,
            finest,
            blocks,
        };
        provide_context(setting);
        setting
    }

    /// Returns the range (maximum − minimum) of the open head's profile, if the head is displayed.
    pub(super) fn span(self, open_head: OpenHead, head: Query<HeadOverview>) -> Option<f64> {
        let is_beside = self.beside.get();
        head.with(|detail| Some(detail?.fit.f.span(open_head.cells())))
            .filter(|_| is_beside)
    }

    /// Scales unedited kernels to the open head beside them, or, without a head, to a size at which their attention is
    /// visible.
    pub(super) fn start_in_size(self, state: PageState, head: Query<HeadOverview>) {
        Effect::new(move || {
            let span = self.span(state.open_head, head);
            if span.is_some() || !self.beside.get() {
                state.kernels.start_with(&starting_kernels(span));
            }
        });
    }

    pub(super) fn from_context() -> Self {
        expect_context()
    }
}
