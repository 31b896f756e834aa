//! State of the page: the link, the open models, the messages, and the comparison of models.

pub(super) mod comparison;
pub(super) mod framing;
pub(super) mod message;
pub(super) mod model_entry;
pub(super) mod own_lessons;
pub(super) mod page;
pub(super) mod saving;
