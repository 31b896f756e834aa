//! A figure on the page: its card, canvases, toolbar and help, and export to files.

pub(super) mod canvas;
pub(super) mod card;
mod figure_terms;
pub(super) mod formula;
pub(super) mod help;
pub(super) mod large_figure;
pub(super) mod matrix_source;
pub(super) mod number_table;
mod numpy_dialog;
pub(super) mod painter;
mod picture_options;
pub(super) mod program_constants;
pub(super) mod program_snapshots;
pub(super) mod readout;
pub(super) mod registry;
pub(super) mod resolution;
mod save_menu;
pub(super) mod saving;
pub(super) mod toolbar;
pub(super) mod view;
pub(super) mod width;
