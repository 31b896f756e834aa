//! How finely a matrix can be drawn: in as many blocks as its picture has pixels of the screen.

use crate::{
    analysis::FINEST_TILE, app::shell::text_size::TextSize, figure::Heatmap, math::Window,
};
use leptos::prelude::*;

/// The room that a figure has, which is known once it has been laid out.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct MatrixResolution {
    /// How wide the figure is, in CSS pixels; zero until then.
    pixels: RwSignal<usize>,
    text: TextSize,
}

impl MatrixResolution {
    /// Of a figure that is still to be laid out.
    pub(in crate::app) fn new() -> Self {
        Self {
            pixels: RwSignal::new(0),
            text: TextSize::from_context(),
        }
    }

    /// How wide the figure is, which the figure itself says.
    pub(in crate::app) fn pixels(self) -> RwSignal<usize> {
        self.pixels
    }

    /// How many blocks a side of a window are worth computing: as many as there are pixels, and at least so many as
    /// `least` makes.
    pub(in crate::app) fn blocks(self, window: &Window, least: usize) -> usize {
        let scale = self.text.scale();
        let side = Heatmap::side(self.pixels.get() as f64 / scale) * scale;
        let pixels = (side * leptos::prelude::window().device_pixel_ratio()).round() as usize;
        window.blocks(pixels.clamp(least, FINEST_TILE))
    }
}
