//! What can be taken home of a figure: its picture, its numbers, its link.

use super::{
    canvas, controls::CopyLink, download, engine::Engine, figure_view::AnyFigure,
    large_save::LargeSave, saving::save_matrix, state::State, theme::Dark,
};
use crate::{
    analysis::{MatrixFormat, MatrixId, WholeMatrix, file_size},
    figure::svg::svg,
    math::Window,
};
use leptos::prelude::*;
use std::sync::Arc;

/// Device pixels to a CSS pixel in a downloaded PNG.
const PNG_SCALE: f64 = 2.0;
/// Width of downloaded figures in CSS pixels, where the one on screen is narrower.
const DOWNLOAD_WIDTH: f64 = 640.0;

/// The matrix behind a figure, which CSV and NPY have in full.
#[derive(Clone)]
pub(super) struct MatrixSource(Arc<dyn Fn() -> Option<ShownMatrix> + Send + Sync>);

/// A matrix as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ShownMatrix {
    /// Which matrix.
    pub(super) of: MatrixId,
    /// Its rows and columns.
    pub(super) size: (usize, usize),
    /// The window that is shown; all of it where there is none.
    pub(super) window: Option<Window>,
}

impl MatrixSource {
    /// From what gives the matrix that is shown now.
    pub(super) fn new(get: impl Fn() -> Option<ShownMatrix> + Send + Sync + 'static) -> Self {
        Self(Arc::new(get))
    }

    fn now(&self) -> Option<ShownMatrix> {
        untrack(|| (self.0)())
    }
}

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
    let name = move |ending: &str| {
        let model = model.map_or(String::new(), |model| {
            format!("-{}", model.get_untracked().replace(['/', '\\', ':'], "-"))
        });
        format!("diagonal-{id}{model}.{ending}")
    };
    let save_png = move |_| {
        if let Some(figure) = figure.get_untracked() {
            let scene = figure.scene(download_width(id));
            let name = name("png");
            canvas::png(&scene, dark.theme_now(), PNG_SCALE, move |blob| {
                download::save(&name, &blob);
            });
        }
    };
    let save_svg = move |_| {
        if let Some(figure) = figure.get_untracked() {
            let scene = figure.scene(download_width(id));
            let title = title.get_untracked();
            let text = svg(&scene, dark.theme_now(), &title, canvas::data_address);
            download::save_text(&name("svg"), "image/svg+xml", &text);
        }
    };
    let matrix = StoredValue::new(matrix);
    let save_numbers = move |format: MatrixFormat| {
        let (ending, kind) = match format {
            MatrixFormat::Csv => ("csv", "text/csv"),
            MatrixFormat::Npy => ("npy", "application/octet-stream"),
        };
        let name = name(ending);
        let shown = matrix.with_value(|matrix| matrix.as_ref().and_then(MatrixSource::now));
        match (shown, figure.get_untracked()) {
            (Some(shown), _) => {
                save_matrix(state, engine, large_save(shown, format, name, kind));
            }
            (None, Some(figure)) => match format {
                MatrixFormat::Csv => download::save_text(&name, kind, &figure.table().csv()),
                MatrixFormat::Npy => download::save_bytes(&name, kind, &figure.table().npy()),
            },
            (None, None) => {}
        }
    };
    let missing = move || figure.with(Option::is_none);
    view! {
        <div class="toolbar" role="group" aria-label=move || format!("Take “{}” home", title.get())>
            <SaveButton name="PNG" missing save=save_png/>
            <SaveButton name="SVG" missing save=save_svg/>
            <SaveButton name="CSV" missing save=move |_| save_numbers(MatrixFormat::Csv)/>
            <SaveButton name="NPY" missing save=move |_| save_numbers(MatrixFormat::Npy)/>
            {model.is_none().then(|| view! { <CopyLink figure=id/> })}
        </div>
    }
}

/// Saves the figure in a format.
#[component]
fn SaveButton(
    name: &'static str,
    missing: impl Fn() -> bool + Send + Sync + 'static,
    save: impl Fn(leptos::ev::MouseEvent) + 'static,
) -> impl IntoView {
    let label = format!("Download {name}");
    view! {
        <button type="button" aria-label=label.clone() title=label disabled=missing on:click=save>
            {name}
        </button>
    }
}

fn large_save(
    shown: ShownMatrix,
    format: MatrixFormat,
    name: String,
    kind: &'static str,
) -> LargeSave {
    let (rows, columns) = shown.size;
    let window = match &shown.window {
        Some(window) => window.within(rows, columns),
        None => Window::whole(rows, columns),
    };
    LargeSave {
        bytes: file_size(format, window.rows.len(), window.cols.len()),
        question: WholeMatrix {
            of: shown.of,
            format,
            window: shown.window,
        },
        name,
        kind,
    }
}

/// As wide as on screen, but no narrower than a column of a paper.
fn download_width(id: &str) -> f64 {
    let on_screen = document()
        .query_selector(&format!("#{id} .figure-view"))
        .ok()
        .flatten()
        .map_or(0, |view| view.client_width());
    f64::from(on_screen).max(DOWNLOAD_WIDTH)
}
