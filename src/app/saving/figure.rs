//! Figures as files: their pictures, and their numbers.

use super::{
    font::font,
    large_save::LargeSave,
    matrix,
    request::{FigureFormat, FigureSave, PictureChoice},
    subject::Subject,
};
use crate::{
    analysis::{MatrixFormat, WholeMatrix, file_size},
    app::{
        canvas, download, engine::Engine, matrix_source::ShownMatrix, message::Action,
        shelf_item::ShelfItem, state::State,
    },
    figure::{PRINT, Scene},
    math::Window,
    publish::{Background, Letters, Provenance, Sheet, document, file_name, with_metadata},
};
use js_sys::Uint8Array;
use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Saves a figure.
pub(super) fn save(state: State, engine: Engine, save: FigureSave) {
    let is_picture = matches!(save.format, FigureFormat::Png | FigureFormat::Svg);
    if is_picture && save.is_earlier {
        // It would leave under the name of what was asked for since.
        return state.say(format!(
            "“{}” was not saved: it still shows the answer before this one. Save it again in a moment.",
            save.title
        ));
    }
    let subject = Subject::of(state, &save);
    if let Some(part) = (subject.model.as_ref()).and_then(|model| part_called(state, model)) {
        let sentence = format!(
            "“{}” was not saved: so far only the table of {} is here, at half precision. Save it again once the rest is.",
            save.title, part.title
        );
        return match part.id() {
            Some(id) if !part.is_coming() => {
                state.offer(sentence, "Fetch the rest", Action::FetchRest(id));
            }
            _ => state.say(sentence),
        };
    }
    let file = file_name(save.id, subject.file.as_deref());
    let named = |ending: &str| format!("{file}.{ending}");
    match save.format {
        FigureFormat::Png => {
            let name = named("png");
            let provenance = subject.provenance(state, &save);
            save_picture(state, save, subject, move |scene, background| {
                spawn_local(async move {
                    match png(&scene, background, &provenance).await {
                        Some(bytes) => download::save_bytes(&name, "image/png", &bytes),
                        None => state.warn(format!(
                            "{name} was not saved: this browser has no room for a picture of that size. Save it as SVG, or as wide as a column."
                        )),
                    }
                });
            });
        }
        FigureFormat::Svg => {
            let name = named("svg");
            let provenance = subject.provenance(state, &save);
            save_picture(state, save, subject, move |scene, background| {
                let text = document(&scene, background, &provenance, canvas::data_address);
                download::save_text(&name, "image/svg+xml", &text);
            });
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

/// A model of which only a part is here, whose numbers are rounded.
fn part_called(state: State, model: &str) -> Option<ShelfItem> {
    state.shelf.with_untracked(|shelf| {
        let mut parts = shelf.iter().filter(|item| item.is_part());
        parts.find(|item| item.title == model).cloned()
    })
}

/// Hands over the sheet that the figure stands on, once the font is there, and what lies behind it.
fn save_picture(
    state: State,
    save: FigureSave,
    subject: Subject,
    then: impl FnOnce(Scene, Background) + 'static,
) {
    let PictureChoice { width, background } = state.pictures.get_untracked();
    spawn_local(async move {
        let font = font().await;
        let Some(letters) = font.as_deref().and_then(Letters::read) else {
            return state.warn(format!(
                "{} was not saved: the font of pictures could not be fetched. Try again when the connection is back.",
                save.title
            ));
        };
        let sheet = Sheet {
            figure: save.figure.as_ref(),
            title: subject.title(),
            subject: &subject.line,
            words: &subject.words,
            width,
        };
        then(sheet.scene(&letters), background);
    });
}

/// A sheet as a PNG file that says where it comes from.
async fn png(scene: &Scene, background: Background, provenance: &Provenance) -> Option<Vec<u8>> {
    let paper = background == Background::White;
    let blob = canvas::png(scene, &PRINT, Sheet::DOTS, paper).await?;
    let bytes = JsFuture::from(blob.array_buffer()).await.ok()?;
    with_metadata(Uint8Array::new(&bytes).to_vec(), provenance)
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
