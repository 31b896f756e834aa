//! What puts every picture on the page out of date, whatever it shows. Canvases write with the font that is there, and
//! are painted once more when the page's own has come: unlike the page's text, nothing does that for them. And a
//! browser that has lost the pixels of a canvas, with the GPU that kept them, gives it back empty.

use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast, closure::Closure};
use wasm_bindgen_futures::JsFuture;

/// What figures are written in.
const FONT: &str = "11px Inter";

/// Pictures are painted in an edition, and once more in the next.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct RepaintTrigger(Trigger);

impl RepaintTrigger {
    /// Asks for the font, and listens to canvases.
    pub(in crate::app) fn provide() {
        let edition = Trigger::new();
        provide_context(Self(edition));
        let font = document().fonts().load(FONT);
        spawn_local(async move {
            // Without it, figures stay as they are.
            if JsFuture::from(font).await.is_ok() {
                edition.notify();
            }
        });
        // The event does not bubble, so it is heard on its way down to the canvas, for as long as the page is there.
        let restored = Closure::<dyn Fn()>::new(move || edition.notify()).into_js_value();
        // A function can always listen.
        let _ = document().add_event_listener_with_callback_and_bool(
            "contextrestored",
            restored.unchecked_ref(),
            true,
        );
    }

    /// The page's.
    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Has whoever draws draw again in the next edition.
    pub(in crate::app) fn follow(self) {
        self.0.track();
    }
}
