//! Figures as files: their pictures, and their numbers.

use super::{
    finer_blocks::with_finer_blocks,
    font::font,
    large_save::LargeSave,
    matrix,
    request::{ExportRequest, FigureFormat, PictureFormat, Saves},
    source::ExportSource,
};
use crate::{
    analysis::{MatrixFormat, WholeMatrix, file_size},
    app::{
        controls::download,
        figure::{canvas, matrix_source::ShownMatrix},
        models::entry::ModelEntry,
        query_client::QueryClient,
        shell::message::Action,
        state::page::PageState,
    },
    export::{
        Background, FileNumbers, Provenance, Sheet, TextOutlines, document, file_name,
        file_numbers, with_metadata,
    },
    figure::{PRINT, Scene},
    math::Window,
};
use js_sys::Uint8Array;
use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Saves a figure.
pub(super) fn save(state: PageState, engine: QueryClient, save: ExportRequest) {
    let is_picture = matches!(save.format, FigureFormat::Png | FigureFormat::Svg);
    if is_picture && save.is_earlier {
        // It would leave under the name of what was asked for since.
        return state.say(format!(
            "“{}” was not saved: it still shows the answer before this one. Save it again in a moment.",
            save.title
        ));
    }
    let subject = ExportSource::of(state, &save);
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
    let file = file_name(save.id, subject.file.as_deref(), &subject.details);
    let named = |ending: &str| format!("{file}.{ending}");
    match save.format {
        FigureFormat::Png | FigureFormat::Svg => {
            let name = named(match save.format {
                FigureFormat::Png => "png",
                _ => "svg",
            });
            let choice = state.pictures.get_untracked();
            let under_way = save.saves.begin();
            spawn_local(async move {
                if let Err(why) = save_picture(engine, save, &subject, choice, &name).await {
                    state.warn(why);
                }
                drop(under_way);
            });
        }
        FigureFormat::Numbers(format) => {
            let (ending, kind) = match format {
                MatrixFormat::Csv => ("csv", "text/csv"),
                MatrixFormat::Npy => ("npy", "application/octet-stream"),
            };
            let (name, table) = (named(ending), || save.figure.table());
            match (save.matrix, file_numbers(save.id), format) {
                (Some(shown), _, _) => {
                    let whole = whole(shown, format, name, kind, save.saves);
                    matrix::save(state, engine, whole);
                }
                // Its picture may be of block means, which no file takes for cells.
                (None, FileNumbers::Matrix, _) => state.say(format!(
                    "“{}” was not saved: its numbers are not here yet. Save it again in a moment.",
                    save.title
                )),
                (None, FileNumbers::Table, MatrixFormat::Csv) => {
                    download::save_text(&name, kind, &table().csv());
                }
                (None, FileNumbers::Table, MatrixFormat::Npy) => {
                    download::save_bytes(&name, kind, &table().npy());
                }
            }
        }
    }
}

/// A model of which only a part is here, whose numbers are rounded.
fn part_called(state: PageState, model: &str) -> Option<ModelEntry> {
    state.shelf.with_untracked(|shelf| {
        let mut parts = shelf.iter().filter(|item| item.is_part());
        parts.find(|item| item.title == model).cloned()
    })
}

/// Saves the sheet that a figure stands on, a matrix in blocks as small as the sheet has dots for.
///
/// # Errors
/// A sentence on what is missing.
async fn save_picture(
    engine: QueryClient,
    mut save: ExportRequest,
    subject: &ExportSource,
    choice: PictureFormat,
    name: &str,
) -> Result<(), String> {
    let font = font().await;
    let Some(letters) = font.as_deref().and_then(TextOutlines::read) else {
        return Err(format!(
            "{} was not saved: the font of pictures could not be fetched. Try again when the connection is back.",
            save.title
        ));
    };
    let dots = sheet(&save, subject, choice).plot_dots();
    match with_finer_blocks(engine, &save, dots).await {
        Ok(Some(finer)) => save.figure = finer,
        Ok(None) => {}
        Err(failure) => return Err(format!("“{}” was not saved. {failure}", save.title)),
    }
    let provenance = subject.provenance(&save);
    let scene = sheet(&save, subject, choice).scene(&letters);
    if matches!(save.format, FigureFormat::Svg) {
        let text = document(&scene, choice.background, &provenance, canvas::data_address);
        download::save_text(name, "image/svg+xml", &text);
        return Ok(());
    }
    let bytes = png(&scene, choice.background, &provenance).await;
    let bytes = bytes.ok_or_else(|| {
        format!(
            "{name} was not saved: this browser has no room for a picture of that size. Save it as SVG, or as wide as a column."
        )
    })?;
    download::save_bytes(name, "image/png", &bytes);
    Ok(())
}

/// The sheet that a figure stands on.
fn sheet<'a>(
    save: &'a ExportRequest,
    subject: &'a ExportSource,
    choice: PictureFormat,
) -> Sheet<'a> {
    Sheet {
        figure: save.figure.as_ref(),
        title: subject.title(),
        subject: &subject.line,
        words: &subject.words,
        width: choice.width,
        heading: choice.heading,
    }
}

/// A sheet as a PNG file that says where it comes from.
async fn png(scene: &Scene, background: Background, provenance: &Provenance) -> Option<Vec<u8>> {
    let paper = background == Background::White;
    let blob = canvas::png(scene, &PRINT, Sheet::DOTS, paper).await?;
    let bytes = JsFuture::from(blob.array_buffer()).await.ok()?;
    with_metadata(Uint8Array::new(&bytes).to_vec(), provenance)
}

/// The matrix behind a figure as a file.
fn whole(
    shown: ShownMatrix,
    format: MatrixFormat,
    name: String,
    kind: &'static str,
    saves: Saves,
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
        saves,
    }
}
