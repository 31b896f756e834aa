//! How finely a matrix can be drawn: in as many blocks as its picture has pixels of the screen.

use super::text_size::TextSize;
use crate::{analysis::FINEST_TILE, figure::Heatmap, math::Window};
use leptos::prelude::*;

/// The room that a figure has, which is known once it has been laid out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// How wide the figure is, in CSS pixels; zero until then.
    pixels: RwSignal<usize>,
    text: TextSize,
}

impl Room {
    /// Of a figure that is still to be laid out.
    pub(super) fn new() -> Self {
        Self {
            pixels: RwSignal::new(0),
            text: TextSize::from_context(),
        }
    }

    /// How wide the figure is, which the figure itself says.
    pub(super) fn pixels(self) -> RwSignal<usize> {
        self.pixels
    }

    /// How many blocks a side of a window are worth computing: as many as there are pixels, and at least so many as
    /// `least` makes.
    pub(super) fn blocks(self, window: &Window, least: usize) -> usize {
        let scale = self.text.scale();
        let side = Heatmap::side(self.pixels.get() as f64 / scale) * scale;
        let pixels = (side * leptos::prelude::window().device_pixel_ratio()).round() as usize;
        window.blocks(pixels.clamp(least, FINEST_TILE))
    }
}
