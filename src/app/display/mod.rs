//! Appearance of the page: light or dark theme, text size, and repainting of all canvases.

pub(super) mod repaint;
pub(super) mod text_size;
pub(super) mod theme;
