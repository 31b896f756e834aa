//! Tests of `export`.

pub(crate) mod csv_text;
pub(crate) mod exports;
pub(crate) mod saved_pictures;
