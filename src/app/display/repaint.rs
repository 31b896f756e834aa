//! A trigger that repaints every canvas: when the web font arrives, and when a canvas lost its context. Canvases use
//! the font available at the time of painting; unlike the text of the document, they are not updated when the web font
//! arrives. A canvas that loses its context, for example because the GPU was reset, comes back empty.

use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast, closure::Closure};
use wasm_bindgen_futures::JsFuture;

/// CSS font that figures use for text.
const FONT: &str = "11px Inter";

/// Fires when all figures must be repainted.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct RepaintTrigger(Trigger);

impl RepaintTrigger {
    /// Loads the web font, listens to restored canvases, and provides the trigger as context.
    pub(in crate::app) fn provide() {
        let trigger = Trigger::new();
        provide_context(Self(trigger));
        let font = document().fonts().load(FONT);
        spawn_local(async move {
            // Ignored: without the web font, figures stay as they are.
            if JsFuture::from(font).await.is_ok() {
                trigger.notify();
            }
        });
        // The event does not bubble, so the listener captures it. It is never removed.
        let restored = Closure::<dyn Fn()>::new(move || trigger.notify()).into_js_value();
        // Ignored: adding a listener to the document cannot fail.
        let _ = document().add_event_listener_with_callback_and_bool(
            "contextrestored",
            restored.unchecked_ref(),
            true,
        );
    }

    pub(in crate::app) fn from_context() -> Self {
        expect_context()
    }

    /// Subscribes the current effect to the trigger.
    pub(in crate::app) fn follow(self) {
        self.0.track();
    }
}
