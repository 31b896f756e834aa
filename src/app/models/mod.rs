//! The models that are open: their list, their details, and how one is opened.

pub(in crate::app) mod computed_table;
pub(in crate::app) mod details;
pub(in crate::app) mod entry;
pub(in crate::app) mod list;
pub(in crate::app) mod opening;
