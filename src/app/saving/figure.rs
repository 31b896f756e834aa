//! Figures as files: their pictures, and their numbers.

use super::{
    large_save::LargeSave,
    matrix,
    request::{FigureFormat, FigureSave},
};
use crate::{
    analysis::{MatrixFormat, WholeMatrix, file_size},
    app::{canvas, download, engine::Engine, matrix_source::ShownMatrix, state::State},
    figure::{Scene, svg::svg},
    math::Window,
};
use leptos::prelude::document;

/// Device pixels to a CSS pixel in a PNG.
const PNG_SCALE: f64 = 2.0;
/// Width of saved pictures in CSS pixels, where the one on screen is narrower.
const LEAST_WIDTH: f64 = 640.0;

/// Saves a figure.
pub(super) fn save(state: State, engine: Engine, save: FigureSave) {
    let named = |ending: &str| format!("{}.{ending}", save.file);
    match save.format {
        FigureFormat::Png => {
            let name = named("png");
            canvas::png(&scene(&save), save.theme, PNG_SCALE, move |blob| {
                download::save(&name, &blob);
            });
        }
        FigureFormat::Svg => {
            let text = svg(&scene(&save), save.theme, &save.title, canvas::data_address);
            download::save_text(&named("svg"), "image/svg+xml", &text);
        }
        FigureFormat::Numbers(format) => {
            let (ending, kind) = match format {
                MatrixFormat::Csv => ("csv", "text/csv"),
                MatrixFormat::Npy => ("npy", "application/octet-stream"),
            };
            let (name, table) = (named(ending), || save.figure.table());
            match (save.matrix, format) {
                (Some(shown), _) => {
                    matrix::save(state, engine, whole(shown, format, name, kind));
                }
                (None, MatrixFormat::Csv) => download::save_text(&name, kind, &table().csv()),
                (None, MatrixFormat::Npy) => download::save_bytes(&name, kind, &table().npy()),
            }
        }
    }
}

/// The picture, as wide as on screen, but no narrower than a column of a paper.
fn scene(save: &FigureSave) -> Scene {
    let on_screen = document()
        .query_selector(&format!("#{} .figure-view", save.id))
        .ok()
        .flatten()
        .map_or(0, |view| view.client_width());
    save.figure.scene(f64::from(on_screen).max(LEAST_WIDTH))
}

/// The matrix behind a figure as a file.
fn whole(shown: ShownMatrix, format: MatrixFormat, name: String, kind: &'static str) -> LargeSave {
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
