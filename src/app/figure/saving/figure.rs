//! Export of a figure: its picture, or its numbers.

use super::{
    finer_blocks::{with_finer_blocks, with_finer_panels},
    font::font,
    matrix,
    request::{ExportRequest, FigureFormat},
    source::ExportSource,
};
use crate::{
    analysis::{MatrixFormat, WholeMatrix, file_size},
    app::{
        controls::download,
        figure::{canvas, matrix_source::ShownMatrix},
        query_client::QueryClient,
        state::{
            ModelList, PageState,
            message::Action,
            model_entry::ModelEntry,
            saving::{LargeSave, PictureFormat, Saves},
        },
    },
    export::{Background, Provenance, Sheet, TextOutlines, document, file_name, with_metadata},
    figure::{PRINT, Scene},
    figure_spec::FileNumbers,
    math::Window,
};
use js_sys::Uint8Array;
use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Exports a figure. Failures become messages.
pub(super) fn save(state: PageState, client: QueryClient, save: ExportRequest) {
    let messages = state.messages;
    let subject = ExportSource::new(state, &save);
    if !can_be_saved(state, &save, &subject) {
        return;
    }
    let file = file_name(save.spec.id, subject.file.as_deref(), &subject.details);
    let named = |ending: &str| format!("{file}.{ending}");
    match save.format {
        FigureFormat::Png | FigureFormat::Svg => {
            let name = named(match save.format {
                FigureFormat::Png => "png",
                _ => "svg",
            });
            let choice = state.pictures.get_untracked();
            let guard = save.saves.begin();
            spawn_local(async move {
                if let Err(why) = save_picture(client, save, &subject, choice, &name).await {
                    messages.warn(why);
                }
                drop(guard);
            });
        }
        FigureFormat::Numbers(format) => {
            let (ending, kind) = match format {
                MatrixFormat::Csv => ("csv", "text/csv"),
                MatrixFormat::Npy => ("npy", "application/octet-stream"),
            };
            let (name, table) = (named(ending), || save.figure.table());
            match (save.matrix, save.spec.numbers, format) {
                (Some(matrix), _, _) => {
                    let whole = whole(matrix, format, name, kind, save.saves);
                    matrix::save(state, client, whole);
                }
                // The picture may show block means, which must not be exported as cells.
                (None, FileNumbers::Matrix, _) => messages.notify(format!(
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

/// Whether a figure can be saved as it is now. If not, a message says why.
pub(super) fn can_be_saved(state: PageState, save: &ExportRequest, subject: &ExportSource) -> bool {
    let messages = state.messages;
    let is_picture = matches!(save.format, FigureFormat::Png | FigureFormat::Svg);
    if is_picture && save.is_earlier {
        // The file would be named after the current question, but show the answer to an earlier one.
        messages.notify(format!(
            "“{}” was not {}: it still shows the answer before this one. {} it again in a moment.",
            save.title,
            save.outcome(),
            save.verb()
        ));
        return false;
    }
    if let Some(part) = (subject.model.as_ref()).and_then(|model| part_called(state.models, model))
    {
        let sentence = format!(
            "“{}” was not {}: so far only the table of {} is here, at half precision. {} it again once the rest is.",
            save.title,
            save.outcome(),
            part.title,
            save.verb()
        );
        match part.id() {
            Some(id) if !part.is_coming() => {
                messages.offer(sentence, "Fetch the rest", Action::FetchRest(id));
            }
            _ => messages.notify(sentence),
        }
        return false;
    }
    true
}

/// Returns the model with this title if only its position table is loaded, at half precision.
fn part_called(models: ModelList, model: &str) -> Option<ModelEntry> {
    models.entries.with_untracked(|entries| {
        let mut parts = entries.iter().filter(|item| item.is_part());
        parts.find(|item| item.title == model).cloned()
    })
}

/// Saves the page layout of a figure as PNG or SVG, or copies it. A matrix gets as many blocks as the layout has dots.
///
/// # Errors
/// If the font, finer blocks or memory for the picture are not available. The error is a sentence for the user.
async fn save_picture(
    client: QueryClient,
    mut save: ExportRequest,
    subject: &ExportSource,
    choice: PictureFormat,
    name: &str,
) -> Result<(), String> {
    let font = font().await;
    let Some(letters) = font.as_deref().and_then(TextOutlines::read) else {
        return Err(format!(
            "{} was not {}: the font of pictures could not be fetched. Try again when the connection is back.",
            save.title,
            save.outcome()
        ));
    };
    let dots = sheet(&save, subject, choice).plot_dots();
    let width = sheet(&save, subject, choice).figure_width();
    let finer = match with_finer_blocks(client, &save.figure, save.matrix.as_ref(), dots).await {
        Ok(None) => with_finer_panels(client, &save.figure, width).await,
        finer => finer,
    };
    match finer {
        Ok(Some(finer)) => save.figure = finer,
        Ok(None) => {}
        Err(failure) => {
            return Err(format!(
                "“{}” was not {}. {failure}",
                save.title,
                save.outcome()
            ));
        }
    }
    let provenance = subject.provenance(&save.caption, save.figure.as_ref());
    let scene = sheet(&save, subject, choice).scene(&letters);
    if matches!(save.format, FigureFormat::Svg) {
        let text = document(&scene, choice.background, &provenance, canvas::data_address);
        download::save_text(name, "image/svg+xml", &text);
        return Ok(());
    }
    let bytes = png(&scene, choice.background, &provenance).await;
    let bytes = bytes.ok_or_else(|| {
        format!(
            "{name} was not {}: this browser cannot make a picture of this size. Save it as SVG, or as wide as a column.",
            save.outcome()
        )
    })?;
    match save.clipboard {
        Some(clipboard) => {
            if let Some(picture) = download::blob_of("image/png", &bytes) {
                // Ignored: the browser may have refused to copy by now.
                let _ = clipboard.send(picture);
            }
        }
        None => download::save_bytes(name, "image/png", &bytes),
    }
    Ok(())
}

/// Lays the figure out on a page.
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

/// Renders a page as a PNG file with provenance metadata.
pub(super) async fn png(
    scene: &Scene,
    background: Background,
    provenance: &Provenance,
) -> Option<Vec<u8>> {
    let paper = background == Background::White;
    let blob = canvas::png(scene, &PRINT, Sheet::DOTS, paper).await?;
    let bytes = JsFuture::from(blob.array_buffer()).await.ok()?;
    with_metadata(Uint8Array::new(&bytes).to_vec(), provenance)
}

/// Returns the request for all cells of the shown part of a matrix.
fn whole(
    matrix: ShownMatrix,
    format: MatrixFormat,
    name: String,
    kind: &'static str,
    saves: Saves,
) -> LargeSave {
    let (rows, columns) = matrix.size;
    let window = match &matrix.window {
        Some(window) => window.within(rows, columns),
        None => Window::whole(rows, columns),
    };
    LargeSave {
        bytes: file_size(format, window.rows.len(), window.cols.len()),
        question: WholeMatrix {
            of: matrix.of,
            format,
            window: matrix.window,
        },
        name,
        kind,
        saves,
    }
}
