//! TISA kernels, pulled live: f(k), `F_P`, and the attention they make.
//!
//! The page computes the figures of the sliders' kernels itself, within a frame; whatever needs a model's scores
//! beyond a picture of them is asked of the worker.

mod attention;
mod controls;
mod first_layer;
mod fit;
mod fit_figures;
mod fit_grid;
mod fits;
mod function;
mod kernel_row;
mod parameter_count;
mod take_home;

use self::{
    attention::{AttentionOfKernels, KernelAttention},
    controls::KernelControls,
    function::KernelFunction,
    parameter_count::ParameterCount,
    take_home::TakeHome,
};
use self::{first_layer::FirstLayer, fit::FitControls, fit_figures::FitFigures, fits::KernelFits};
use crate::{
    analysis::{HeadOverview, KernelPicture, MatrixId, kernel_picture},
    app::{
        engine::{Answered, Engine},
        figure_card::FigureCard,
        figure_view::{picture, ready},
        formulas,
        hand::HeldScale,
        matrix_source::{MatrixSource, ShownMatrix},
        readout::Readout,
        state::State,
        views::matrix_controls::{LinkedWindow, ZoomControls, navigation},
    },
    figure::{Cursor, Heatmap},
};
use leptos::prelude::*;
use std::sync::Arc;

/// What the figures of this view are drawn from.
#[derive(Clone, Copy)]
struct KernelAnswers {
    /// The sliders' kernels, computed here when they change.
    computed: Memo<Arc<KernelPicture>>,
    /// The open head.
    head: Answered<HeadOverview>,
    /// The kernels' attention.
    attention: AttentionOfKernels,
}

impl KernelAnswers {
    fn ask(state: State) -> Self {
        let looked_at = state.part(|link| {
            let n = link.kernels.length;
            (link.kernels.kernels.clone(), n, link.kernels.window_of(n))
        });
        // Pictures are not compared: other kernels make another one.
        let computed = Memo::new_with_compare(
            move |_| {
                let (kernels, n, window) = looked_at.get();
                Arc::new(kernel_picture(&kernels, n, state.cells(), &window))
            },
            |_, _| true,
        );
        let head = Engine::from_context().ask(move || Some(HeadOverview { of: state.head()? }));
        Self {
            computed,
            head,
            attention: AttentionOfKernels::ask(state, computed, head),
        }
    }
}

/// The view.
#[component]
pub(in crate::app) fn Kernels() -> impl IntoView {
    let state = State::from_context();
    state.settle(|link| &mut link.kernel_questions);
    KernelFits::provide(state);
    let answers = KernelAnswers::ask(state);
    let length = state.part(|link| link.kernels.length);
    let positions: Signal<usize> = length.into();
    let read = move |cursor: Option<Cursor>| {
        let f = cursor.and_then(Cursor::offset);
        let f = f.and_then(|k| answers.computed.with(|computed| computed.f.at(k)));
        let tile = answers.attention.tile();
        let share = cursor.and_then(Cursor::cell).zip(tile.as_ref());
        let share = share.and_then(|((i, j), tile)| tile.at(i, j).map(f64::from));
        let name = if tile.is_none_or(|tile| tile.is_exact()) {
            "attention"
        } else {
            "attention, block mean"
        };
        vec![("f(k)", f), (name, share)]
    };
    view! {
        <div class="view kernels">
            <div class="column">
                <FitControls/>
                <KernelControls head=answers.head/>
                <Readout read/>
                <TakeHome head=answers.head/>
            </div>
            <div class="column">
                <KernelFunction computed=answers.computed head=answers.head positions/>
                <div class="pair">
                    <KernelMatrix computed=answers.computed positions/>
                    <KernelAttention attention=answers.attention positions/>
                </div>
                <div class="fits-part">
                    <FitFigures/>
                    <FirstLayer/>
                </div>
            </div>
            <ParameterCount/>
        </div>
    }
}

/// A matrix that the sliders move: while one is pulled, its colours span what they spanned before.
fn held(mut matrix: Heatmap, scale: HeldScale<(f64, f64)>) -> Heatmap {
    if let Some(held) = scale.held() {
        matrix = matrix.spanning(held);
    }
    scale.keep(matrix.range().shown);
    matrix
}

/// `F_P` itself.
#[component]
fn KernelMatrix(computed: Memo<Arc<KernelPicture>>, positions: Signal<usize>) -> impl IntoView {
    let state = State::from_context();
    let map = state.part(|link| link.matrices.map);
    let scale = HeldScale::new();
    let figure = picture(move || {
        let scores = computed.with(|computed| Arc::clone(&computed.scores));
        ready(held(Heatmap::matrix(scores, map.get(), 0.0), scale))
    });
    let matrix = MatrixSource::new(move || {
        let cells = state.cells();
        let n = positions.get();
        let window = LinkedWindow::OF_KERNELS.part_now(state, n);
        state.link.with(|link| {
            let kernels = link.kernels.kernels.clone();
            Some(ShownMatrix {
                of: MatrixId::Kernels(kernels, n, cells),
                size: (n, n),
                window,
            })
        })
    });
    let (zoom, pull) = navigation(positions, LinkedWindow::OF_KERNELS);
    view! {
        <FigureCard
            id="kernel-matrix"
            figure
            caption="The same value all along each diagonal, at any length:"
            formula=formulas::KERNEL_MATRIX
            positions
            matrix
            pull
            zoom
        >
            <ZoomControls positions window=LinkedWindow::OF_KERNELS/>
        </FigureCard>
    }
}
