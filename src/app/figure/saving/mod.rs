//! Files for the person, of figures and of matrices in full.
//!
//! The first paint only knows what can be saved. How that becomes a file is fetched when the first is saved: few
//! visitors take something home, and what draws letters is not light. Everything in this folder is reached from
//! [`save_now`] and [`PictureChooser`] alone.

mod figure;
mod finer_blocks;
mod font;
pub(in crate::app) mod large_save;
mod matrix;
mod picture_chooser;
pub(in crate::app) mod request;
mod source;

pub(in crate::app) use picture_chooser::PictureChooser;

use crate::{
    app::{query_client::QueryClient, state::page::PageState},
    same_origin_files,
};
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use request::SaveRequest;
use wasm_bindgen_futures::spawn_local;

/// What makes files, once it is there.
type Save = fn(PageState, QueryClient, SaveRequest);

// The function is handed over instead of called: what a part is called with has to be plain.
#[wasm_split(saving, wasm_split_path = leptos::wasm_split, fallible)]
fn saving_part() -> Result<Save, SplitLoaderError> {
    Ok(save_now)
}

/// Saves something, and says so where that is not possible.
pub(in crate::app) fn save(state: PageState, engine: QueryClient, request: SaveRequest) {
    let under_way = match &request {
        SaveRequest::Figure(figure) => figure.saves,
        SaveRequest::InMemory(matrix) => matrix.saves,
    }
    .begin();
    spawn_local(async move {
        let part = saving_part().await;
        // The code that makes the file counts it, too.
        match part {
            Ok(save) => save(state, engine, request),
            Err(_) => state.warn(format!(
                "{} was not saved: the part of the page that saves could not be fetched. {}",
                request.name(),
                same_origin_files::last_failure()
            )),
        }
        drop(under_way);
    });
}

fn save_now(state: PageState, engine: QueryClient, request: SaveRequest) {
    match request {
        SaveRequest::Figure(figure) => figure::save(state, engine, figure),
        SaveRequest::InMemory(matrix) => matrix::save_in_memory(state, engine, matrix),
    }
}
