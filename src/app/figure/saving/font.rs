//! The font of exported pictures. It is fetched when the first picture is saved.

use crate::same_origin_files;
use js_sys::Uint8Array;
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen_futures::JsFuture;

/// Path of the font, relative to the page. Its licence is in the same folder.
const ADDRESS: &str = "fonts/inter.otf";

thread_local! {
    /// The font, once fetched.
    static FONT: RefCell<Option<Rc<[u8]>>> = const { RefCell::new(None) };
}

/// Returns the bytes of the font. `None` if they cannot be fetched.
pub(super) async fn font() -> Option<Rc<[u8]>> {
    if let Some(font) = FONT.with_borrow(Clone::clone) {
        return Some(font);
    }
    let blob = same_origin_files::load(ADDRESS).await.ok()?;
    let bytes = JsFuture::from(blob.array_buffer()).await.ok()?;
    let font: Rc<[u8]> = Uint8Array::new(&bytes).to_vec().into();
    FONT.set(Some(Rc::clone(&font)));
    Some(font)
}
