//! Lessons that come with the page, as the build wrote them beside it.

use crate::app::own_file::fetch_own;
use js_sys::Uint8Array;
use lesson::{Lesson, ListedLesson};
use wasm_bindgen_futures::JsFuture;

/// The list of them.
pub(in crate::app) async fn fetch_list() -> Option<Vec<ListedLesson>> {
    ListedLesson::list_from_bytes(&bytes("lessons/list.bin").await?).ok()
}

/// One of them. An identifier is what a file may be called: whatever else a link says names none.
pub(super) async fn fetch_lesson(id: &str) -> Option<Lesson> {
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !id.bytes().all(is_name) {
        return None;
    }
    Lesson::from_bytes(&bytes(&format!("lessons/{id}.bin")).await?).ok()
}

async fn bytes(address: &str) -> Option<Vec<u8>> {
    let blob = fetch_own(address).await?;
    let buffer = JsFuture::from(blob.array_buffer()).await.ok()?;
    Some(Uint8Array::new(&buffer).to_vec())
}
