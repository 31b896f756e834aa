//! Maps of the sliders' kernels alone: `F_P`, and its attention (TISA paper, eq. 4b without content).

use super::{
    KernelViewOptions,
    shared_color_range::{SharedColorRange, freeze_range},
};
use crate::{
    analysis::{KERNEL_TILE_LIMIT, KernelPicture, MatrixId},
    app::{
        controls::drag::FrozenScale,
        figure::{
            card::FigureCard,
            matrix_source::{MatrixSource, ShownMatrix},
            view::{AnyFigure, picture, ready},
        },
        state::{PageState, UrlState},
        views::matrix_controls::{LinkedWindow, navigation},
    },
    figure::Heatmap,
    figure_spec::{
        formulas,
        kernels::{KERNEL_ATTENTION, KERNEL_MATRIX},
    },
};
use leptos::prelude::*;
use std::sync::Arc;

/// Returns the figure of a map, on the shared colour range if there is one, else on its own, which is frozen during a
/// drag.
fn map_figure(
    map: impl Fn() -> Heatmap + Send + Sync + 'static,
    range: Option<SharedColorRange>,
) -> Signal<Option<AnyFigure>> {
    match range {
        Some(range) => range.draw(move || Some(map())),
        None => {
            let scale = FrozenScale::new();
            picture(move || ready(freeze_range(map(), scale)))
        }
    }
}

/// Returns the heatmap of `F_P`.
pub(super) fn score_map(computed: Memo<Arc<KernelPicture>>, url: UrlState) -> Heatmap {
    let scores = computed.with(|computed| Arc::clone(&computed.scores));
    // A narrow kernel covers few diagonals, so percentile clipping would hide it; clip nothing.
    Heatmap::matrix(scores, url.link.with(|link| link.matrices.map), 0.0)
        .high_enough_for(KERNEL_TILE_LIMIT)
}

/// Returns the heatmap of softmax(`F_P`).
pub(super) fn attention_map(
    computed: Memo<Arc<KernelPicture>>,
    state: PageState,
    setting: KernelViewOptions,
) -> Heatmap {
    let attention = computed.with(|computed| Arc::clone(&computed.attention));
    let map = state.url.link.with(|link| link.matrices.map);
    Heatmap::attention(
        attention,
        map,
        setting.positions.get(),
        state.open_head.cells(),
    )
    .high_enough_for(KERNEL_TILE_LIMIT)
}

/// Figure: `F_P`.
#[component]
pub(super) fn KernelMatrix(
    /// The kernels of the sliders, evaluated.
    computed: Memo<Arc<KernelPicture>>,
    /// Colour range shared with other maps.
    #[prop(optional)]
    range: Option<SharedColorRange>,
) -> impl IntoView {
    let state = PageState::from_context();
    let setting = KernelViewOptions::from_context();
    let positions: Signal<usize> = setting.positions.into();
    let beside = range.is_some();
    let figure = map_figure(move || score_map(computed, state.url), range);
    let matrix = shown_matrix(state, positions, |kernels, n, cells| {
        MatrixId::Kernels(kernels, n, cells)
    });
    let (navigation, pull) = navigation(positions, LinkedWindow::OF_KERNELS);
    view! {
        <FigureCard
            spec=&KERNEL_MATRIX
            figure
            formula=if beside { formulas::SCORES_OF_KERNELS } else { KERNEL_MATRIX.formula }
            positions
            matrix
            pull
            navigation
            resolution=setting.resolution
        />
    }
}

/// Figure: the attention that the kernels alone produce.
#[component]
pub(super) fn KernelAttention(
    /// The kernels of the sliders, evaluated.
    computed: Memo<Arc<KernelPicture>>,
    /// Colour range shared with other maps.
    #[prop(optional)]
    range: Option<SharedColorRange>,
) -> impl IntoView {
    let state = PageState::from_context();
    let setting = KernelViewOptions::from_context();
    let positions: Signal<usize> = setting.positions.into();
    let figure = map_figure(move || attention_map(computed, state, setting), range);
    let matrix = shown_matrix(state, positions, |kernels, n, cells| {
        MatrixId::Attention(kernels, n, cells, None)
    });
    let (navigation, pull) = navigation(positions, LinkedWindow::OF_KERNELS);
    view! {
        <FigureCard
            spec=&KERNEL_ATTENTION
            figure
            positions
            matrix
            pull
            navigation
        />
    }
}

/// Returns the source of a matrix of the sliders' kernels, for cell values and export.
fn shown_matrix(
    state: PageState,
    positions: Signal<usize>,
    of: fn(crate::encoding::Kernels, usize, crate::math::AttentionMask) -> MatrixId,
) -> MatrixSource {
    MatrixSource::new(move || {
        let (n, cells) = (positions.get(), state.open_head.cells());
        let kernels = state.url.link.with(|link| link.kernels.kernels.clone());
        Some(ShownMatrix {
            of: of(kernels, n, cells),
            size: (n, n),
            window: LinkedWindow::OF_KERNELS.part_now(state.url, n),
        })
    })
}
