//! The resolution at which a matrix is requested: about one block per device pixel.

use crate::{
    analysis::FINEST_TILE,
    app::display::text_size::TextSize,
    figure::{Heatmap, MatrixPanels},
    math::Window,
};
use leptos::prelude::*;

/// The space available to a matrix figure.
#[derive(Debug, Clone, Copy)]
pub(in crate::app) struct MatrixResolution {
    /// Width of the figure in CSS pixels; 0 until it is laid out.
    pixels: RwSignal<usize>,
    text: TextSize,
}

impl MatrixResolution {
    /// The resolution of a figure that is not laid out yet.
    pub(in crate::app) fn new() -> Self {
        Self {
            pixels: RwSignal::new(0),
            text: TextSize::from_context(),
        }
    }

    /// Returns the signal of the figure's width in CSS pixels. The figure sets it.
    pub(in crate::app) fn pixels(self) -> RwSignal<usize> {
        self.pixels
    }

    /// Returns the number of blocks to request along the longer side of a window. Each side has at most one block per
    /// device pixel; that limit is clamped to `least`..=[`FINEST_TILE`].
    pub(in crate::app) fn blocks(self, window: &Window, least: usize) -> usize {
        let scale = self.text.scale();
        let side = Heatmap::side(self.pixels.get() as f64 / scale) * scale;
        Self::blocks_of_side(side, window, least)
    }

    /// The same for a matrix without axes, which is as wide as its figure.
    pub(in crate::app) fn blocks_across(self, window: &Window, least: usize) -> usize {
        Self::blocks_of_side(self.pixels.get() as f64, window, least)
    }

    /// Returns the number of blocks to request for each of several matrices with axes, side by side in one figure. `None`
    /// until the figure is laid out.
    pub(in crate::app) fn blocks_of_panels(self, window: &Window, panels: usize) -> Option<usize> {
        let (pixels, scale) = (self.pixels.get(), self.text.scale());
        let (_, panel) = MatrixPanels::columns(panels, pixels as f64 / scale);
        let blocks = Self::blocks_of_side(Heatmap::side(panel) * scale, window, 1);
        (pixels > 0).then_some(blocks)
    }

    /// Number of blocks for a side in CSS pixels.
    fn blocks_of_side(side: f64, window: &Window, least: usize) -> usize {
        let pixels = (side * leptos::prelude::window().device_pixel_ratio()).round() as usize;
        window.blocks(pixels.clamp(least.min(FINEST_TILE), FINEST_TILE))
    }
}
