//! Appearance of the page: light or dark theme, text size, attributes of the root element, and repainting of all
//! canvases.

pub(super) mod repaint;
pub(super) mod root;
pub(super) mod text_size;
pub(super) mod theme;
