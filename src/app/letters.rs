//! The font of figures. Canvases write with what is there, and are painted once more when the page's own font has come:
//! unlike the page's text, nothing does that for them.

use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen_futures::JsFuture;

/// What figures are written in.
const FONT: &str = "11px Inter";

/// Whether the page's font is there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Letters(RwSignal<bool>);

impl Letters {
    /// Asks for the font, and tells the context when it has come.
    pub(super) fn provide() {
        let there = RwSignal::new(false);
        provide_context(Self(there));
        let font = document().fonts().load(FONT);
        spawn_local(async move {
            // Without it, figures stay as they are.
            if JsFuture::from(font).await.is_ok() {
                there.set(true);
            }
        });
    }

    /// The page's.
    pub(super) fn from_context() -> Self {
        expect_context()
    }

    /// Has whoever draws draw again when the font comes.
    pub(super) fn follow(self) {
        self.0.track();
    }
}
