//! Open models: the model list, details of the open model, and opening.

pub(super) mod compared_link;
pub(super) mod computed_table;
pub(super) mod details;
pub(super) mod list;
pub(super) mod opening;
pub(super) mod stored_models;
