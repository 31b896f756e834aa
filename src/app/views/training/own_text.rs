//! The text that tasks on texts learn from: a book that ships with the page, or the visitor's own file.

use super::recipes::Recipes;
use crate::{
    app::{
        controls::while_mounted::while_mounted, models::opening::files_of, state::Messages,
        training::TrainingRuns,
    },
    same_origin_files,
    training::{MOST_TEXT_BYTES, TrainingRecipe},
};
use leptos::{ev, prelude::*};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, HtmlInputElement};

/// Address of the book, and its name.
const BOOK: (&str, &str) = ("training/alice.txt", "Alice’s Adventures in Wonderland");

/// Whether a task of the recipes learns from a text.
fn reads_text(recipes: &[TrainingRecipe]) -> bool {
    recipes.iter().any(|recipe| recipe.task.reads_text())
}

/// Loads the book if a recipe needs a text and the visitor has given none.
///
/// # Errors
/// A sentence if the book cannot be fetched.
pub(super) async fn load_text(
    runs: TrainingRuns,
    recipes: &[TrainingRecipe],
) -> Result<(), String> {
    if !reads_text(recipes) || runs.text.with_untracked(Option::is_some) {
        return Ok(());
    }
    let (address, name) = BOOK;
    let blob = same_origin_files::load(address).await.map_err(|why| {
        format!("The book could not be fetched from this page’s own server. {why} You can open a text of your own instead.")
    })?;
    runs.text
        .set(Some((name.to_owned(), bytes_of(&blob).await?.into())));
    Ok(())
}

/// Reads a file.
///
/// # Errors
/// A sentence if it is too large, or cannot be read.
async fn bytes_of(blob: &Blob) -> Result<Vec<u8>, String> {
    if blob.size() > MOST_TEXT_BYTES as f64 {
        return Err(format!(
            "The text has more than {} MB. Open a shorter one, or a part of it.",
            MOST_TEXT_BYTES / 1_000_000
        ));
    }
    let Ok(buffer) = JsFuture::from(blob.array_buffer()).await else {
        return Err("The text could not be read. It may have been moved or deleted.".to_owned());
    };
    Ok(js_sys::Uint8Array::new(&buffer).to_vec())
}

/// A field for a text file, displayed if the task learns from a text.
#[component]
pub(super) fn OwnText(recipes: Recipes) -> impl IntoView {
    let runs = recipes.runs;
    let messages = Messages::from_context();
    let is_needed = Memo::new(move |_| recipes.recipes.with(|all| reads_text(all)));
    let name = move || {
        runs.text.with(|text| match text {
            Some((name, _)) => format!("The runs learn from {name}."),
            None => format!("The runs learn from {}.", BOOK.1),
        })
    };
    let open = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let files = event.target().files();
        let file = files.and_then(|files| files_of(&files).into_iter().next());
        let Some((name, file)) = file else {
            return;
        };
        spawn_local(async move {
            match bytes_of(&file).await {
                Ok(bytes) => runs.text.set(Some((format!("“{name}”"), bytes.into()))),
                Err(sentence) => messages.notify(sentence),
            }
        });
    };
    view! {
        <p class="controls" hidden=move || !is_needed.get()>
            <span>{name}</span>
            <label class="file-button">
                <u>"Open a text of your own"</u>
                <input type="file" accept=".txt,text/plain" on:change:target=while_mounted(open)/>
            </label>
        </p>
    }
}
