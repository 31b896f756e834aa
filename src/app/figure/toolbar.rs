//! The toolbar of a figure: export of picture and numbers, links, help.

use super::saving::PICTURE_OPTIONS;
use super::{
    help::GuideButton,
    matrix_source::MatrixSource,
    saving::{
        self,
        request::{ExportRequest, FIGURE_FORMATS, FigureFormat, SaveRequest},
    },
    view::AnyFigure,
};
use crate::{
    app::{
        controls::buttons::{CopyEmbed, CopyLink},
        lazy::Lazy,
        query_client::QueryClient,
        state::{PageState, saving::Saves},
    },
    figure_spec::FigureSpec,
};
use leptos::{context::Provider, html, prelude::*};

/// The buttons that export a figure. If several figures share a specification, `model` tells them apart, and there are no
/// links and no help.
#[component]
pub(in crate::app) fn FigureToolbar(
    /// The figure.
    spec: &'static FigureSpec,
    #[prop(into)] title: Signal<String>,
    /// Caption of the figure.
    #[prop(optional, into)]
    caption: Signal<String>,
    /// The model that the figure shows, if several figures share a specification.
    #[prop(optional, into)]
    model: Option<Signal<String>>,
    figure: Signal<Option<AnyFigure>>,
    /// Whether the figure still answers an earlier question.
    #[prop(optional, into)]
    earlier: Signal<bool>,
    /// The matrix behind the figure.
    #[prop(optional_no_strip)]
    matrix: Option<MatrixSource>,
) -> impl IntoView {
    let state = PageState::from_context();
    let client = QueryClient::from_context();
    let matrix = StoredValue::new(matrix);
    let saves = Saves::new();
    let save = move |format: FigureFormat| {
        let Some(figure) = figure.get_untracked() else {
            return;
        };
        let save = ExportRequest {
            spec,
            model: model.map(|model| model.get_untracked()),
            format,
            title: title.get_untracked(),
            caption: caption.get_untracked(),
            figure,
            is_earlier: earlier.get_untracked(),
            matrix: matrix.with_value(|matrix| matrix.as_ref().and_then(MatrixSource::now)),
            saves,
        };
        saving::save(state, client, SaveRequest::Figure(save));
    };
    let missing = Memo::new(move |_| figure.with(Option::is_none));
    // The picture may be there before the matrix. Its numbers may be block means, so they are not exported instead.
    let without_numbers = Memo::new(move |_| {
        let behind = matrix.with_value(|matrix| matrix.as_ref().map(MatrixSource::current));
        missing.get() || behind.is_some_and(|matrix| matrix.is_none())
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
        <div class="toolbar" role="group" aria-label=move || format!("Save or share “{}”", title.get())>
            {png} {svg} <PictureOptions/> {csv} {npy}
            {model.is_none().then(|| view! { <CopyLink figure=spec.id/> <CopyEmbed figure=spec.id title/> <GuideButton id=spec.id/> })}
            <span class="saving" role="status">{move || saves.is_under_way().then_some("Saving …")}</span>
        </div>
    }
}

/// Folding state of the picture options, as context of the lazy part.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct OptionsFold {
    /// Whether the options are unfolded.
    pub(in crate::app) open: RwSignal<bool>,
    /// The element with the button and the options.
    pub(in crate::app) place: NodeRef<html::Div>,
}

/// The button that unfolds the picture options, which are loaded together with the export.
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
                // Each figure provides its own context.
                <Provider value=OptionsFold { open, place }>
                    <Lazy part=PICTURE_OPTIONS inline=true/>
                </Provider>
            </Show>
        </div>
    }
}
