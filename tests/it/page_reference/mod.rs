//! Tests of `page_reference`.

pub(crate) mod citation;
pub(crate) mod notation;
pub(crate) mod shortcuts;
