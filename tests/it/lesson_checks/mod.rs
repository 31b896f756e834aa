//! Tests of `lesson_checks`.

pub(crate) mod arrangement;
mod demonstration_figures;
pub(crate) mod lesson_columns;
mod lesson_runs;
pub(crate) mod lessons;
