//! Export of figures and matrices to files.
//!
//! The code of this module is a lazy part, fetched on the first export: few visitors export figures, and the code that
//! lays out text is large. The first paint contains only [`save`] and [`request`]; everything else must be reachable
//! only through [`save_now`].

mod figure;
mod finer_blocks;
mod font;
mod matrix;
pub(in crate::app) mod request;
mod sheet_editor;
mod source;

use crate::{
    app::{query_client::QueryClient, state::PageState},
    same_origin_files,
};
use leptos::wasm_split::{SplitLoaderError, wasm_split};
use request::SaveRequest;
use wasm_bindgen_futures::spawn_local;

/// The function of the lazy part that creates files.
type Save = fn(PageState, QueryClient, SaveRequest);

// Returns the function instead of calling it: the arguments of a split function must be plain types.
#[wasm_split(saving, wasm_split_path = leptos::wasm_split, fallible)]
fn saving_part() -> Result<Save, SplitLoaderError> {
    Ok(save_now)
}

/// Exports a figure or a matrix. Failures become messages.
pub(in crate::app) fn save(state: PageState, client: QueryClient, request: SaveRequest) {
    let guard = match &request {
        SaveRequest::Figure(figure) | SaveRequest::Panel(figure) => figure.saves,
        SaveRequest::InMemory(matrix) => matrix.saves,
    }
    .begin();
    spawn_local(async move {
        let part = saving_part().await;
        // The export counts itself as well, so the indicator stays on until the file is complete.
        match part {
            Ok(save) => save(state, client, request),
            Err(_) => state.messages.warn(format!(
                "{} was not {}: the part of the page that saves could not be fetched. {}",
                request.name(),
                request.outcome(),
                same_origin_files::last_failure()
            )),
        }
        drop(guard);
    });
}

fn save_now(state: PageState, client: QueryClient, request: SaveRequest) {
    match request {
        SaveRequest::Figure(figure) => figure::save(state, client, figure),
        SaveRequest::Panel(figure) => sheet_editor::add(state, client, figure),
        SaveRequest::InMemory(matrix) => matrix::save_in_memory(state.messages, client, matrix),
    }
}
