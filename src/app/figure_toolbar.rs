//! What can be taken home of a figure: its picture, its numbers, its link.

use super::{
    controls::CopyLink,
    engine::Engine,
    figure_view::AnyFigure,
    matrix_source::MatrixSource,
    saving::{
        self,
        request::{FIGURE_FORMATS, FigureFormat, FigureSave, SaveRequest},
    },
    state::State,
    theme::Dark,
};
use leptos::prelude::*;

/// The buttons that save a figure. One of several under the same identifier is told apart by its `model`, and
/// has no link of its own.
#[component]
pub(super) fn FigureToolbar(
    /// The figure's identifier.
    id: &'static str,
    /// Its title.
    #[prop(into)]
    title: Signal<String>,
    /// The model that it shows, where several figures have one identifier.
    #[prop(optional, into)]
    model: Option<Signal<String>>,
    /// The figure.
    figure: Signal<Option<AnyFigure>>,
    /// The matrix behind it.
    #[prop(optional_no_strip)]
    matrix: Option<MatrixSource>,
) -> impl IntoView {
    let state = State::from_context();
    let engine = Engine::from_context();
    let dark = expect_context::<Dark>();
    let file = move || {
        let model = model.map_or(String::new(), |model| {
            format!("-{}", model.get_untracked().replace(['/', '\\', ':'], "-"))
        });
        format!("diagonal-{id}{model}")
    };
    let matrix = StoredValue::new(matrix);
    let save = move |format: FigureFormat| {
        let Some(figure) = figure.get_untracked() else {
            return;
        };
        let save = FigureSave {
            id,
            file: file(),
            format,
            title: title.get_untracked(),
            figure,
            theme: dark.theme_now(),
            matrix: matrix.with_value(|matrix| matrix.as_ref().and_then(MatrixSource::now)),
        };
        saving::save(state, engine, SaveRequest::Figure(save));
    };
    let missing = move || figure.with(Option::is_none);
    let buttons = FIGURE_FORMATS.map(|(format, name)| {
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
            {buttons.into_iter().collect_view()}
            {model.is_none().then(|| view! { <CopyLink figure=id/> })}
        </div>
    }
}
