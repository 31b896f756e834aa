//! Files for the image view that are not models: an image, and a table of heads.

use super::Opener;
use crate::{
    app::query_client::NamedFile,
    kernel_io::{heads_of_csv, looks_like_heads},
    url_state::View,
};
use leptos::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Largest file that may be a table of heads, in bytes.
const LARGEST_TABLE: f64 = 1e6;

impl Opener {
    /// Opens images and tables of heads in the image view; other files are grouped into models.
    pub(super) fn sort(self, mut files: Vec<NamedFile>) {
        let is_image = |(_, file): &NamedFile| file.type_().starts_with("image/");
        if let Some(image) = files.iter().find(|file| is_image(file)).cloned() {
            files.retain(|file| !is_image(file));
            self.state.own_files.image.set(Some(image));
            self.state.url.link.update(|link| link.view = View::Images);
        }
        match &files[..] {
            [(name, file)] if name.ends_with(".csv") && file.size() <= LARGEST_TABLE => {
                spawn_local(self.sort_table(files));
            }
            _ => self.group_files(files),
        }
    }

    async fn sort_table(self, files: Vec<NamedFile>) {
        let (name, file) = &files[0];
        let text = JsFuture::from(file.text()).await.ok();
        let text = text.and_then(|text| text.as_string()).unwrap_or_default();
        if !looks_like_heads(&text) {
            return self.group_files(files);
        }
        match heads_of_csv(&text) {
            Ok(heads) => self.state.url.link.update(|link| {
                link.view = View::Images;
                link.images.heads = Some(heads);
                link.images.head = 0;
            }),
            Err(why) => self
                .state
                .messages
                .warn(format!("“{name}” holds no heads: {why}")),
        }
    }
}
