//! Tests of `figure_help`.

pub(crate) mod guide;
pub(crate) mod guide_numbers;
pub(crate) mod parser;
