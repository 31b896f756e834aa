//! How many positions the figures of kernels have, and whether the open head stands beside them.

use crate::{
    analysis::{HeadOverview, KERNEL_TILE_LIMIT},
    app::{
        controls::drag::DragState, figure::resolution::MatrixResolution, query_client::Query,
        state::page::PageState, views::matrix_controls::LinkedWindow,
    },
    url_state::{ModelRef, starting_kernels},
};
use leptos::prelude::*;

/// What every figure of the view goes by.
#[derive(Clone, Copy)]
pub(super) struct KernelViewOptions {
    /// Whether the open head stands beside the kernels, which are added to it.
    pub(super) beside: Memo<bool>,
    /// The length n: the one that was chosen, else the number of the open head's positions.
    pub(super) length: Memo<usize>,
    /// How many positions are shown: n, and beside a head no more than it has.
    pub(super) positions: Memo<usize>,
    /// How finely the maps can be drawn, which are all of one size.
    pub(super) room: MatrixResolution,
    /// Blocks a side of the maps that nobody pulls at.
    pub(super) finest: Memo<usize>,
    /// Blocks a side of the maps that follow the sliders: no more than a frame has time for while one is pulled.
    pub(super) blocks: Memo<usize>,
}

impl KernelViewOptions {
    /// The view's, for all of its parts.
    pub(super) fn provide(state: PageState) -> Self {
        // Presets have heads. That is known before one is open, so that nothing has to make room for them then.
        let is_expected = Memo::new(move |_| match state.summary() {
            Some(_) => state.rows_beside().is_some(),
            None => state
                .link
                .with(|link| matches!(link.model, ModelRef::Preset(_))),
        });
        let beside =
            Memo::new(move |_| is_expected.get() && state.link.with(|link| !link.kernels.alone));
        let length = Memo::new(move |_| state.kernel_length());
        let positions = Memo::new(move |_| state.kernel_positions());
        let window = LinkedWindow::OF_KERNELS.follow(state, move || positions.get());
        let room = MatrixResolution::new();
        let finest = Memo::new(move |_| room.blocks(&window.get(), KERNEL_TILE_LIMIT));
        let hand = DragState::from_context();
        let blocks = Memo::new(move |_| {
            if hand.is_down() {
                window.get().blocks(KERNEL_TILE_LIMIT)
            } else {
                finest.get()
            }
        });
        let setting = Self {
            beside,
            length,
            positions,
            room,
            finest,
            blocks,
        };
        provide_context(setting);
        setting
    }

    /// From the least to the greatest value of the open head's profile, where it stands beside the kernels.
    pub(super) fn span(self, state: PageState, head: Query<HeadOverview>) -> Option<f64> {
        let is_beside = self.beside.get();
        head.with(|detail| Some(detail?.fit.f.span(state.cells())))
            .filter(|_| is_beside)
    }

    /// Kernels that nobody has touched have the size of the head that they stand beside, and by themselves a size that
    /// their attention shows.
    pub(super) fn start_in_size(self, state: PageState, head: Query<HeadOverview>) {
        Effect::new(move || {
            let span = self.span(state, head);
            if span.is_some() || !self.beside.get() {
                state.start_kernels(&starting_kernels(span));
            }
        });
    }

    /// The view's.
    pub(super) fn from_context() -> Self {
        expect_context()
    }
}
