//! TISA kernels, pulled live: f(k), `F_P`, and the attention they make.
//!
//! The page computes the figures of the sliders' kernels itself, within a frame; whatever needs a model's scores
//! beyond a picture of them is asked of the worker.

mod alone;
mod beside_head;
mod controls;
mod drafted;
mod first_layer;
mod fit;
mod fit_attention;
mod fit_figures;
mod fit_grid;
mod fits;
mod function;
mod kernel_row;
mod looks;
mod map_controls;
mod one_range;
mod parameter_count;
mod setting;
mod take_home;
mod unfolding;

use self::{
    alone::{KernelAttention, KernelMatrix},
    beside_head::BesideHead,
    controls::KernelControls,
    first_layer::FirstLayer,
    fit::FitControls,
    fit_figures::FitFigures,
    fits::KernelFits,
    function::KernelFunction,
    map_controls::MapControls,
    parameter_count::ParameterCount,
    setting::Setting,
    take_home::TakeHome,
};
use crate::{
    analysis::{HeadOverview, KernelPicture, kernel_picture},
    app::{
        engine::{Answered, Engine},
        readout::Readout,
        state::State,
        views::matrix_controls::LinkedWindow,
    },
    figure::Cursor,
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
}

impl KernelAnswers {
    fn ask(state: State, setting: Setting) -> Self {
        let kernels = state.part(|link| link.kernels.kernels.clone());
        let window = LinkedWindow::OF_KERNELS.follow(state, move || setting.positions.get());
        // Pictures are not compared: other kernels make another one.
        let computed = Memo::new_with_compare(
            move |_| {
                let (n, blocks) = (setting.positions.get(), setting.blocks.get());
                let picture =
                    |kernels: &_| kernel_picture(kernels, n, state.cells(), &window.get(), blocks);
                Arc::new(kernels.with(picture))
            },
            |_, _| true,
        );
        let head = Engine::from_context().ask(move || Some(HeadOverview { of: state.head()? }));
        Self { computed, head }
    }
}

/// The view.
#[component]
pub(in crate::app) fn Kernels() -> impl IntoView {
    let state = State::from_context();
    state.settle(|link| &mut link.kernel_questions);
    KernelFits::provide(state);
    let setting = Setting::provide(state);
    let answers = KernelAnswers::ask(state, setting);
    setting.start_in_size(state, answers.head);
    let positions: Signal<usize> = setting.positions.into();
    let read = move |cursor: Option<Cursor>| {
        let f = cursor.and_then(Cursor::offset);
        let f = f.and_then(|k| answers.computed.with(|computed| computed.f.at(k)));
        let tile = answers
            .computed
            .with(|computed| Arc::clone(&computed.attention));
        let cell = cursor.and_then(Cursor::cell);
        let share = cell.and_then(|(i, j)| tile.at(i, j).map(f64::from));
        let name = if tile.is_exact() {
            "attention"
        } else {
            "attention, block mean"
        };
        vec![("f(k)", f), (name, share)]
    };
    view! {
        <div class="view kernels">
            <FitControls/>
            <div class="workbench">
                <div class="column">
                    <KernelControls head=answers.head/>
                    <MapControls/>
                    <Readout read/>
                </div>
                <div class="column maps">
                    <KernelFunction computed=answers.computed head=answers.head positions/>
                    <Show
                        when=move || setting.beside.get()
                        fallback=move || {
                            view! {
                                <div class="pair">
                                    <KernelMatrix computed=answers.computed/>
                                    <KernelAttention computed=answers.computed/>
                                </div>
                            }
                        }
                    >
                        <BesideHead computed=answers.computed overview=answers.head/>
                    </Show>
                </div>
            </div>
            <FitFigures/>
            <FirstLayer/>
            <TakeHome head=answers.head/>
            <ParameterCount/>
        </div>
    }
}
