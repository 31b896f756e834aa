//! Tests of `lesson_checks`.

pub(crate) mod arrangement;
pub(crate) mod lesson_columns;
pub(crate) mod lessons;
