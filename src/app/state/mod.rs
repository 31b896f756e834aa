//! The state of the page: what its link says, the open models, and comparisons over several of them.

pub(in crate::app) mod compared_link;
pub(in crate::app) mod comparison;
pub(in crate::app) mod page;
