//! Fetches the lessons that the build wrote beside the page.

use crate::{lazy::LoadFailure, same_origin_files};
use js_sys::Uint8Array;
use lesson_format::{Lesson, ListedLesson};
use wasm_bindgen_futures::JsFuture;

/// Fetches the list of the page's lessons.
pub(in crate::app) async fn fetch_list() -> Result<Vec<ListedLesson>, LoadFailure> {
    let list = ListedLesson::list_from_bytes(&bytes("lessons/list.bin").await?);
    list.or(Err(LoadFailure::Lost))
}

/// Fetches a lesson by its identifier. Identifiers are file names of lowercase letters, digits and hyphens; others are
/// rejected.
pub(super) async fn fetch_lesson(id: &str) -> Result<Lesson, LoadFailure> {
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !id.bytes().all(is_name) {
        return Err(LoadFailure::Lost);
    }
    let lesson = Lesson::from_bytes(&bytes(&format!("lessons/{id}.bin")).await?);
    lesson.or(Err(LoadFailure::Lost))
}

async fn bytes(address: &str) -> Result<Vec<u8>, LoadFailure> {
    let blob = same_origin_files::load(address).await?;
    let buffer = JsFuture::from(blob.array_buffer()).await;
    Ok(Uint8Array::new(&buffer.or(Err(LoadFailure::Lost))?).to_vec())
}
