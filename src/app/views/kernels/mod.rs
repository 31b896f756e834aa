//! The kernels view: TISA kernels with live controls, f(k), `F_P`, and their attention.
//!
//! The page computes the figures of the sliders' kernels within a frame. The worker computes everything that needs more
//! of a model's scores than the head's overview holds.

mod attention_preview;
mod attention_stats;
mod controls;
mod export_kernels;
mod first_layer;
mod fit;
mod fit_attention;
mod fit_figures;
mod fit_grid;
mod fits;
mod function;
mod head_comparison;
mod kernel_maps;
mod kernel_row;
mod map_controls;
mod program_constants;
mod published_scores;
mod shared_color_range;
mod view_options;

use super::{
    center_choice::{CenterText, provide_text_constants},
    figure_fold::FigureFold,
    matrix_controls::LinkedWindow,
    parameter_count::ParameterCount,
};
use crate::{
    analysis::{HeadOverview, KernelPicture, kernel_picture},
    app::{
        figure::readout::Readout,
        query_client::{Query, QueryClient},
        state::PageState,
    },
    figure::Cursor,
    url_state::FigureGroup,
};
use controls::KernelControls;
use export_kernels::{ExportKernels, SaveKernels};
use first_layer::FirstLayer;
use fit::FitControls;
use fit_figures::FitFigures;
use fits::KernelFits;
use function::KernelFunction;
use head_comparison::HeadComparison;
use kernel_maps::{KernelAttention, KernelMatrix};
use leptos::prelude::*;
use map_controls::MapControls;
use published_scores::PublishedScores;
use std::sync::Arc;
use view_options::KernelViewOptions;

/// The inputs of this view's figures.
#[derive(Clone, Copy)]
struct KernelAnswers {
    /// The kernels of the sliders, evaluated on the page when they change.
    picture: Memo<Arc<KernelPicture>>,
    /// The open head.
    head: Query<HeadOverview>,
}

impl KernelAnswers {
    fn ask(state: PageState, setting: KernelViewOptions) -> Self {
        let open_head = state.open_head;
        let kernels = state.url.select(|link| link.kernels.kernels.clone());
        let window = LinkedWindow::OF_KERNELS.follow(state.url, move || setting.positions.get());
        // Not compared: each recomputation counts as a change.
        let computed = Memo::new_with_compare(
            move |_| {
                let (n, blocks) = (setting.positions.get(), setting.blocks.get());
                let picture = |kernels: &_| {
                    kernel_picture(kernels, n, open_head.cells(), &window.get(), blocks)
                };
                Arc::new(kernels.with(picture))
            },
            |_, _| true,
        );
        let head = QueryClient::from_context().ask(move || {
            Some(HeadOverview {
                of: open_head.get()?,
            })
        });
        Self {
            picture: computed,
            head,
        }
    }
}

/// The kernels view.
#[component]
pub(in crate::app) fn KernelsView() -> impl IntoView {
    let state = PageState::from_context();
    KernelFits::provide(state);
    provide_text_constants();
    program_constants::provide(state.url, KernelFits::from_context());
    let setting = KernelViewOptions::provide(state);
    let answers = KernelAnswers::ask(state, setting);
    setting.start_in_size(state, answers.head);
    let positions: Signal<usize> = setting.positions.into();
    let read = move |cursor: Option<Cursor>| {
        let f = cursor.and_then(Cursor::offset);
        let f = f.and_then(|k| answers.picture.with(|computed| computed.f.at(k)));
        let tile = answers
            .picture
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
            <CenterText/>
            <FitControls/>
            <div class="workbench">
                <div class="column">
                    <KernelControls head=answers.head/>
                    <MapControls/>
                    <Readout read/>
                    <SaveKernels/>
                </div>
                <div class="column maps">
                    <KernelFunction computed=answers.picture head=answers.head positions/>
                    <Show
                        when=move || setting.beside.get()
                        fallback=move || {
                            view! {
                                <div class="pair">
                                    <KernelMatrix computed=answers.picture/>
                                    <KernelAttention computed=answers.picture/>
                                </div>
                            }
                        }
                    >
                        <HeadComparison computed=answers.picture overview=answers.head/>
                    </Show>
                </div>
            </div>
            <FitFigures/>
            <FirstLayer/>
            <ExportKernels head=answers.head/>
            <FigureFold group=FigureGroup::ParameterCounts summary="Parameters for positions">
                <ParameterCount/>
                <PublishedScores/>
            </FigureFold>
        </div>
    }
}
