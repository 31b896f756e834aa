//! How finely a matrix can be drawn: in as many blocks as its picture has pixels of the screen.

use super::text_size::TextSize;
use crate::{analysis::FINEST_TILE, figure::Heatmap, math::Window};
use leptos::prelude::*;

/// The room that a picture of a matrix has, which is known once the picture has been laid out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// How wide the figure is, in its units.
    width: RwSignal<Option<Signal<f64>>>,
    text: TextSize,
}

impl Room {
    /// Of a picture that is still to be laid out.
    pub(super) fn new() -> Self {
        Self {
            width: RwSignal::new(None),
            text: TextSize::from_context(),
        }
    }

    /// Is that of a figure whose width is this.
    pub(super) fn follow(self, width: Signal<f64>) {
        self.width.set(Some(width));
    }

    /// How many blocks a side of a window are worth computing: as many as there are pixels, and at least so many as
    /// `least` makes.
    pub(super) fn blocks(self, window: &Window, least: usize) -> usize {
        // The figure may have left the page.
        let width = self.width.get().and_then(|width| width.try_get());
        let side = Heatmap::side(width.unwrap_or(0.0)) * self.text.scale();
        let pixels = (side * leptos::prelude::window().device_pixel_ratio()).round() as usize;
        window.blocks(pixels.clamp(least, FINEST_TILE))
    }
}
