//! A figure on the page: its card, its two canvases, its toolbar, its help, and how it is saved.

pub(in crate::app) mod canvas;
pub(in crate::app) mod card;
pub(in crate::app) mod formulas;
pub(in crate::app) mod help;
pub(in crate::app) mod matrix_source;
pub(in crate::app) mod number_table;
pub(in crate::app) mod painter;
pub(in crate::app) mod readout;
pub(in crate::app) mod registry;
pub(in crate::app) mod repaint;
pub(in crate::app) mod resolution;
pub(in crate::app) mod saving;
pub(in crate::app) mod toolbar;
pub(in crate::app) mod view;
pub(in crate::app) mod width;
