//! The user's own image: chosen or dropped, decoded by the browser and scaled. It is never uploaded.

use crate::{
    analysis::OwnImage,
    app::{figure::canvas, state::PageState},
    math::Grid,
};
use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, ImageBitmap};

/// Size limit of image files in bytes; larger ones could exhaust a phone's memory when decoded.
const LARGEST_FILE: f64 = 64e6;

/// The image that the user opened last.
#[derive(Clone, Copy)]
pub(super) struct OwnImages {
    state: PageState,
    /// Its pixels, once decoded.
    pub(super) image: RwSignal<Option<OwnImage>>,
    /// Its name, set with the pixels.
    pub(super) name: RwSignal<Option<String>>,
}

impl OwnImages {
    /// Decodes the last opened file at the chosen size, and again when the size changes.
    pub(super) fn new(state: PageState, now: Memo<usize>) -> Self {
        let images = Self {
            state,
            image: RwSignal::new(None),
            name: RwSignal::new(None),
        };
        Effect::new(move || {
            let side = now.get();
            if let Some((name, file)) = state.own_files.image.get() {
                spawn_local(async move {
                    let decoded = decode(&name, &file, side).await;
                    // Another size may be chosen by then, or the view unmounted.
                    if now.try_get_untracked() == Some(side) {
                        images.take(name, decoded);
                    }
                });
            }
        });
        images
    }

    fn take(self, name: String, decoded: Result<OwnImage, String>) {
        match decoded {
            Ok(image) => {
                let is_new = self.name.get_untracked().as_ref() != Some(&name);
                self.image.set(Some(image));
                self.name.set(Some(name));
                if is_new {
                    let link = self.state.url.link;
                    link.update(|link| link.images.sample = None);
                }
            }
            Err(why) => self.state.messages.warn(why),
        }
    }
}

/// Decodes an image and scales its longer side to `side` pixels. Transparent pixels become white. Fails if the file is
/// larger than [`LARGEST_FILE`], or if the browser cannot decode it.
async fn decode(name: &str, file: &Blob, side: usize) -> Result<OwnImage, String> {
    if file.size() > LARGEST_FILE {
        return Err(format!(
            "“{name}” has {:.0} MB. Choose an image of at most {:.0} MB.",
            file.size() / 1e6,
            LARGEST_FILE / 1e6
        ));
    }
    // Browsers describe the error in different words, so the page has its own message.
    let refused = || {
        format!(
            "This browser cannot decode “{name}” as an image. Save it as PNG or JPEG and open it again."
        )
    };
    let decoding = window()
        .create_image_bitmap_with_blob(file)
        .map_err(|_why| refused())?;
    let bitmap: ImageBitmap = JsFuture::from(decoding)
        .await
        .map_err(|_why| refused())?
        .into();
    let longer = f64::from(bitmap.width().max(bitmap.height()));
    let scaled = |length: u32| {
        let length = f64::from(length) / longer * side as f64;
        (length.round() as usize).max(1)
    };
    let grid = Grid {
        height: scaled(bitmap.height()),
        width: scaled(bitmap.width()),
    };
    let bytes = canvas::scaled_pixels(&bitmap, grid.width as u32, grid.height as u32);
    bitmap.close();
    let bytes = bytes.ok_or_else(refused)?;
    Ok(OwnImage { grid, bytes })
}
