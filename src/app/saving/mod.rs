//! Files for the person, of figures and of matrices in full.
//!
//! The first paint only knows what can be saved. How that becomes a file is fetched when the first is saved: few
//! visitors take something home, and what draws letters is not light. Everything in this folder is reached from
//! [`save_now`] and [`PictureChooser`] alone.

mod figure;
mod font;
pub(super) mod large_save;
mod matrix;
mod picture_chooser;
pub(super) mod request;
mod subject;

pub(super) use picture_chooser::PictureChooser;

use super::{engine::Engine, state::State};
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use request::SaveRequest;
use wasm_bindgen_futures::spawn_local;

/// What makes files, once it is there.
type Save = fn(State, Engine, SaveRequest);

// The function is handed over instead of called: what a part is called with has to be plain.
#[wasm_split(saving, wasm_split_path = leptos::wasm_split, fallible)]
fn saving_part() -> Result<Save, SplitLoaderError> {
    Ok(save_now)
}

/// Saves something, and says so where that is not possible.
pub(super) fn save(state: State, engine: Engine, request: SaveRequest) {
    spawn_local(async move {
        match saving_part().await {
            Ok(save) => save(state, engine, request),
            Err(_) => state.warn(format!(
                "{} was not saved: the part of the page that saves could not be fetched. Try again when the connection is back.",
                request.name()
            )),
        }
    });
}

fn save_now(state: State, engine: Engine, request: SaveRequest) {
    match request {
        SaveRequest::Figure(figure) => figure::save(state, engine, figure),
        SaveRequest::InMemory(matrix) => matrix::save_in_memory(state, engine, matrix),
    }
}
