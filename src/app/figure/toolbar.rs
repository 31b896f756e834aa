//! What can be taken home of a figure: its picture, its numbers, its link.

use super::{
    help::GuideButton,
    matrix_source::MatrixSource,
    saving::{
        self,
        request::{ExportRequest, FIGURE_FORMATS, FigureFormat, SaveRequest, Saves},
    },
    view::AnyFigure,
};
use crate::app::{
    controls::buttons::{CopyEmbed, CopyLink},
    query_client::QueryClient,
    shell::lazy_views::{Lazy, PICTURE_CHOICE},
    state::page::PageState,
};
use leptos::{context::Provider, html, prelude::*};

/// The buttons that save a figure. One of several under the same identifier is told apart by its `model`, and
/// has no link of its own.
#[component]
pub(in crate::app) fn FigureToolbar(
    /// The figure's identifier.
    id: &'static str,
    /// Its title.
    #[prop(into)]
    title: Signal<String>,
    /// What is said over it.
    #[prop(optional, into)]
    caption: Signal<String>,
    /// The model that it shows, where several figures have one identifier.
    #[prop(optional, into)]
    model: Option<Signal<String>>,
    /// The figure.
    figure: Signal<Option<AnyFigure>>,
    /// Whether it still is the answer to an earlier question.
    #[prop(optional, into)]
    earlier: Signal<bool>,
    /// The matrix behind it.
    #[prop(optional_no_strip)]
    matrix: Option<MatrixSource>,
) -> impl IntoView {
    let state = PageState::from_context();
    let engine = QueryClient::from_context();
    let matrix = StoredValue::new(matrix);
    let saves = Saves::new();
    let save = move |format: FigureFormat| {
        let Some(figure) = figure.get_untracked() else {
            return;
        };
        let save = ExportRequest {
            id,
            model: model.map(|model| model.get_untracked()),
            format,
            title: title.get_untracked(),
            caption: caption.get_untracked(),
            figure,
            is_earlier: earlier.get_untracked(),
            matrix: matrix.with_value(|matrix| matrix.as_ref().and_then(MatrixSource::now)),
            saves,
        };
        saving::save(state, engine, SaveRequest::Figure(save));
    };
    let missing = Memo::new(move |_| figure.with(Option::is_none));
    // The picture may be there before the matrix, which the worker gives: its numbers are not those of all cells.
    let without_numbers = Memo::new(move |_| {
        let behind = matrix.with_value(|matrix| matrix.as_ref().map(MatrixSource::shown));
        missing.get() || behind.is_some_and(|shown| shown.is_none())
    });
    let [png, svg, csv, npy] = FIGURE_FORMATS.map(|(format, name)| {
        let missing = match format {
            FigureFormat::Numbers(_) => without_numbers,
            FigureFormat::Png | FigureFormat::Svg => missing,
        };
        let label = format!("Download {name}");
        view! {
            <button
                type="button"
                aria-label=label.clone()
                title=label
                disabled=missing
                on:click=move |_| save(format)
            >
                {name}
            </button>
        }
    });
    view! {
        <div class="toolbar" role="group" aria-label=move || format!("Take “{}” home", title.get())>
            {png} {svg} <PictureOptions/> {csv} {npy}
            {model.is_none().then(|| view! { <CopyLink figure=id/> <CopyEmbed figure=id title/> <GuideButton id/> })}
            <span class="saving" role="status">{move || saves.is_under_way().then_some("Saving …")}</span>
        </div>
    }
}

/// Where the choice of how pictures are saved unfolds.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct Unfolded {
    /// Whether it is unfolded.
    pub(in crate::app) open: RwSignal<bool>,
    /// The button, and what unfolds under it.
    pub(in crate::app) place: NodeRef<html::Div>,
}

/// The way to that choice, which is fetched with what saves.
#[component]
fn PictureOptions() -> impl IntoView {
    let (open, place) = (RwSignal::new(false), NodeRef::new());
    view! {
        <div class="picture-options" node_ref=place>
            <button
                type="button"
                aria-label="Size and background of pictures"
                title="Size and background of pictures"
                aria-expanded=move || open.get().to_string()
                on:click=move |_| open.update(|open| *open = !*open)
            >
                "▾"
            </button>
            <Show when=move || open.get()>
                // Its own, among those of all figures.
                <Provider value=Unfolded { open, place }>
                    <Lazy part=PICTURE_CHOICE inline=true/>
                </Provider>
            </Show>
        </div>
    }
}
