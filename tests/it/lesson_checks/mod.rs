//! Tests of `lesson_checks`.

pub(crate) mod arrangement;
pub(crate) mod lesson_columns;
mod lesson_runs;
pub(crate) mod lessons;
