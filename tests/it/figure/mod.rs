//! Tests of `figure`.

pub(crate) mod beside_head;
pub(crate) mod compare;
pub(crate) mod cursor;
pub(crate) mod encodings_view;
pub(crate) mod figures;
pub(crate) mod free_heights;
pub(crate) mod head_figures;
pub(crate) mod head_pair;
pub(crate) mod image_figures;
pub(crate) mod image_model_figures;
pub(crate) mod kernel_view;
pub(crate) mod matrix_panels;
pub(crate) mod matrix_table;
pub(crate) mod painting;
pub(crate) mod pictures;
pub(crate) mod plots;
pub(crate) mod row_marks;
pub(crate) mod runs;
pub(crate) mod scales;
pub(crate) mod table_pair;
pub(crate) mod text_attention;
pub(crate) mod text_boxes;
pub(crate) mod tidy_tables;
pub(crate) mod training;
pub(crate) mod transition;
pub(crate) mod wave_figures;
